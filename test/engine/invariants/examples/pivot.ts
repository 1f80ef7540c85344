import { checkPivot, type PivotFacts, type PivotSizes } from '../../../../src/engine/index.ts';
import { file, step, text, user } from '../../../support/history.ts';
import {
  byHand,
  c1,
  c2,
  continued,
  type Counterexample,
  type Example,
  failed,
  type History,
  keeping,
  s1,
  s2,
  stateOf,
  summarising,
  u1,
  u2,
  x1,
  x2,
} from './situations.ts';

const pivoted = (before: History, after: History, outcome: PivotFacts['outcome'] = 'compacted') =>
  checkPivot({ before: summarising(before), after: stateOf(after), outcome });
const sized = (sizes: PivotSizes, outcome: PivotFacts['outcome'] = 'compacted') =>
  checkPivot({ before: summarising([s1, c1]), after: stateOf([s1, c1, x1]), outcome, sizes });

/** Situations in which the laws hold. */
export const holding: readonly Example[] = [
  [
    'newest-request-visible',
    'it is replayed without what a program had added',
    pivoted(
      [user('u1', 'fix', text('t', 'a file', { synthetic: true })), c1],
      [u1, c1, x1, user('r1', 'fix')],
    ),
  ],
  ['usable-above-floor', 'one token is left', sized({ usableTokens: 11, floorTokens: 10 })],
  ['usable-above-floor', 'the floor is unknown', sized({ usableTokens: 0 })],
  ['usable-above-floor', 'what is usable is unknown', sized({ floorTokens: 10 })],
  [
    'pivot-lowers-context',
    'one token goes',
    sized({ contextBeforeTokens: 10, contextAfterTokens: 9 }),
  ],
  ['pivot-lowers-context', 'the size before is unknown', sized({ contextAfterTokens: 9 })],
  ['pivot-lowers-context', 'the size after is unknown', sized({ contextBeforeTokens: 9 })],
  [
    'pivot-lowers-context',
    'the summary failed',
    sized({ contextBeforeTokens: 9, contextAfterTokens: 9 }, 'failed'),
  ],
  ['one-compaction-per-step', 'it is the first', pivoted([u1, s1, c1], [u1, s1, c1, x1])],
  [
    'one-compaction-per-step',
    'a step lies between',
    pivoted([c1, x1, continued, s2, c2], [c1, x1, continued, s2, c2, x2]),
  ],
  [
    'one-compaction-per-step',
    'the second one is by hand',
    pivoted([s1, c1, x1, byHand], [s1, c1, x1, byHand, x2]),
  ],
  [
    'one-compaction-per-step',
    'the first one failed',
    pivoted([s1, c1, failed, c2], [s1, c1, failed, c2, x2]),
  ],
  [
    'one-compaction-per-step',
    'the second one failed',
    pivoted([s1, c1, x1, c2], [s1, c1, x1], 'failed'),
  ],
  [
    'newest-request-visible',
    'it came while summarising',
    pivoted([u1, s1, c1, u2], [u1, s1, c1, x1, u2]),
  ],
  [
    'newest-request-visible',
    'it is kept in the tail',
    checkPivot({
      before: summarising([u1, u2, keeping('c1', 'u2')]),
      after: stateOf([u1, u2, keeping('c1', 'u2'), x1], { view: 'v1.14.19' }),
      outcome: 'compacted',
    }),
  ],
  [
    'newest-request-visible',
    'it is replayed, with something around it and its picture as text',
    pivoted(
      [user('u1', 'look', file('f', 'image/png')), c1],
      [u1, c1, x1, user('r1', '<now> look </now>', '[Attached]')],
    ),
  ],
  [
    'newest-request-visible',
    'an older one in the tail says the same',
    checkPivot({
      before: summarising([u1, { ...u1, id: 'u3' }, keeping('c1', 'u1')]),
      after: stateOf([u1, { ...u1, id: 'u3' }, keeping('c1', 'u1'), x1], { view: 'v1.14.19' }),
      outcome: 'compacted',
    }),
  ],
  ['newest-request-visible', 'a person compacts', pivoted([u1, byHand], [u1, byHand, x2])],
  [
    'newest-request-visible',
    'the summary failed',
    pivoted([u1, c1], [u1, c1, failed, u2], 'failed'),
  ],
  ['newest-request-visible', 'there is none', pivoted([continued, c1], [continued, c1, x1])],
  ['newest-request-visible', 'only a blank one', pivoted([user('b', ' '), c1], [c1, x1])],
  [
    'newest-request-visible',
    'only an ignored one',
    pivoted([user('b', text('t', 'x', { ignored: true })), c1], [c1]),
  ],
  [
    'summary-request-fits',
    'it fits exactly',
    sized({ summaryInputTokens: 10, summaryWindowTokens: 10 }),
  ],
  [
    'summary-request-fits',
    'the window has no limit',
    sized({ summaryInputTokens: 10, summaryWindowTokens: 0 }),
  ],
  ['summary-request-fits', 'the window is unknown', sized({ summaryInputTokens: 10 })],
  ['summary-request-fits', 'the request is unknown', sized({ summaryWindowTokens: 10 })],
  [
    'failed-summary-changes-nothing',
    'the marker is taken back',
    pivoted([u1, s1, c1], [u1, s1], 'failed'),
  ],
  [
    'failed-summary-changes-nothing',
    'a request came meanwhile',
    pivoted([u1, c1, u2], [u1, u2], 'failed'),
  ],
  ['failed-summary-changes-nothing', 'it did not fail', pivoted([s1, c1], [s1, c1, x1])],
];

