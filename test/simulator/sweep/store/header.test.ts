import { describe, expect, it } from 'vitest';
import { describeMissing, parseShard } from '../../../../src/simulator/sweep/store/header.ts';

describe('parseShard', () => {
  it.each<[string, number, number]>([
    ['1/1', 1, 1],
    [' 2/3 ', 2, 3],
    ['3/3', 3, 3],
    ['100000/100000', 100_000, 100_000],
  ])('reads %j', (text, index, count) => {
    expect(parseShard(text)).toEqual({ index, count });
  });

  it.each<[string, string]>([
    ['', 'like 1/4'],
    ['1', 'like 1/4'],
    ['-1/2', 'like 1/4'],
    ['3/2', 'like 1/4, its first number from 1 to 2'],
    ['0/2', 'like 1/4, its first number from 1 to 2'],
    ['0/0', 'like 1/4, its second number from 1 to 100000'],
    ['1/100001', 'like 1/4, its second number from 1 to 100000'],
    ['1/99999999999', 'like 1/4, its second number from 1 to 100000'],
  ])('says which bound %j breaks', (text, expected) => {
    expect(() => parseShard(text)).toThrow(`Expected '--shard' to be ${expected}, got '${text}'.`);
  });
});

describe('describeMissing', () => {
  it.each<[string, readonly number[], number, string | undefined]>([
    ['nothing of what is whole', [2, 1], 2, undefined],
    ['the one that is missing', [1, 3], 3, 'shard 2 of 3 is missing'],
    ['several', [2], 3, 'shards 1 and 3 of 3 are missing'],
    ['no more than a few of many', [5], 9, 'shards 1, 2, 3, 4, 6 and 3 more of 9 are missing'],
    [
      'what a file says that there is',
      [7],
      1e15,
      'shards 1, 2, 3, 4, 5 and 999999999999994 more of 1000000000000000 are missing',
    ],
    ['one that is none for no other', [1, 5], 2, 'shard 2 of 2 is missing'],
  ])('names %s', (_, present, count, expected) => {
    expect(describeMissing(present, count)).toBe(expected);
  });
});
