import { describe, expect, it } from 'vitest';
import { parseAxes } from '../../../../src/simulator/sweep/grid/axes.ts';
import { watchKnobs } from '../../../../src/simulator/sweep/summary/knobs.ts';
import { createPartition } from '../../../../src/simulator/sweep/summary/partition.ts';

const axes = parseAxes(['reserved=1,2', 'protect=1,2,3']);
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('watchKnobs', () => {
  it.each<[string, readonly (readonly string[])[], readonly string[], readonly string[]]>([
    ['that changes nothing anywhere', [['x', 'x', 'x', 'x', 'x', 'x']], KEYS, ['none', 'none']],
    ['that changes runs', [['x', 'x', 'x', 'y', 'y', 'y']], KEYS, ['some', 'none']],
    ['that changes the last cell only', [['x', 'x', 'x', 'x', 'x', 'y']], KEYS, ['some', 'some']],
    [
      'that changes one session of several',
      [
        ['x', 'x', 'x', 'x', 'x', 'x'],
        ['x', 'y', 'z', 'x', 'y', 'z'],
      ],
      KEYS,
      ['none', 'some'],
    ],
    [
      'that nothing reads',
      [['x', 'y', 'z', 'x', 'y', 'z']],
      ['a', 'b', 'c', 'a', 'b', 'c'],
      ['unread', 'some'],
    ],
    [
      'of which no two runs can be compared',
      [['x', '', '', '', 'y', '']],
      KEYS,
      ['unknown', 'unknown'],
    ],
    [
      'that changes runs where its first value was not run',
      [
        ['x', 'x', 'x', 'x', 'x', 'x'],
        ['', 'x', 'y', '', 'x', 'y'],
      ],
      KEYS,
      ['none', 'some'],
    ],
    ['without any session', [], KEYS, ['unknown', 'unknown']],
  ])('tells a setting %s', (_, sessions, keys, effects) => {
    const watch = watchKnobs(axes);
    for (const digests of sessions) watch.add(digests);
    expect(watch.effects(keys)).toEqual(effects);
  });

  it('says nothing of a setting with one value', () => {
    const watch = watchKnobs(parseAxes(['reserved=1']));
    watch.add(['x']);
    expect(watch.effects(['a'])).toEqual(['unknown']);
  });
});

describe('createPartition', () => {
  it('keeps together what never differs', () => {
    const partition = createPartition(4);
    partition.add(['x', 'x', 'y', 'x']);
    partition.add(['1', '1', '1', '2']);
    expect(partition.firstAlike()).toEqual([0, 0, 2, 3]);
  });

  it('never puts together again what once differed', () => {
    const partition = createPartition(2);
    partition.add(['x', 'y']);
    partition.add(['z', 'z']);
    expect(partition.firstAlike()).toEqual([0, 1]);
  });
});
