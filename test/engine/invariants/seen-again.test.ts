import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRequestChecker, type LawName, type Message } from '../../../src/engine/index.ts';
import { firstItems, type List, toArray } from '../../../src/engine/history.ts';
import { changeState } from '../../../src/engine/state.ts';
import { growAll } from '../../support/grow-all.ts';
import { marker, step, text, tool, user } from '../../support/history.ts';
import { type History, stateOf } from './examples/situations.ts';
import { assertReaching } from '../../support/reaching.ts';

const RECORDED = 12;
const ERROR = { name: 'APIError', message: '' };
const ABORTED = { name: 'MessageAbortedError', message: '' };

/** What a session shows next of a recording, or otherwise does to its view. */
type Shown = (session: Session) => void;
interface Session {
  readonly recording: History;
  cursor: number;
  view: List<Message>;
}

const name = fc.nat({ max: RECORDED }).map((nth) => `m${nth}`);
/** A message of a recording; a few have the id of another one, a call of it, or an error. */
const recorded = fc.oneof(
  { weight: 30, arbitrary: fc.constant((id: string): Message => step(id, [tool(`${id}-c`, 'x')])) },
  { weight: 10, arbitrary: fc.constant((id: string): Message => user(id)) },
  { weight: 1, arbitrary: name.map((other) => (): Message => user(other)) },
  {
    weight: 1,
    arbitrary: name.map((other) => (id: string) => step(id, [tool(`${other}-c`, 'y')])),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(ERROR, ABORTED)
      .map((error) => (id: string) => step(id, [tool(`${id}-c`, 'z')], { error })),
  },
);
const recordings = fc
  .array(recorded, { minLength: RECORDED, maxLength: RECORDED })
  .map((shapes) => shapes.map((shape, nth) => shape(`m${nth}`)));

