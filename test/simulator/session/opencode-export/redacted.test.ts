import { describe, expect, it } from 'vitest';
import { isReason } from '../../../../src/simulator/session/redact/allowed.ts';
import { done, type Fields, read, step, text, tool, user } from './messages.ts';

const GONE = '[redacted:text:prt_1]';
const USAGE_ONLY = 'session redacted to its usage by the recorder';
const call = (over: Fields) => step('s1', {}, tool('c1', done(over)));

describe('what a sanitized export has lost', () => {
  it.each<[string, readonly Fields[], Fields]>([
    [
      'outputs and inputs, with a mark where nothing else is left',
      [user('u1', text(GONE)), call({ output: '[redacted:tool-output:p2]', input: { at: GONE } })],
      {
        'text redacted by the recorder': 1,
        'tool input redacted by the recorder': 1,
        'tool output redacted by the recorder': 1,
        [USAGE_ONLY]: 1,
      },
    ],
    [
      'an output that stands in an object',
      [user('u1', text(GONE)), call({ output: { redacted: GONE } })],
      {
        'text redacted by the recorder': 1,
        'tool output redacted by the recorder': 1,
        'tool output that is no text': 1,
        [USAGE_ONLY]: 1,
      },
    ],
    [
      'reasoning, also beside a text that is blank',
      [user('u1', text(' ')), step('s1', {}, { type: 'reasoning', text: GONE })],
      { 'text redacted by the recorder': 1, [USAGE_ONLY]: 1 },
    ],
    [
      'no mark where a text is left, as of somebody who quotes such an export',
      [user('u1', text(GONE)), call({})],
      { 'text redacted by the recorder': 1 },
    ],
    ['nothing where nothing is redacted', [user('u1', text(`at ${GONE}`)), call({})], {}],
  ])('is told: %s', (_, messages, expected) => {
    expect(read(...messages).report.repaired).toEqual(expected);
  });

  it('is told in words that stay when the session is shared', () => {
    expect(isReason(USAGE_ONLY)).toBe(true);
  });
});
