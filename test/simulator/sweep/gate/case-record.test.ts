import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { mergeRepeat, toLog } from '../../../../src/simulator/sweep/gate/case-record.ts';
import { checked } from './checked.ts';

describe('a scenario that was run again', () => {
  it('fails once where it did something else, however often', async () => {
    const result = await checked();
    const [run] = result.runs;
    const other = { ...result, runs: [{ ...run!, events: run!.events.slice(1) }] };
    expect(run!.at).toEqual({ line: 5, column: 9 });
    const merged = mergeRepeat(mergeRepeat(result, other), other);
    expect(merged.passed).toBe(false);
    expect(merged.runs[0]?.failures).toEqual([
      {
        ...run!.at,
        expected: 'the same events with the same seed every time',
        got: 'others',
      },
    ]);
  });

  it('fails where one of its runs did something else, and the others the same', async () => {
    const [run] = (await checked()).runs;
    const result = { ...(await checked()), runs: [run!, { ...run!, name: 'second' }] };
    const other = { ...run!, events: run!.events.slice(1) };
    const merged = mergeRepeat(result, { ...result, runs: [run!, { ...other, name: 'second' }] });
    expect(merged.passed).toBe(false);
    expect(merged.runs.map(({ failures }) => failures.length)).toEqual([0, 1]);
  });
});

const pruned = {
  type: 'prune-end',
  partIds: ['a', 'b'],
  estimatedTokens: 1_234,
  prunedTokens: 0,
  survivingTokens: 0,
} as const;

const turn = { type: 'turn-start', turn: 1 } as const;

describe('the log of a run', () => {
  it.each<[line: string, event: RunEvent]>([
    [
      'overflow after-step, believed 168,000 of 167,000 usable',
      { type: 'overflow', path: 'after-step', countTokens: 168_000, usableTokens: 167_000 },
    ],
    ['overflow refused', { type: 'overflow', path: 'refused' }],
    [
      'pruned 2 parts, 1,000 gone, believed 1,234',
      { ...pruned, state: 'fired', prunedTokens: 1_000 },
    ],
    ['left 2 parts below the minimum, believed 1,234', { ...pruned, state: 'below-minimum' }],
    ['pruned nothing', { ...pruned, state: 'nothing' }],
    ['1 part gone by pivot', { type: 'eviction', by: 'pivot', parts: 1 }],
    ['stale-kept, tokens 12', { type: 'stale-kept', tokens: 12 }],
  ])('has the line %s', (line, event) => {
    expect(toLog([turn, event]).map(({ text }) => text)).toEqual([line]);
  });
});
