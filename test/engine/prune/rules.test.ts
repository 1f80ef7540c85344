import { describe, expect, it } from 'vitest';
import {
  isPruneOn,
  type Message,
  planByAge,
  type PruneRuleName,
  pruneRules,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { step, summary, tool, user } from '../../support/history.ts';

const ESTIMATOR = { charsPerToken: 4, rounding: 'round' } as const;
const rules = Object.keys(pruneRules) as PruneRuleName[];
const big = (id: string, options = {}) => step(`step-${id}`, [tool(id, 300_000, options)]);

/** A history, and what each rule clears of it, in the order of the rules. */
const table: readonly [string, readonly Message[], string[]][] = [
  [
    'the turn guard is the second rule’s; the first only leaves the newest message alone',
    [user('u1'), big('old'), user('u2'), big('previous'), user('u3'), big('newest')],
    ['previous old', 'old', 'old', 'old'],
  ],
  [
    'a summary gives up the whole pass under the first rule',
    [summary('s', 'u0'), big('old'), user('u1'), user('u2')],
    ['', 'old', 'old', 'old'],
  ],
  [
    'a cleared output before the summary ends the pass in time',
    [summary('s', 'u0'), big('cleared', { compactedAt: 1 }), big('old'), user('u1'), user('u2')],
    ['old', 'old', 'old', 'old'],
  ],
  [
    'skills are cleared until the third rule',
    [big('skill', { tool: 'skill' }), big('old'), user('u1'), user('u2')],
    ['old skill', 'old skill', 'old', 'old'],
  ],
  [
    'a cleared skill ends the scan until the third rule',
    [big('old'), big('skill', { tool: 'skill', compactedAt: 1 }), user('u1'), user('u2')],
    ['', '', 'old', 'old'],
  ],
  [
    'the newest message is none of the first rule’s, whatever it is',
    [big('only')],
    ['', '', '', ''],
  ],
];

describe('pruneRules', () => {
  it.each(table)('%s', (_, history, expected) => {
    const cleared = rules.map((rule) => {
      const plan = planByAge(frozen(history), pruneRules[rule].byAge, ESTIMATOR);
      return plan.state === 'fire' ? plan.partIds.join(' ') : '';
    });
    expect(cleared).toEqual(expected);
  });

  it('a pass that a summary gave up has nothing, not even a smaller saving', () => {
    const history = [summary('s', 'u0'), big('old'), user('u1')];
    expect(planByAge(history, pruneRules['v0.9.5'].byAge, ESTIMATOR)).toEqual({
      state: 'nothing',
      partIds: [],
      estimatedTokens: 0,
    });
  });

  it('run without being asked until the last rule', () => {
    expect(rules.map((rule) => isPruneOn(rule, undefined))).toEqual([true, true, true, false]);
    expect(rules.map((rule) => isPruneOn(rule, true))).toEqual([true, true, true, true]);
    expect(rules.map((rule) => isPruneOn(rule, false))).toEqual([false, false, false, false]);
  });
});
