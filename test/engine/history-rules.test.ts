import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grow, type List, toArray } from '../../src/engine/history.ts';
import {
  filterCompacted,
  type Message,
  readLatest,
  type ViewRuleName,
  viewRules,
} from '../../src/engine/index.ts';
import { sortByTime, viewInTime, viewUnder } from '../../src/engine/view.ts';
import { pivotedHistories, toolHistories } from '../support/arbitraries.ts';
import { marker, step, summary, user } from '../support/history.ts';

const histories = fc.oneof(pivotedHistories, toolHistories);
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
    for (const { list, plain } of growing([...first, step('s2'), kept, summary('x2', 'm2')]))
      expect(toArray(viewUnder(list, { view: 'v1.14.40' }))).toEqual(viewRules['v1.14.40'](plain));
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
