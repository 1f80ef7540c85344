import { checkRequest, type ToolPart } from '../../../../src/engine/index.ts';
import { step, summary, text, tool, toolIn, user } from '../../../support/history.ts';
import {
  c1,
  c2,
  type Counterexample,
  empty,
  type Example,
  failed,
  type History,
  keeping,
  outputs,
  s1,
  s2,
  stateOf,
  u1,
  u2,
  u3,
  x1,
  x2,
} from './situations.ts';

const requested = (view: History, history = view) =>
  checkRequest({ state: stateOf(history), view });
const unsent = (part: ToolPart) => step('s0', [part], { error: { name: 'APIError', message: '' } });

/** Situations in which the laws hold. */
export const holding: readonly Example[] = [
  ['ordered-by-time', 'a message is shown twice in a row', requested([u1, u1], [u1])],
  ['no-boundary-without-text', 'the summary has text', requested([c1, x1], [u1, c1, x1])],
  [
    'no-boundary-without-text',
    'one of two summaries has',
    requested([c1, empty('x0', 'c1'), x1], [u1, c1, x1]),
  ],
  ['no-boundary-without-text', 'nothing is hidden', requested([c1, empty('x1', 'c1')])],
  [
    'no-boundary-without-text',
    'a later attempt failed',
    requested([c1, x1, c2, empty('x2', 'c2')], [u1, c1, x1, c2]),
  ],
  [
    'no-boundary-without-text',
    'no pivot hides it',
    requested([u2, c1, empty('x1', 'c1')], [u1, u2, c1]),
  ],
  ['no-boundary-without-text', 'the view is empty', requested([], [u1])],
  [
    'calls-paired',
    'a step calls and gets',
    requested([u1, outputs('s1', tool('t1', 'a'), tool('t2', 'b'))]),
  ],
  [
    'calls-paired',
    'a call was cut off',
    requested([outputs('s1', toolIn('t1', { status: 'running', input: {} }))]),
  ],
  [
    'calls-paired',
    'a call is named twice, but sent once',
    requested([unsent(tool('t1', 'a')), outputs('s2', tool('t1', 'a'))]),
  ],
  [
    'ordered-by-time',
    'the view is the end of the history',
    requested([u2, s2, u3], [u1, s1, u2, s2, u3]),
  ],
  ['ordered-by-time', 'the view has gaps', requested([u1, s2], [u1, s1, u2, s2])],
  [
    'ordered-by-time',
    'a pivot stands before its tail',
    requested([keeping('c1', 'u2'), x1, u2, s2, u3], [u1, u2, s2, keeping('c1', 'u2'), x1, u3]),
  ],
  [
    'ordered-by-time',
    'a summary stands before what is kept',
    requested([x1, u2, s2, u3], [u1, u2, s2, c1, x1, u3]),
  ],
  [
    'ordered-by-time',
    'a message is only in the view',
    requested([user('memory'), u1, user('note'), s1], [u1, s1]),
  ],
  ['no-message-twice', 'two say the same', requested([user('a', 'hi'), user('b', 'hi')])],
  ['nothing-before-the-pivot', 'the view starts at it', requested([c1, x1, u2], [u1, c1, x1, u2])],
  [
    'nothing-before-the-pivot',
    'the view starts at its tail',
    requested([u2, keeping('c1', 'u2'), x1], [u1, u2, keeping('c1', 'u2'), x1]),
  ],
  ['nothing-before-the-pivot', 'its tail is lost', requested([u1, keeping('c1', 'gone'), x1])],
  ['nothing-before-the-pivot', 'the pivot failed', requested([u1, c1, failed])],
  [
    'nothing-before-the-pivot',
    'the summary did not finish',
    requested([u1, c1, summary('x1', 'c1', { finish: undefined })]),
  ],
  [
    'nothing-before-the-pivot',
    'the summary answers no marker',
    requested([u1, s1, summary('x1', 'u1')]),
  ],
];

/** Situations in which one of them does not. */
export const breaking: readonly Counterexample[] = [
  [
    'ordered-by-time',
    'a later one stands before another',
    requested([u1, u3, u2], [u1, u2, u3]),
    ['u2'],
  ],
  [
    'ordered-by-time',
    'a summary that answers no marker stands first',
    requested([u3, summary('x1', 'u3'), u2], [u2, u3, summary('x1', 'u3')]),
    ['u2'],
  ],
  [
    'no-boundary-without-text',
    'only a later attempt has text',
    requested([c1, empty('x1', 'c1'), c2, summary('x2', 'c2', { finish: undefined })], [u1, c1]),
    ['x1'],
  ],
  [
    'no-boundary-without-text',
    'only an older pivot with the same tail has text',
    requested([u2, keeping('c1', 'u2'), x1, keeping('c2', 'u2'), empty('x2', 'c2')], [u1, u2]),
    ['x2'],
  ],
  [
    'no-boundary-without-text',
    'the summary is empty',
    requested([c1, empty('x1', 'c1')], [u1, c1]),
    ['x1'],
  ],
  [
    'no-boundary-without-text',
    'it is blank',
    requested([c1, summary('x1', 'c1', { parts: [text('t', ' \n')] })], [u1]),
    ['x1'],
  ],
  [
    'no-boundary-without-text',
    'the view starts with it',
    requested([empty('x1', 'c1'), u2], [u1, c1]),
    ['x1'],
  ],
  [
    'no-boundary-without-text',
    'the view starts with its tail',
    requested([u2, keeping('c1', 'u2'), empty('x1', 'c1')], [u1, u2]),
    ['x1'],
  ],
  [
    'calls-paired',
    'an id is used in two messages',
    requested([outputs('s1', tool('t1', 'a')), outputs('s2', tool('t1', 'b'))]),
    ['s2'],
  ],
  [
    'calls-paired',
    'an id is used twice in one',
    requested([outputs('s1', tool('t1', 'a'), tool('t1', 'b'))]),
    ['s1'],
  ],
  ['ordered-by-time', 'two have changed places', requested([u2, u1, u3], [u1, u2, u3]), ['u1']],
  [
    'ordered-by-time',
    'a pivot of which the summary is missing stands first',
    requested([c1, u1], [u1, c1]),
    ['u1'],
  ],
  [
    'ordered-by-time',
    'the tail is in disorder',
    requested([c1, x1, u2, u1], [u1, u2, c1, x1]),
    ['u1'],
  ],
  ['ordered-by-time', 'the pivot is in disorder', requested([c1, u3, x1], [u3, c1, x1]), ['u3']],
  [
    'ordered-by-time',
    'a prompt stands before what is kept',
    requested([u3, u2, s2], [u2, s2, u3]),
    ['u2'],
  ],
  ['no-message-twice', 'one is', requested([u1, s1, u1]), ['u1']],
  ['nothing-before-the-pivot', 'an older message is shown', requested([u1, c1, x1]), ['u1']],
  [
    'nothing-before-the-pivot',
    'a message before the tail is shown',
    requested([u1, u2, keeping('c1', 'u2'), x1]),
    ['u1'],
  ],
  [
    'nothing-before-the-pivot',
    'an older pivot is shown',
    requested([c1, x1, c2, x2]),
    ['c1', 'x1'],
  ],
];
