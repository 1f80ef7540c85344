import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  filterCompacted,
  isSummary,
  markerOf,
  type Message,
  type ViewRuleName,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { pivotedHistories } from '../support/arbitraries.ts';
import { marker, step, summary, user } from '../support/history.ts';

const error = { name: 'ContextOverflowError', message: 'too long' };
const head = [user('u1'), step('s1')];
const rules: readonly ViewRuleName[] = ['v1.0.69', 'v1.2.16'];

/** History, then what is visible by rule `v1.0.69`, then by rule `v1.2.16`. */
const table: readonly [string, Message[], string, string][] = [
  ['nothing is hidden without a summary', [...head, user('u2')], 'u1 s1 u2', 'u1 s1 u2'],
  [
    'a finished summary hides what precedes its marker',
    [...head, marker('m1'), summary('sum', 'm1'), user('u2')],
    'm1 sum u2',
    'm1 sum u2',
  ],
  [
    'a summary with an error and a finish hides only under the older rule',
    [...head, marker('m1'), summary('sum', 'm1', { finish: 'error', error }), user('u2')],
    'm1 sum u2',
    'u1 s1 m1 sum u2',
  ],
  [
    'a summary that never finished hides nothing',
    [...head, marker('m1'), summary('sum', 'm1', { finish: undefined }), user('u2')],
    'u1 s1 m1 sum u2',
    'u1 s1 m1 sum u2',
  ],
  [
    'a failed summary that never finished hides nothing',
    [...head, marker('m1'), summary('sum', 'm1', { finish: undefined, error })],
    'u1 s1 m1 sum',
    'u1 s1 m1 sum',
  ],
  [
    'a summary whose parent is no marker hides nothing',
    [...head, user('u2'), summary('sum', 'u2'), user('u3')],
    'u1 s1 u2 sum u3',
    'u1 s1 u2 sum u3',
  ],
  [
    'a summary whose parent is gone hides nothing',
    [...head, summary('sum', 'lost'), user('u2')],
    'u1 s1 sum u2',
    'u1 s1 sum u2',
  ],
  [
    'a marker without a summary hides nothing',
    [...head, marker('m1'), step('s2', [], { parentId: 'm1' }), user('u2')],
    'u1 s1 m1 s2 u2',
    'u1 s1 m1 s2 u2',
  ],
  [
    'the newer of two pivots counts',
    [...head, marker('m1'), summary('one', 'm1'), step('s2'), marker('m2'), summary('two', 'm2')],
    'm2 two',
    'm2 two',
  ],
  [
    'a failed second pivot leaves the first in force under the newer rule',
    [
      ...head,
      marker('m1'),
      summary('one', 'm1'),
      marker('m2'),
      summary('two', 'm2', { finish: 'error', error }),
    ],
    'm2 two',
    'm1 one m2 two',
  ],
  [
    'a user message between marker and summary stays visible',
    [...head, marker('m1'), user('queued'), summary('sum', 'm1'), user('u2')],
    'm1 queued sum u2',
    'm1 queued sum u2',
  ],
  [
    'a retried summary that names another parent hides nothing',
    [
      ...head,
      marker('m1'),
      summary('one', 'm1', { finish: undefined, error }),
      user('u2'),
      summary('two', 'u2'),
    ],
    'u1 s1 m1 one u2 two',
    'u1 s1 m1 one u2 two',
  ],
  [
    'a second summary of the same marker still starts at the marker',
    [...head, marker('m1'), summary('one', 'm1', { finish: undefined }), summary('two', 'm1')],
    'm1 one two',
    'm1 one two',
  ],
  [
    'a summary before its marker hides nothing',
    [...head, summary('sum', 'm1'), marker('m1')],
    'u1 s1 sum m1',
    'u1 s1 sum m1',
  ],
];

describe('filterCompacted', () => {
  it.each(table)('%s', (...[, history, older, newer]) => {
    const visible = rules.map((rule) =>
      filterCompacted(frozen(history), rule)
        .map(({ id }) => id)
        .join(' '),
    );
    expect(visible).toEqual([older, newer]);
  });

  it('shows an empty history as it is', () => {
    expect(filterCompacted([], 'v1.2.16')).toEqual([]);
  });

  it('meets pivots in most of the histories that the laws are checked on', () => {
    const runs = fc.sample(pivotedHistories, { numRuns: 200, seed: 1 });
    const hiding = runs.filter((history) => {
      return filterCompacted(history, 'v1.2.16').length < history.length;
    });
    expect(hiding.length / runs.length).toBeGreaterThan(0.5);
  });
});

describe.each(rules)('the view by rule %s', (rule) => {
  const holds = (law: (view: readonly Message[], history: readonly Message[]) => void) => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        law(filterCompacted(frozen(history), rule), history);
      }),
    );
  };

  it('is a suffix of the history: in order, without gaps or duplicates', () => {
    holds((view, history) => {
      expect(view).toEqual(history.slice(history.length - view.length));
    });
  });

  it('is its own view', () => {
    holds((view) => {
      expect(filterCompacted(view, rule)).toEqual(view);
    });
  });

  it('contains the newest user message, if there is one', () => {
    holds((view, history) => {
      const newest = history.findLast(({ role }) => role === 'user');
      expect(view.findLast(({ role }) => role === 'user')).toBe(newest);
    });
  });

  it('starts at a marker that a complete summary answers, wherever it hides something', () => {
    holds((view, history) => {
      const [first] = view;
      if (view.length === history.length || first === undefined) return;
      expect(view.some((message) => isPivot(first, message, rule))).toBe(true);
    });
  });

  it('shows no other marker with a complete summary, so nothing before the newest pivot', () => {
    holds((view) => {
      const answered = view.filter((first, index) =>
        view.slice(index + 1).some((message) => index > 0 && isPivot(first, message, rule)),
      );
      expect(answered).toEqual([]);
    });
  });
});

function isPivot(first: Message, message: Message, rule: ViewRuleName): boolean {
  if (markerOf(first) === undefined || !isSummary(message)) return false;
  if (message.parentId !== first.id || !message.finish) return false;
  return rule === 'v1.0.69' || message.error === undefined;
}
