import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  filterCompacted,
  isSummary,
  markerOf,
  type Message,
  type ViewRuleName,
  viewRules,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { longHistories } from '../../support/arbitraries.ts';
import { anyHistories } from '../../support/tailed-histories.ts';

const ruleNames = Object.keys(viewRules) as readonly ViewRuleName[];

/** Rules that start at a summary and hide the user messages before it, or that count messages only. */
const HIDES_NEWEST: readonly ViewRuleName[] = [
  'v0.8.0',
  'v1.0.40',
  'v2.0',
  'document-004',
  'marker-first',
  'rolling-window',
];
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);
const isSole = (view: readonly Message[]) => view.filter(isSummary).length === 1;

describe.each(ruleNames)('the view by rule %s', (rule) => {
  const source = rule === 'rolling-window' ? longHistories : anyHistories;
  const holds = (law: (view: readonly Message[], history: readonly Message[]) => void) => {
    fc.assert(
      fc.property(source, (history) => {
        const view = filterCompacted(frozen(history), rule);
        fc.pre(view.length < history.length);
        law(view, history);
      }),
      { numRuns: 200 },
    );
  };

  const isRearranged = ['v1.14.40', 'document-004', 'marker-first'].includes(rule);
  const name = isRearranged ? ', where its tail holds no older pivot' : '';

  it(`is its own view${name}`, () => {
    holds((view) => {
      fc.pre(!isRearranged || isSole(view));
      expect(ids(filterCompacted(view, rule))).toEqual(ids(view));
    });
  });

  it('shows no message twice, and none that is not in the history', () => {
    holds((view, history) => {
      expect(new Set(view).size).toBe(view.length);
      expect(new Set(ids(view)).size).toBe(view.length);
      expect(view.filter((message) => !history.includes(message))).toEqual([]);
    });
  });

  it.skipIf(HIDES_NEWEST.includes(rule))('contains the newest user message', () => {
    holds((view, history) => {
      expect(view).toContain(history.findLast(({ role }) => role === 'user'));
    });
  });

  it('contains whatever is newer than the newest summary', () => {
    holds((view, history) => {
      const newer = history.slice(history.findLastIndex(isSummary) + 1);
      const shown = rule === 'rolling-window' ? newer.slice(-view.length) : newer;
      expect(view).toEqual(expect.arrayContaining([...shown]));
    });
  });

  // What these rules keep may begin with an older pivot, behind which stands what that one kept.
  it.skipIf(rule === 'rolling-window')('shows nothing before the newest pivot and its tail', () => {
    holds((view, history) => {
      fc.pre(!['document-004', 'marker-first'].includes(rule) || isSole(view));
      const start = pivotStart(history, rule);
      expect(view.filter((message) => history.indexOf(message) < start)).toEqual([]);
    });
  });
});

/** Where the newest pivot that a rule accepts, or the tail that it keeps, begins. */
function pivotStart(history: readonly Message[], rule: ViewRuleName): number {
  if (rule === 'v0.8.0' || rule === 'v1.0.40') return Math.max(0, history.findLastIndex(isSummary));
  const isComplete = (message: Message): message is AssistantMessage =>
    isSummary(message) &&
    Boolean(message.finish) &&
    (rule === 'v1.0.69' || message.error === undefined);
  const newest = history.findLastIndex(isComplete);
  if (rule === 'v2.0') return Math.max(0, newest);
  const markerIndex =
    rule === 'document-004'
      ? history.findIndex(({ id }) => id === (history[newest] as AssistantMessage).parentId)
      : history.findLastIndex(
          (message, index) =>
            markerOf(message) !== undefined &&
            history
              .slice(index)
              .some((other) => isComplete(other) && other.parentId === message.id),
        );
  const keepsTail = rule !== 'v1.0.69' && rule !== 'v1.2.16';
  const marker = history[markerIndex];
  const tailStartId = marker && keepsTail ? markerOf(marker)?.tailStartId : undefined;
  if (tailStartId !== undefined) return history.findIndex(({ id }) => id === tailStartId);
  return rule === 'document-004' ? newest : Math.max(0, markerIndex);
}
