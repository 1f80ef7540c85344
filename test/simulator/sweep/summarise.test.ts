import { describe, expect, it } from 'vitest';
import { parseAxes } from '../../../src/simulator/sweep/grid.ts';
import {
  collectFailures,
  createPartition,
  watchKnobs,
} from '../../../src/simulator/sweep/summarise.ts';

const row = (session: string, reason?: string, state: 'failed' | 'refused' = 'failed') => ({
  state,
  session,
  cell: `cell of ${session}`,
  ...(reason !== undefined && { reason }),
});

it('counts failed runs by reason, the most frequent first, each with where it came first', () => {
  const failures = collectFailures();
  for (const one of [
    row('a', 'broken'),
    row('b', 'late'),
    row('c', 'too large', 'refused'),
    row('d', 'late'),
    row('e'),
  ])
    failures.add(one);
  expect(failures.found()).toEqual([
    { reason: 'late', times: 2, session: 'b', cell: 'cell of b' },
    { reason: 'broken', times: 1, session: 'a', cell: 'cell of a' },
    { reason: 'no reason given', times: 1, session: 'e', cell: 'cell of e' },
  ]);
});

it('keeps no more than twenty reasons, however many runs fail', () => {
  const failures = collectFailures();
  for (let index = 0; index < 1000; index++) failures.add(row(`s${index}`, `step ${index}`));
  failures.add(row('again', 'step 3'));
  expect(failures.found()).toHaveLength(20);
  expect(failures.found()[0]).toMatchObject({ reason: 'step 3', times: 2, session: 's3' });
});

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