/** Situations in which one of them does not. */
export const breaking: readonly Counterexample[] = [
  [
    'newest-request-visible',
    'it is a task for a sub-agent',
    pivoted([user('u1', { type: 'subtask', id: 'p', prompt: 'go' }), c1], [u1, c1, x1]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'a program has added to it',
    pivoted([user('u1', 'fix', text('t', 'a file', { synthetic: true })), c1], [u1, c1, x1]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'only half of it is replayed',
    pivoted([user('u1', 'fix', 'and test'), c1], [u1, c1, x1, user('r1', 'fix')]),
    ['u1'],
  ],
  ['usable-above-floor', 'no token is left', sized({ usableTokens: 10, floorTokens: 10 }), ['c1']],
  [
    'pivot-lowers-context',
    'the size stays',
    sized({ contextBeforeTokens: 10, contextAfterTokens: 10 }),
    ['c1'],
  ],
  [
    'one-compaction-per-step',
    'no step lies between',
    pivoted([s1, c1, x1, u2, c2], [s1, c1, x1, u2, c2, x2]),
    ['x1'],
  ],
  [
    'one-compaction-per-step',
    'a failed one lies between',
    pivoted([s1, c1, x1, u2, failed, c2], [s1, c1, x1, u2, failed, c2, x2]),
    ['x1'],
  ],
  [
    'newest-request-visible',
    'nobody has worked on it',
    pivoted([u1, c1], [u1, c1, x1, continued]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'a step has worked on it',
    pivoted([u1, s1, c1], [u1, s1, c1, x1, continued]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'it came while a step ran',
    pivoted([u1, s1, u2, c1], [u1, s1, u2, c1, x1]),
    ['u2'],
  ],
  [
    'newest-request-visible',
    'only an older one is replayed',
    pivoted([u1, u2, c1], [u1, u2, c1, x1, user('r1', 'u1')]),
    ['u2'],
  ],
  [
    'newest-request-visible',
    'it is replayed twice',
    pivoted([u1, c1], [c1, x1, user('r1', 'u1'), user('r2', 'u1')]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'it is visible and replayed',
    pivoted([c1, u1], [c1, x1, u1, user('r1', 'u1')]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'its step failed',
    pivoted([u1, step('s1', [], { error: { name: 'E', message: '' } }), c1], [u1, c1, x1]),
    ['u1'],
  ],
  [
    'newest-request-visible',
    'it is a picture',
    pivoted([user('u1', file('f', 'image/png')), c1], [u1, c1, x1]),
    ['u1'],
  ],
  [
    'summary-request-fits',
    'it has a token too many',
    sized({ summaryInputTokens: 11, summaryWindowTokens: 10 }),
    ['c1'],
  ],
  [
    'failed-summary-changes-nothing',
    'its marker stays',
    pivoted([u1, c1], [u1, c1], 'failed'),
    ['c1'],
  ],
  [
    'failed-summary-changes-nothing',
    'it stays itself',
    pivoted([u1, c1], [u1, c1, failed], 'failed'),
    ['c1'],
  ],
  [
    'failed-summary-changes-nothing',
    'a message is gone with it',
    pivoted([u1, s1, c1], [u1], 'failed'),
    ['c1'],
  ],
  [
    'failed-summary-changes-nothing',
    'a message is a copy',
    pivoted([u1, c1], [{ ...u1 }], 'failed'),
    ['c1'],
  ],
];
