import { describe, expect, it } from 'vitest';
import { checkProvider } from '../../../../src/simulator/summarizer/ai-sdk.ts';

const profiles = new Map([
  ['nobody-has-this/large', {}],
  ['openai/small', {}],
]);
const check = (provider: string, baseUrl?: string) =>
  checkProvider({ provider, model: 'small' }, profiles, baseUrl);

describe('checkProvider', () => {
  it.each(['openai', 'anthropic'])('takes %s, whose package is there', (provider) => {
    expect(() => check(provider)).not.toThrow();
  });

  it('takes any name for a server of its own', () => {
    expect(() => check('opnai', 'http://127.0.0.1:1')).not.toThrow();
  });

  it('names what a known provider lacks', () => {
    expect(() => check('nobody-has-this')).toThrow("needs the package '@ai-sdk/nobody-has-this'");
  });

  it.each(['opnai', '../openai', ''])(
    'does not have anything installed for a name that nobody knows: %j',
    (provider) => {
      expect(() => check(provider)).toThrow(
        /^Unknown provider '.*'; nearest: openai, nobody-has-this\. A server of your own needs '--base-url'\.$/,
      );
    },
  );
});