const shown: fc.Arbitrary<Shown> = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom<Shown>((session) => showNext(session), showTwo) },
  { weight: 1, arbitrary: fc.constant<Shown>((session) => void (session.cursor += 1)) },
  {
    weight: 1,
    arbitrary: fc.nat({ max: 3 }).map(
      (back): Shown =>
        (session) =>
          goBack(session, back),
    ),
  },
  {
    weight: 1,
    arbitrary: name.map(
      (id): Shown =>
        (session) =>
          show(session, user(id)),
    ),
  },
  { weight: 2, arbitrary: fc.constant<Shown>((session) => show(session, user('own'))) },
  { weight: 2, arbitrary: fc.constant<Shown>((session) => showNext(session, { id: 'own' })) },
  {
    weight: 1,
    arbitrary: name.map(
      (id): Shown =>
        (session) =>
          show(session, madeAnew(user(id))),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat().map(
      (place): Shown =>
        (session) =>
          change(session, place),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat({ max: 2 }).map(
      (kept): Shown =>
        (session) =>
          drop(session, kept),
    ),
  },
);
const sessions = fc.array(fc.array(shown, { minLength: 4, maxLength: 16 }), {
  minLength: 2,
  maxLength: 4,
});

describe('a line', () => {
  it('tells of sessions with the same messages what each tells of messages of its own', () => {
    const laws = new Map<LawName | 'none', number>();
    assertReaching(
      fc.property(recordings, sessions, (recording, all) => {
        for (const steps of all) {
          const views = viewsOf(recording, steps);
          const found = findingsIn(views);
          expect(found).toEqual(findingsIn(ownViewsOf(views)));
          const broken = found.flat().map(([law]) => law);
          for (const law of broken.length === 0 ? (['none'] as const) : new Set(broken)) {
            laws.set(law, (laws.get(law) ?? 0) + 1);
          }
        }
      }),
    );
    for (const law of ['none', 'calls-paired', 'no-message-twice'] as const) {
      expect(laws.get(law)).toBeGreaterThan(10);
    }
  });

  it('begins with a message of that id only', () => {
    const first = user('m0');
    const renamed = { ...first, id: 'm1' };
    expect(lawsIn(grown(first))).toEqual([[]]);
    expect(lawsIn(grown(renamed, user('m1')))).toEqual([[], ['no-message-twice']]);
  });

  it('goes on with a message of that id only', () => {
    const [first, second] = [user('m0'), step('m1', [tool('m1-c', 'x')])];
    const renamed = { ...second, id: 'm2' };
    expect(lawsIn(grown(first, second))).toEqual([[], []]);
    expect(lawsIn(grown(first, renamed, user('m2')))).toEqual([[], [], ['no-message-twice']]);
  });

  it('goes on with a message of those parts only', () => {
    const first = user('m0');
    const changed = step('m1', [tool('other-c', 'x')]);
    const again = step('m2', [tool('other-c', 'y')]);
    expect(lawsIn(grown(first, step('m1', [tool('m1-c', 'x')])))).toEqual([[], []]);
    expect(lawsIn(grown(first, changed, again))).toEqual([[], [], ['calls-paired']]);
  });

  it('knows the calls of a step that failed where it was shown first', () => {
    const [first, whole] = [user('m0'), step('m1', [tool('m1-c', 'x')])];
    const again = step('m2', [tool('m1-c', 'y')]);
    expect(lawsIn(grown(first, { ...whole, error: ERROR }))).toEqual([[], []]);
    expect(lawsIn(grown(first, whole, again))).toEqual([[], [], ['calls-paired']]);
  });

  it('does not go on with a summary in the place of a step', () => {
    const [first, queued, said] = [user('m0'), marker('m1'), step('m2', [text('m2-0', 'x')])];
    const summed = { ...said, summary: true as const, parentId: 'm1' };
    expect(lawsIn(grown(first, queued, said))).toEqual([[], [], []]);
    expect(lawsIn(grown(first, queued, summed))).toEqual([[], [], ['nothing-before-the-pivot']]);
  });
});

function viewsOf(recording: History, steps: readonly Shown[]): readonly List<Message>[] {
  const session: Session = { recording, cursor: 0, view: growAll([], []) };
  return steps.map((next) => {
    next(session);
    return session.view;
  });
}

/** The same as plain arrays of messages that nobody else has. */
function ownViewsOf(views: readonly List<Message>[]): readonly History[] {
  const own = new Map<Message, Message>();
  return views.map((view) =>
    toArray(view).map((message) => {
      const copy = own.get(message) ?? structuredClone(message);
      own.set(message, copy);
      return copy;
    }),
  );
}

function findingsIn(views: readonly List<Message>[]) {
  const check = createRequestChecker();
  return views.map((view) =>
    check({ state: changeState(stateOf([]), { history: view }), view }).map(
      ({ law, message, messageIds }) => [law, message, ...messageIds] as const,
    ),
  );
}

/** A view that grows by one message after the other. */
function grown(...messages: History): readonly List<Message>[] {
  const session: Session = { recording: messages, cursor: 0, view: growAll([], []) };
  return messages.map((message) => {
    show(session, message);
    return session.view;
  });
}

function lawsIn(views: readonly List<Message>[]): readonly (readonly LawName[])[] {
  return findingsIn(views).map((found) => found.map(([law]) => law));
}

function show(session: Session, message: Message): void {
  session.view = growAll(session.view, [message]);
}

function showNext(session: Session, changes: { readonly id?: string } = {}): void {
  const message = session.recording[session.cursor];
  session.cursor += 1;
  // Of a step another usage is told in each run.
  if (message !== undefined) show(session, { ...message, ...changes });
}

function showTwo(session: Session): void {
  showNext(session);
  showNext(session);
}

function goBack(session: Session, back: number): void {
  session.cursor = Math.max(0, session.cursor - back);
  showNext(session);
}

/** A message with parts that no other has. */
function madeAnew(message: Message): Message {
  return { ...message, parts: message.parts.map((part) => ({ ...part })) };
}

function change(session: Session, place: number): void {
  const index = place % Math.max(1, session.view.length);
  const rest = toArray(session.view).slice(index);
  const [first] = rest;
  if (first === undefined) return;
  session.view = growAll(firstItems(session.view, index), [madeAnew(first), ...rest.slice(1)]);
}

function drop(session: Session, kept: number): void {
  session.view = firstItems(session.view, Math.max(0, session.view.length - kept));
}
