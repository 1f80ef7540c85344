import { describe, expect, it } from 'vitest';
import type { Part } from '../../../src/engine/index.ts';
import { shortenOutputs } from '../../../src/engine/pivot/shorten.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { step, text, tool, toolIn } from '../../support/history.ts';

const short: readonly [string, Part][] = [
  ['a text', text('p', 'longer than five')],
  ['an output as long as allowed', tool('t', 5)],
  ['a shorter output', tool('t', 4)],
  ['a cleared output', tool('t', 6, { compactedAt: 1 })],
  ['a call that failed', toolIn('t', { status: 'error', input: {}, error: 'longer than five' })],
  ['a call that has not come back', toolIn('t', { status: 'running', input: {} })],
];

describe('shortenOutputs', () => {
  it('cuts a longer output and says what was left out', () => {
    expect(shortenOutputs(frozen([step('s', [tool('t', 8)])]), 5)).toEqual([
      step('s', [tool('t', 'xxxxx\n[Tool output truncated for compaction: omitted 3 chars]')]),
    ]);
  });

  it.each(short)('hands a message with only %s on as it is', (_, part) => {
    const messages = frozen([step('s', [part])]);
    expect(shortenOutputs(messages, 5)[0]).toBe(messages[0]);
  });

  it.each(short)('hands %s beside a longer output on as it is', (_, part) => {
    const [shortened] = shortenOutputs(frozen([step('s', [part, tool('long', 8)])]), 5);
    expect(shortened?.parts[0]).toBe(part);
  });
});
