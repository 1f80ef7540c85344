import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRequestChecker,
  type Message,
  type RequestChecker,
} from '../../../src/engine/index.ts';
import { type List, toArray } from '../../../src/engine/history.ts';
import { changeState } from '../../../src/engine/state.ts';
import { growAll } from '../../support/grow-all.ts';
import { toolHistories } from '../../support/arbitraries.ts';
import { marker, step, summary, tool, user } from '../../support/history.ts';
import {
  c1,
  empty,
  type History,
  outputs,
  s1,
  stateOf,
  u1,
  u2,
  x1,
} from './examples/situations.ts';

const at = (check: RequestChecker, view: List<Message>, history: List<Message> = view) =>
  check({ state: changeState(stateOf([]), { history }), view }).map(({ law, messageIds }) => [
    law,
    ...messageIds,
  ]);

describe('createRequestChecker', () => {
  it('says once what a growing view breaks', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, s1, u1], [u1, s1])).toEqual([
      ['ordered-by-time', 'u1'],
      ['no-message-twice', 'u1'],
    ]);
    expect(at(check, [u1, s1, u1, u2], [u1, s1, u2])).toEqual([]);
  });

  it('compares what is new with what was seen before', () => {
    const check = createRequestChecker();
    const first = outputs('s1', tool('t1', 'a'));
    const second = outputs('s2', tool('t1', 'b'));
    expect(at(check, [u1, first])).toEqual([]);
    expect(at(check, [u1, first, second])).toEqual([['calls-paired', 's2']]);
    expect(at(check, [u1, first, second, u1])).toEqual(
      expect.arrayContaining([['no-message-twice', 'u1']]),
    );
  });

  it('sees that what is new stands before what was seen', () => {
    const check = createRequestChecker();
    expect(at(check, [u2], [u1, u2])).toEqual([]);
    expect(at(check, [u2, u1], [u1, u2])).toEqual([['ordered-by-time', 'u1']]);
  });

  it('looks at everything again where a summary is new, and only then', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, c1])).toEqual([]);
    expect(at(check, [u1, c1, x1, u2])).toEqual([['nothing-before-the-pivot', 'u1']]);
    expect(at(check, [u1, c1, x1, u2, s1])).toEqual([]);
  });

  it('says once that a pivot is empty', () => {
    const check = createRequestChecker();
    const boundary = empty('x1', 'c1');
    expect(at(check, [boundary], [u1, c1, boundary])).toEqual([['no-boundary-without-text', 'x1']]);
    expect(at(check, [boundary, u2], [u1, c1, boundary, u2])).toEqual([]);
  });

  it('says once that an old message is shown', () => {
    const check = createRequestChecker();
    expect(at(check, [u1], [u1, c1, x1])).toEqual([['nothing-before-the-pivot', 'u1']]);
    expect(at(check, [u1, u2], [u1, c1, x1, u2])).toEqual([]);
  });

  it('sees that the first view of a session is not all of its history', () => {
    expect(at(createRequestChecker(), [u2, u1], [u1, u2])).toEqual([['ordered-by-time', 'u1']]);
    expect(at(createRequestChecker(), [u1, u2], [u1, c1, x1, u1, u2])).toEqual([]);
    expect(at(createRequestChecker(), [u1], [u1, c1, x1])).toEqual([
      ['nothing-before-the-pivot', 'u1'],
    ]);
  });

  it('sees what a pivot should hide in the first view of a session', () => {
    expect(at(createRequestChecker(), [u1, c1, x1])).toEqual([['nothing-before-the-pivot', 'u1']]);
  });

  it('sees an old message behind the newest pivot', () => {
    expect(at(createRequestChecker(), [c1, x1, u1], [u1, c1, x1])).toEqual([
      ['nothing-before-the-pivot', 'u1'],
    ]);
  });

  it('sees an old message in a first view that is the end of its history', () => {
    const [old, queued] = [user('u7'), marker('c1')];
    expect(at(createRequestChecker(), [old, queued], [x1, old, queued])).toEqual([
      ['nothing-before-the-pivot', 'u7'],
    ]);
  });

  it('lets the marker of the newest summary show what a later marker of an older one would hide', () => {
    const [one, other, between] = [marker('c8'), marker('c9'), user('u8')];
    const summaries = [summary('x8', 'c8'), summary('x9', 'c9')];
    const history = [...summaries, u1, other, between, one];
    expect(at(createRequestChecker(), [other, between, one], history)).toEqual([]);
    expect(at(createRequestChecker(), [u1, other, between, one], history)).toEqual([
      ['nothing-before-the-pivot', 'u1'],
    ]);
  });

  it('compares a message that grew in with calls that were seen out of order', () => {
    const check = createRequestChecker();
    const views = [[u2], [outputs('s1', tool('t1', 'a'))], [outputs('s2', tool('t1', 'b'))]];
    const [first, second, third] = seriesOf(views);
    expect(at(check, first!)).toEqual([]);
    expect(at(check, second!, [...toArray(second!), u1])).toEqual([]);
    expect(at(check, third!)).toEqual([['calls-paired', 's2']]);
  });

  it('sees what follows a message that was changed in its place', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, s1])).toEqual([]);
    expect(at(check, [u1, { ...s1 }, u1], [u1, { ...s1 }])).toContainEqual([
      'no-message-twice',
      'u1',
    ]);
  });

  it('does not take a call for used that was never sent', () => {
    const check = createRequestChecker();
    const failed = step('s1', [tool('t1', 'a')], { error: { name: 'APIError', message: '' } });
    expect(at(check, [u1, failed])).toEqual([]);
    expect(at(check, [u1, failed, outputs('s2', tool('t1', 'a'))])).toEqual([]);
  });

  it('looks at everything again where the view starts otherwise', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, s1])).toEqual([]);
    expect(at(check, [c1, x1, s1], [u1, c1, x1, s1])).toEqual([]);
    expect(at(check, [c1, x1, s1, x1], [u1, c1, x1, s1])).toEqual(
      expect.arrayContaining([['no-message-twice', 'x1']]),
    );
  });

  it('forgets the messages that are no longer shown', () => {
    const check = createRequestChecker();
    const first = outputs('s1', tool('t1', 'a'));
    expect(at(check, [u1, first])).toEqual([]);
    expect(at(check, [u2, outputs('s2', tool('t1', 'b'))])).toEqual([]);
  });

  it('takes a message that was changed for another', () => {
    const check = createRequestChecker();
    const history = [u1, outputs('s1', tool('t1', 'a')), u2];
    expect(at(check, history)).toEqual([]);
    expect(
      at(
        check,
        history.map((message) => ({ ...message })),
      ),
    ).toEqual([]);
  });

  it('looks at what stands in the place of another message, and at what is new behind it', () => {
    const check = createRequestChecker();
    const [first, second] = [outputs('s1', tool('t1', 'a')), outputs('s2', tool('t2', 'b'))];
    expect(at(check, [u1, first, u2, second])).toEqual([]);
    const changed = outputs('s1', tool('t2', 'a'));
    expect(at(check, [u1, changed, u2, second])).toEqual([['calls-paired', 's1']]);
    const other = createRequestChecker();
    expect(at(other, [u1, first, u2])).toEqual([]);
    expect(
      at(other, [u1, outputs('s1', tool('t3', 'a')), u2, outputs('s3', tool('t3', 'b'))]),
    ).toEqual([['calls-paired', 's3']]);
  });

  it('knows a message that stands in the place of another by its own id', () => {
    const check = createRequestChecker();
    const renamed = { ...s1, id: 's9' };
    expect(at(check, [u1, s1, u2])).toEqual([]);
    expect(at(check, [u1, renamed, u2])).toEqual([]);
    expect(at(check, [u1, renamed, u2, user('s9')])).toContainEqual(['no-message-twice', 's9']);
  });

  it('takes the ids of calls that are gone with a message for free', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, outputs('s1', tool('t1', 'a')), u2])).toEqual([]);
    const history = [u1, outputs('s1', tool('t3', 'a')), u2, outputs('s2', tool('t1', 'b'))];
    expect(at(check, history)).toEqual([]);
  });

  it('looks again at what follows a change where a law was broken', () => {
    const check = createRequestChecker();
    const [first, second] = [outputs('s1', tool('t1', 'a')), outputs('s2', tool('t1', 'b'))];
    expect(at(check, [u1, first, second])).toEqual([['calls-paired', 's2']]);
    expect(at(check, [{ ...u1 }, first, second])).toEqual([['calls-paired', 's2']]);
  });

  it('takes messages under one id for the newest of them', () => {
    expect(at(createRequestChecker(), [u1, s1, u1])).toEqual([
      ['ordered-by-time', 's1'],
      ['no-message-twice', 'u1'],
    ]);
  });

  it('finds after any change of a view what it finds in all of it', () => {
    const replaced = fc.tuple(toolHistories, fc.nat(), fc.nat(), fc.nat(3));
    fc.assert(
      fc.property(replaced, ([history, one, other, kept]) => {
        fc.pre(history.length > 2);
        const check = createRequestChecker();
        const before = history.slice(0, Math.max(1, history.length - kept));
        fc.pre(at(check, before, history).length === 0);
        const place = one % before.length;
        const source = history[other % history.length]!;
        const view = history.with(place, { ...history[place]!, parts: source.parts });
        // Of two messages with one id either may be named.
        const lawsOf = (checker: RequestChecker) => at(checker, view).map(([law]) => law);
        expect(lawsOf(check)).toEqual(lawsOf(createRequestChecker()));
      }),
    );
  });
});

/** Views of which each grew out of the one before by some messages. */
function seriesOf(added: readonly History[]): readonly List<Message>[] {
  let view: List<Message> = [];
  return added.map((messages) => (view = growAll(view, messages)));
}
