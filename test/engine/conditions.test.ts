import { describe, expect, it } from 'vitest';
import {
  checkOverflow,
  type CountUnit,
  explainOverflow,
  type Limits,
  type TriggerCondition,
} from '../../src/engine/index.ts';
import { usage } from '../support/history.ts';

type Lists = readonly (readonly TriggerCondition[])[];

const LIMITS: Limits = { contextTokens: 1_000 };
const tokens = (atLeast: number): TriggerCondition => ({ unit: 'tokens', atLeast });
const messages = (atLeast: number): TriggerCondition => ({ unit: 'messages', atLeast });
const events = (atLeast: number): TriggerCondition => ({ unit: 'events', atLeast });
const share = (atLeast: number): TriggerCondition => ({ unit: 'share', atLeast });
const usable: TriggerCondition = { unit: 'usable' };

const check = (
  anyOf: Lists,
  input: number,
  options: {
    readonly counts?: Readonly<Record<CountUnit, number>>;
    readonly limits?: Limits;
    readonly windowShare?: number;
  } = {},
) => {
  const { limits = LIMITS, counts = counted(0).counts, windowShare } = options;
  const rule = 'above-window' as const;
  return checkOverflow(usage({ input }), limits, {
    rule,
    anyOf,
    counts,
    windowShare,
    outputCapTokens: 32_000,
  });
};

const counted = (count: number) => ({
  counts: { messages: count, events: count, turns: count },
});

describe('a trigger with conditions', () => {
  it.each<[string, Lists, number, number, boolean]>([
    ['all of a list must hold: tokens alone', [[tokens(400), messages(10)]], 500, 3, false],
    ['all of a list must hold: messages alone', [[tokens(400), messages(10)]], 100, 20, false],
    ['all of a list must hold: both', [[tokens(400), messages(10)]], 400, 10, true],
    ['one list is enough: the first', [[tokens(400)], [messages(50)]], 400, 1, true],
    ['one list is enough: the second', [[tokens(400)], [messages(50)]], 1, 50, true],
    ['one list is enough: neither', [[tokens(400)], [messages(50)]], 399, 49, false],
    ['a share of the window', [[share(0.8)]], 800, 0, true],
    ['less than that share', [[share(0.8)]], 799, 0, false],
    ['the rule itself, which compares in its own way: reached', [[usable]], 1_000, 0, false],
    ['the rule itself, which compares in its own way: passed', [[usable]], 1_001, 0, true],
    ['events', [[events(81)]], 0, 81, true],
    ['a list that asks for nothing', [[]], 5_000, 500, false],
    ['no list', [], 5_000, 500, false],
  ])('%s', (_, anyOf, input, count, expected) => {
    expect(check(anyOf, input, counted(count)).isOverflow).toBe(expected);
  });

  it('says of each condition what was compared', () => {
    const { conditions } = check([[tokens(400), messages(10)], [usable]], 500, counted(3));
    expect(conditions).toEqual([
      [
        { unit: 'tokens', count: 500, limit: 400, comparison: '>=', isMet: true },
        { unit: 'messages', count: 3, limit: 10, comparison: '>=', isMet: false },
      ],
      [{ unit: 'usable', count: 500, limit: 1_000, comparison: '>', isMet: false }],
    ]);
  });

  it.each<[string, Lists, number]>([
    ['the least that a list needs', [[tokens(400)], [share(0.3)]], 300],
    ['the most that one list needs', [[tokens(400), share(0.3), messages(2)]], 400],
    ['the rule where no condition is about tokens', [[messages(2)]], 1_000],
  ])('has as usable tokens %s', (_, anyOf, expected) => {
    expect(check(anyOf, 0).usableTokens).toBe(expected);
  });

  it('takes a share that was set for every number of tokens, but for no number of messages', () => {
    const set = { ...counted(5), windowShare: 0.5 };
    const lists: Lists = [[tokens(400), messages(5)]];
    expect([499, 500].map((input) => check(lists, input, set).isOverflow)).toEqual([false, true]);
    expect(check(lists, 500, { ...set, ...counted(4) }).isOverflow).toBe(false);
    expect(check(lists, 0, set).usableTokens).toBe(500);
  });

  it('never holds by a window that is not known, and does by other numbers', () => {
    const limits = { contextTokens: 0 };
    const lists: Lists = [[share(0.1)], [usable], [tokens(400)], [messages(3)]];
    const met = ({ conditions = [] }: ReturnType<typeof check>) =>
      conditions.map(([only]) => only?.isMet);
    expect(met(check(lists, 400, { limits, ...counted(3) }))).toEqual([false, false, true, true]);
  });

  it.each<[Lists, boolean]>([
    [[[share(0.8)], [usable]], true],
    [[[share(0.8), messages(3)]], true],
    [[[share(0.8)], [messages(3)]], false],
  ])('is unlimited without a window only where each list needs one: %j', (anyOf, expected) => {
    const options = { rule: 'window', anyOf, outputCapTokens: 32_000 } as const;
    const limits = { contextTokens: 0 };
    expect(explainOverflow(usage(), limits, options).isUnlimited).toBe(expected);
  });
});
