import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { toLog, writeLine } from '../../../../src/simulator/sweep/gate/log.ts';

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
    expect(toLog([turn, event]).map(writeLine)).toEqual([line]);
  });
});
