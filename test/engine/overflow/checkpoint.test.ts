import { describe, expect, it } from 'vitest';
import {
  type CheckpointEntry,
  type CheckpointRuleName,
  checkpointRules,
  isCompactionRequired,
  type Limits,
  selectCheckpointTail,
} from '../../../src/engine/index.ts';

const plain = { contextTokens: 200_000, outputTokens: 30_000 };
const smallOutput = { contextTokens: 200_000, outputTokens: 4_000 };
const fullOutput = { contextTokens: 200_000, outputTokens: 200_000 };
const noOutput = { contextTokens: 200_000 };
const capped = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 };
const narrow = { contextTokens: 200_000, inputTokens: 199_000, outputTokens: 30_000 };
const options = { auto: true, bufferTokens: 20_000, isAfterCheckpoint: false };

/** The smallest count that compacts, worked out by hand. */
const thresholds: readonly [CheckpointRuleName, string, Limits, number][] = [
  ['core-2026-06-05', 'the output', plain, 170_001],
  ['core-2026-06-05', 'the buffer over a small output', smallOutput, 180_001],
  ['core-2026-06-05', 'an output of the whole window', fullOutput, 1],
  ['core-2026-06-05', 'no input cap', capped, 272_001],
  ['core-2026-07-10', 'the output', plain, 170_000],
  ['core-2026-07-10', 'a small output, not the buffer', smallOutput, 196_000],
  ['core-2026-07-10', 'the buffer without an output', noOutput, 180_000],
  ['core-2026-07-10', 'an output of the whole window', fullOutput, 1],
  ['core-2026-07-13', 'an output under the cap', fullOutput, 168_000],
  ['core-2026-07-13', 'a small output, not the buffer', smallOutput, 196_000],
  ['core-2026-07-13', 'the buffer without an output', noOutput, 180_000],
  ['core-2026-07-13', 'no input cap', capped, 368_000],
  ['v2.0', 'the output', plain, 170_000],
  ['v2.0', 'the buffer over a small output', smallOutput, 180_000],
  ['v2.0', 'an output under the cap', fullOutput, 168_000],
  ['v2.0', 'the input cap less the buffer', capped, 252_000],
  ['v2.0', 'the window where it is the narrower', narrow, 170_000],
];

describe('isCompactionRequired', () => {
  it('has every rule in the table of this file', () => {
    expect([...new Set(thresholds.map(([rule]) => rule))]).toEqual(Object.keys(checkpointRules));
  });

  it.each(thresholds)('%s: %s', (rule, _, limits, threshold) => {
    const counts = [threshold - 1, threshold];
    const required = counts.map((tokens) =>
      isCompactionRequired(tokens, limits, { ...options, rule }),
    );
    expect(required).toEqual([false, true]);
  });

  it.each<[CheckpointRuleName, boolean]>([
    ['core-2026-06-05', true],
    ['core-2026-07-10', true],
    ['core-2026-07-13', true],
    ['v2.0', false],
  ])('%s: right after a checkpoint: %s', (rule, expected) => {
    const after = { ...options, isAfterCheckpoint: true, rule };
    expect(isCompactionRequired(999_999, plain, after)).toBe(expected);
  });

  it.each<[CheckpointRuleName, boolean]>([
    ['core-2026-06-05', false],
    ['core-2026-07-10', false],
    ['core-2026-07-13', false],
    ['v2.0', true],
  ])('%s: no tokens at all in a window as small as the buffer: %s', (rule, expected) => {
    const tiny = { contextTokens: 20_000 };
    expect(isCompactionRequired(0, tiny, { ...options, rule })).toBe(expected);
  });

  it.each(Object.keys(checkpointRules) as CheckpointRuleName[])(
    '%s: never with auto off, never without a known window',
    (rule) => {
      const off = { ...options, auto: false, rule };
      expect(isCompactionRequired(999_999, plain, off)).toBe(false);
      const unknown = { contextTokens: 0, outputTokens: 1 };
      expect(isCompactionRequired(999_999, unknown, { ...options, rule })).toBe(false);
    },
  );

  it('keeps a configured buffer free', () => {
    const wide = { ...options, bufferTokens: 60_000, rule: 'v2.0' } as const;
    expect(isCompactionRequired(139_999, plain, wide)).toBe(false);
    expect(isCompactionRequired(140_000, plain, wide)).toBe(true);
    expect(isCompactionRequired(212_000, capped, wide)).toBe(true);
  });
});

/** Entries in short: `u10` is a user's of ten tokens, `a5` another's, `-` one without text. */
const entries = (text: string): readonly CheckpointEntry[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) =>
      word === '-'
        ? { isUser: false }
        : { isUser: word.startsWith('u'), sizeTokens: Number(word.slice(1)) },
    );

describe('selectCheckpointTail', () => {
  it.each<[string, string, number | undefined]>([
    ['has nothing to compact without entries', '', undefined],
    ['has nothing to compact without texts', '- -', undefined],
    ['keeps what fits', 'u10 u60 u40', 1],
    ['keeps whole exchanges', 'u10 a10 u60 a40', 2],
    ['does not keep a sum one token larger', 'u10 a10 u61 u40', 3],
    ['keeps the newest entry whatever its size', 'u10 a10 u500', 2],
    ['goes back to the user message, however far', 'u10 a10 u100 a900 a900 a5', 2],
    ['keeps only the latest exchange where all fits', 'u1 a1 u1 a1', 2],
    ['keeps only the latest exchange where even the oldest prompt fits', 'u1 u1 a1 u1 a1', 3],
    ['counts the latest exchange among all entries', '- u1 a1 u1 a1', 3],
    ['keeps nothing of a single exchange', 'u1 a1', 2],
    ['keeps nothing where no user ever spoke', 'a1 a1 a1', 3],
    ['keeps nothing where it would go back to the start', 'u10 a900 a900', 3],
    ['counts indices among all entries', '- u10 a10 - u60 - a40', 4],
    ['counts nothing for entries without text', 'u1 - - u100', 3],
    ['returns the number of all entries where it keeps nothing', 'u1 - a1 -', 4],
  ])('%s', (_, text, expected) => {
    const tail = { keepTokens: 100, hasPreviousTail: false };
    expect(selectCheckpointTail(entries(text), tail)).toBe(expected);
  });

  it('keeps all entries of a single exchange where an older tail is left to summarise', () => {
    const tail = { keepTokens: 100, hasPreviousTail: true };
    expect(selectCheckpointTail(entries('- u1 a1'), tail)).toBe(1);
    expect(selectCheckpointTail(entries('u1 a1 u1'), tail)).toBe(2);
  });
});
