import { describe, expect, it } from 'vitest';
import { describeMissing } from '../../../../src/simulator/sweep/store/shard.ts';

describe('describeMissing', () => {
  it.each<[string, readonly number[], number, string | undefined]>([
    ['nothing of what is whole', [2, 1], 2, undefined],
    ['the one that is missing', [1, 3], 3, 'shard 2 of 3 is missing'],
    ['several', [2], 3, 'shards 1 and 3 of 3 are missing'],
    ['no more than a few of many', [5], 9, 'shards 1, 2, 3, 4, 6 and 3 more of 9 are missing'],
  ])('names %s', (_, present, count, expected) => {
    expect(describeMissing(present, count)).toBe(expected);
  });
});
