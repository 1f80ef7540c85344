import { describe, expect, it } from 'vitest';
import { createWithoutRequest } from '../../../../src/simulator/summarizer/model/without-request.ts';

const SAID =
  'Please mend "the login page" of C:\\new\\app:\n\tit says <b>no</b> & größer\u001b[0m ↯.';
const request = {
  system: 'You write summaries of conversations.',
  messages: [
    { role: 'user', content: `${SAID}\nIn /home/maria/app/login.ts, please.` },
    { role: 'assistant', content: 'Done.' },
  ],
} as const;
const without = createWithoutRequest(request, (text) => text.replaceAll('/home/maria', '~'));
const json = (value: unknown) => JSON.stringify(value);
const escapedAll = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const pythonOf = (text: string) =>
  `'${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\u001b', '\\x1b')}'`;

describe('createWithoutRequest', () => {
  it.each<[string, string]>([
    ['as it is', SAID],
    ['as JSON', json(SAID)],
    ['as JSON in JSON', json(json({ input: SAID }))],
    ['as JSON without other alphabets', escapedAll(json(SAID))],
    ['as Python shows it, in JSON', json({ detail: pythonOf(SAID) })],
    [
      'in a page',
      SAID.replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;'),
    ],
  ])('takes out what was sent, %s', (_, quotedText) => {
    const left = without(`Bad input: ${quotedText}, which is wrong.`);
    expect(left).toMatch(/^Bad input: .{0,16}\[of the request\].{0,10}, which is wrong\.$/s);
  });

  it('takes out a part of a message, and a part of the system prompt', () => {
    expect(without('input_value="end the login page of C:\\\\new\\\\app" is too long')).toBe(
      'input_value="[of the request]" is too long',
    );
    expect(without('Got: summaries of conversations.')).toBe('Got: [of the request]');
  });

  it('leaves alone what is as short as words that anybody may use', () => {
    const text = 'Please mend your request: status 400, the login page of nobody.';
    expect(without(text)).toBe(text);
  });

  it('knows what was sent also where something confidential stands in it', () => {
    expect(without('Got: In /home/maria/app/login.ts, please.')).toBe('Got: [of the request]');
    expect(without('Not /home/maria/b.')).toBe('Not ~/b.');
  });

  it('says once what has many parts of the request beside each other', () => {
    expect(without(`[${json(SAID)}, ${json(SAID)}]`)).toBe('["[of the request]"]');
  });

  it.each<[string, string, string]>([
    ['of one letter', 'a'.repeat(1_000_000), 'a'.repeat(100_000)],
    ['of one word', 'word '.repeat(200_000), 'word '.repeat(20_000)],
    ['with nothing in common', 'abc '.repeat(250_000), 'x1'.repeat(50_000)],
  ])('takes time in proportion for a text %s', (_, content, text) => {
    const large = createWithoutRequest(
      { system: '', messages: [{ role: 'user', content }] },
      (one) => one,
    );
    const start = performance.now();
    large(text);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
