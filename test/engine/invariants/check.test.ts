import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyPrune,
  checkPrune,
  checkRequest,
  createRequestChecker,
  filterCompacted,
  isSummary,
  planByAge,
  type ViewRuleName,
  viewRules,
} from '../../../src/engine/index.ts';
import {
  byAgeOptions,
  longHistories,
  pivotedHistories,
  toolHistories,
} from '../../support/arbitraries.ts';
import { step, tool } from '../../support/history.ts';
import { withTails } from '../../support/tailed-histories.ts';
import { outputs, stateOf, u1 } from './examples/situations.ts';

const ruleNames = Object.keys(viewRules) as readonly ViewRuleName[];
const anyHistories = fc.oneof(pivotedHistories, withTails(pivotedHistories));

describe('checkRequest', () => {
  it.each(ruleNames)('finds nothing in what the view rule %s shows', (rule) => {
    const sessions = rule === 'rolling-window' ? longHistories : anyHistories;
    fc.assert(
      fc.property(sessions, (history) => {
        const view = filterCompacted(history, rule);
        fc.pre(view.length < history.length);
        // What an earlier pivot had kept may be kept again, behind the summary of that one.
        const isKeptTwice =
          ['document-004', 'marker-first'].includes(rule) && view.filter(isSummary).length > 1;
        const known = isKeptTwice ? ['nothing-before-the-pivot', 'ordered-by-time'] : [];
        const found = checkRequest({ state: stateOf(history), view });
        expect(found.filter(({ law }) => !known.includes(law))).toEqual([]);
      }),
    );
  });

  it('finds the same bit by bit as at once, in any history', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const check = createRequestChecker();
        const twice = [...history, ...history.slice(0, 1)];
        const bits = twice.flatMap((_, index) =>
          check({ state: stateOf(history), view: twice.slice(0, index + 1) }),
        );
        const atOnce = checkRequest({ state: stateOf(history), view: twice });
        expect(bits.map(({ law }) => law)).toEqual(
          expect.arrayContaining(atOnce.map(({ law }) => law)),
        );
      }),
    );
  });
});

describe('checkPrune', () => {
  it('finds nothing in what the pass by age does', () => {
    fc.assert(
      fc.property(toolHistories, byAgeOptions, (before, options) => {
        const estimator = { charsPerToken: 4, rounding: 'round' } as const;
        const plan = planByAge(before, options, estimator);
        fc.pre(plan.state === 'fire');
        const after = applyPrune(before, plan, 9);
        expect(checkPrune({ before, after, plan, isEnabled: true, options, estimator })).toEqual(
          [],
        );
      }),
    );
  });

  it('sees that a plan which fires changed nothing', () => {
    const history = [u1];
    const found = checkPrune({
      before: history,
      after: history,
      plan: { state: 'fire', partIds: ['t1'], estimatedTokens: 1 },
      isEnabled: true,
      options: { guardTurns: 0, protectedTools: [], minimumTokens: 0 },
      estimator: { charsPerToken: 4, rounding: 'round' },
    });
    expect(found.map(({ law }) => law)).toEqual(['prune-clears-what-it-planned']);
  });

  it('takes no output for cleared by a pass that was so before, whoever made it anew', () => {
    const history = [u1, step('s1', [tool('t1', 9, { compactedAt: 1 })])];
    const found = checkPrune({
      before: history,
      after: structuredClone(history),
      plan: { state: 'nothing', partIds: [], estimatedTokens: 0 },
      isEnabled: false,
      options: { guardTurns: 0, protectedTools: [], minimumTokens: 0 },
      estimator: { charsPerToken: 4, rounding: 'round' },
    });
    expect(found).toEqual([]);
  });

  it('sees a cleared output in a message that a pass has put behind the others', () => {
    const estimator = { charsPerToken: 4, rounding: 'round' } as const;
    const plan = { state: 'nothing', partIds: [], estimatedTokens: 0 } as const;
    const added = outputs('s2', tool('t2', 'b', { compactedAt: 1 }));
    const found = checkPrune({
      before: [u1],
      after: [u1, added],
      plan,
      isEnabled: true,
      options: { guardTurns: 0, protectedTools: [], minimumTokens: 0 },
      estimator,
    });
    expect(found.map(({ law }) => law)).toContain('prune-clears-what-it-planned');
  });
});
