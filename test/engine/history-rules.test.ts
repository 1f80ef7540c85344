import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grow, type List, toArray } from '../../src/engine/history.ts';
import {
  type ByAgeOptions,
  DEFAULT_BY_AGE,
  filterCompacted,
  type Message,
  planByAge,
  policies,
  type PrunePlan,
  readLatest,
  type ViewRuleName,
  viewRules,
} from '../../src/engine/index.ts';
import { judgeByAge } from '../../src/engine/prune/scan.ts';
import { sortByTime, viewInTime, viewUnder } from '../../src/engine/view.ts';
import { pivotedHistories, toolHistories } from '../support/arbitraries.ts';
import { marker, step, summary, user } from '../support/history.ts';
import { assertReaching } from '../support/reaching.ts';

const histories = fc.oneof(pivotedHistories, toolHistories);
const { estimator } = policies['opencode-1.2.16'];
const rules = Object.keys(viewRules) as ViewRuleName[];

/** A history as it grows, with what came before each message. */
function* growing(history: readonly Message[]) {
  let list: List<Message> = [];
  for (const [index, message] of history.entries()) {
    list = grow(list, message);
    yield { list, plain: history.slice(0, index + 1) };
  }
}

describe('what follows a growing history', () => {
  it.each(rules)('is the view that the rule makes of all of it: %s', (rule) => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { list, plain } of growing(history)) {
          const view = viewRules[rule](plain);
          expect(toArray(viewUnder(list, { view: rule }))).toEqual(view);
          expect(filterCompacted(plain, rule)).toEqual(view);
          const inTime = view === plain ? plain : sortByTime(view, plain);
          expect(toArray(viewInTime(list, { view: rule }))).toEqual(inTime);
        }
      }),
    );
  });

  it('is rearranged where a second pivot keeps all that the first one left', () => {
    const kept = user('m2', { type: 'compaction', id: 'm2-0', auto: true, tailStartId: 'm1' });
    const first = [user('u1'), step('s1'), marker('m1'), summary('x1', 'm1'), user('u2')];
    for (const { list, plain } of growing([...first, step('s2'), kept, summary('x2', 'm2')])) {
      expect(toArray(viewUnder(list, { view: 'v1.14.40' }))).toEqual(viewRules['v1.14.40'](plain));
    }
  });

  it('are the newest messages that a look at all of it finds', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { list, plain } of growing(history)) {
          const latest = readLatest(list);
          expect(latest.user).toBe(plain.findLast(({ role }) => role === 'user'));
          expect(latest.assistant).toBe(plain.findLast(({ role }) => role === 'assistant'));
          expect(latest.finished).toBe(
            plain.findLast((message) => message.role === 'assistant' && Boolean(message.finish)),
          );
        }
      }),
    );
  });
});

/** What the whole scan chooses. */
function planByScan(history: readonly Message[], options: ByAgeOptions): PrunePlan {
  const chosen: { readonly id: string; readonly tokens: number }[] = [];
  for (const judged of judgeByAge(history, options, estimator)) {
    if (judged.type === 'end' && judged.givesUp)
      return { state: 'nothing', partIds: [], estimatedTokens: 0 };
    if (judged.type === 'end') break;
    if (judged.verdict === 'beyond-protect')
      chosen.push({ id: judged.part.id, tokens: judged.tokens ?? 0 });
  }
  const estimatedTokens = chosen.reduce((total, { tokens }) => total + tokens, 0);
  const fires = estimatedTokens > options.minimumTokens ? 'fire' : 'below-minimum';
  return {
    state: chosen.length === 0 ? 'nothing' : fires,
    partIds: chosen.map(({ id }) => id),
    estimatedTokens,
  };
}

describe('a prune by age', () => {
  const options = fc.record({
    protectTokens: fc.nat(30),
    minimumTokens: fc.nat(10),
    guardTurns: fc.nat(3),
    protectedTools: fc.constantFrom([], DEFAULT_BY_AGE.protectedTools),
    skipNewestMessages: fc.nat(2),
    atSummary: fc.constantFrom('stop' as const, 'abort' as const),
    summaryInGuard: fc.constantFrom('pass' as const, 'stop' as const),
    atCleared: fc.constantFrom('stop' as const, 'next-message' as const, 'go-on' as const),
  });

  it('chooses what a scan of the whole history chooses', () => {
    let chosen = 0;
    assertReaching(
      fc.property(histories, options, (history, rule) => {
        for (const { list, plain } of growing(history)) {
          const expected = planByScan(plain, rule);
          chosen += expected.partIds.length;
          expect(planByAge(list, rule, estimator)).toEqual(expected);
          expect(planByAge(plain, rule, estimator)).toEqual(expected);
        }
      }),
    );
    expect(chosen).toBeGreaterThan(0);
  });
});
