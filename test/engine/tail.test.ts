import { describe, expect, it } from 'vitest';
import {
  type Message,
  preserveBudget,
  selectTail,
  type TailOptions,
  tailRules,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { marker, step, user } from '../support/history.ts';

/** Messages by id: `u` a user, `a` an assistant, `m` a marker; the number is the size in tokens. */
const build = (text: string): readonly Message[] =>
  text.split(' ').map((word) => {
    const id = word.split(':')[0] ?? '';
    if (id.startsWith('u')) return user(id);
    return id.startsWith('m') ? marker(id) : step(id);
  });
const select = (text: string, options: Partial<TailOptions> = {}) => {
  const sizes = new Map(text.split(' ').map((word) => word.split(':') as [string, string]));
  const sizeOf = (slice: readonly Message[]) =>
    slice.reduce((sum, { id }) => sum + Number(sizes.get(id)), 0);
  return selectTail(
    frozen(build(text)),
    { budgetTokens: 100, turns: 2, splitsTurns: true, ...options },
    sizeOf,
  );
};

describe('selectTail', () => {
  it.each<[string, string, Partial<TailOptions>, string | undefined]>([
    ['keeps the two newest turns', 'u1:9 u2:10 a2:40 u3:10 a3:40', {}, 'u2'],
    ['keeps a sum as large as the budget', 'u1:9 u2:50 u3:50', {}, 'u2'],
    ['does not keep a sum one token larger', 'u1:9 u2:51 u3:50', {}, 'u3'],
    ['keeps no more turns than it may', 'u1:1 u2:1 u3:1', { turns: 1 }, 'u3'],
    ['keeps no turns if it may keep 0', 'u1:1 u2:1 u3:1', { turns: 0 }, undefined],
    ['keeps no turns of a longer history if it may keep 0', 'a0:1 u1:1', { turns: 0 }, undefined],
    ['keeps all turns that fit if it may', 'u0:99 u1:30 u2:30 u3:30', { turns: Infinity }, 'u1'],
    ['keeps nothing if that is everything', 'u1:10 a1:10 u2:10', {}, undefined],
    ['keeps what follows messages before the first turn', 'a0:1 u1:10 u2:10', {}, 'u1'],
    ['counts a marker to the turn in which it stands', 'u1:9 u2:9 m2:9 a2:9 u3:9', {}, 'u2'],
    ['cuts the turn that no longer fits', 'u1:9 u2:10 a2:80 b2:30 c2:20 u3:50', {}, 'b2'],
    ['cuts the newest turn', 'u1:9 u2:10 a2:80 b2:90 c2:20', {}, 'c2'],
    ['takes the longest end that fits', 'u1:9 u2:101 a2:40 b2:40 c2:20', {}, 'a2'],
    ['never starts a cut at the prompt of the turn', 'u1:9 u2:60 a2:50', {}, 'a2'],
    ['cuts nothing off a turn of one message', 'u1:9 u2:101', {}, undefined],
    ['keeps the newer turns where the older cannot be cut', 'u1:9 u2:1 a2:90 u3:50', {}, 'u3'],
    ['cuts nothing where nothing is left of the budget', 'u1:9 u2:9 a2:0 u3:100', {}, 'u3'],
    ['does not look past a turn that it cut', 'u1:1 u2:99 a2:9 u3:50', { turns: 3 }, 'a2'],
    [
      'does not look past a turn that it could not cut',
      'u0:1 u1:1 u2:99 u3:50',
      { turns: 4 },
      'u3',
    ],
    ['may cut the first turn', 'u1:90 a1:20 u2:50', {}, 'a1'],
    ['has no tail without turns', 'a1:1 a2:1', {}, undefined],
    [
      'keeps no part of a turn where turns are not cut',
      'u1:9 u2:10 a2:80 b2:90 c2:20',
      { splitsTurns: false },
      undefined,
    ],
    [
      'keeps the newer turn where turns are not cut',
      'u1:9 u2:10 a2:80 b2:20 u3:50',
      { splitsTurns: false },
      'u3',
    ],
    ['keeps turns of no size with a budget of 0', 'u1:9 u2:0 u3:0', { budgetTokens: 0 }, 'u2'],
  ])('%s', (_, text, options, startId) => {
    const tail = select(text, options);
    expect(tail?.startId).toBe(startId);
    expect(tail?.startIndex).toBe(
      startId === undefined ? undefined : build(text).findIndex(({ id }) => id === startId),
    );
  });

  it('has no tail of nothing', () => {
    const options = { ...tailRules['v1.18.17'], budgetTokens: 100 };
    expect(selectTail([], options, () => 0)).toBeUndefined();
  });
});

describe('preserveBudget', () => {
  it.each<[string, number, number, number | undefined, number]>([
    ['a quarter of what is usable', 20_000, 8_000, undefined, 5_000],
    ['rounded down', 9_999, 8_000, undefined, 2_499],
    ['no more than the maximum', 168_000, 8_000, undefined, 8_000],
    ['no more than the newer maximum', 168_000, 15_000, undefined, 15_000],
    ['no less than the minimum', 4_000, 8_000, undefined, 2_000],
    ['the minimum of nothing', 0, 8_000, undefined, 2_000],
    ['what is configured, below the minimum', 168_000, 8_000, 100, 100],
    ['what is configured, above the maximum', 168_000, 8_000, 90_000, 90_000],
    ['a configured 0', 168_000, 8_000, 0, 0],
  ])('is %s', (_, usableTokens, maximumBudgetTokens, preserveRecentTokens, expected) => {
    const options = { maximumBudgetTokens, preserveRecentTokens };
    expect(preserveBudget(usableTokens, options)).toBe(expected);
  });
});
