import { describe, expect, it } from 'vitest';
import {
  createState,
  type Limits,
  type LoopInput,
  type LoopState,
  type Message,
  policies,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
  type UserMessage,
  viewOf,
} from '../../../src/engine/index.ts';
import type { AskAgainPolicy } from '../../../src/engine/policy.ts';
import type { PivotStep, SummaryEnd } from '../../../src/engine/pivot/end-pivot.ts';
import {
  abortPivot,
  halveChunk,
  shrinkHead,
  startPivot,
  stepPivot,
} from '../../../src/engine/pivot/pivot.ts';
import { frozen } from '../../../src/engine/values.ts';
import { namesOf } from '../../support/drive.ts';
import { marker, step, text, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

const opencode = policies['opencode-1.2.16'];
const document = policies['document-002'];
const error = { name: 'APIError', message: 'overloaded' };
const finished = {
  type: 'summary-finished',
  result: { text: 'All of it.', finish: 'stop' },
} satisfies LoopInput;
const failed = { type: 'summary-failed', error, isOverflow: false } satisfies LoopInput;

type Summarising = LoopState['phase'] & { readonly state: 'summarising' };

const auto = marker('m1');
const manual = marker('m1', { auto: false });
const refused = marker('m1', { overflow: true });
const late = user('late');
const turn = [user('u1'), step('s1')];
const stateOf = (policy: Policy, history: readonly Message[]): LoopState =>
  frozen({ ...createState(policy, { contextTokens: 0 }), history });
/** Waiting for a summary of all that precedes `late`. */
const waiting = (over: Partial<Summarising> = {}): Summarising =>
  frozen({
    state: 'summarising',
    insertAt: 3,
    markerId: 'm1',
    parentId: 'm1',
    cut: { head: turn },
    asked: turn,
    rest: [],
    rung: 0,
    isReminded: false,
    isAfterRefusal: false,
    emptyAnswers: 0,
    ...over,
  });

/** The history and the event with which an attempt ended. */
function finishPivot(state: LoopState, phase: Summarising, input: SummaryEnd) {
  const end: PivotStep = stepPivot(state, phase, { input, tools: testTools() });
  if (end.state === 'asks-again' || end.state === 'held')
    throw new Error('expected the attempt to end');
  return { history: end.next.history, event: end.event };
}

describe('startPivot', () => {
  it.each([
    ['document-002', 'names the marker as what the summary answers', document, 'm1'],
    ['opencode-1.2.16', 'names the newest user message', opencode, 'late'],
  ])('%s: %s', (...[, , policy, parentId]) => {
    const state = stateOf(policy, [...turn, auto, late]);
    const view = viewOf(state);
    const pending = { view, marker: auto, lastUser: late };
    expect(startPivot(state, pending, testTools()).phase).toEqual({
      state: 'summarising',
      insertAt: 4,
      markerId: 'm1',
      parentId,
      cut: { head: view },
      asked: view,
      rest: [],
      rung: 0,
      isReminded: false,
      isAfterRefusal: false,
      emptyAnswers: 0,
    });
  });

  const four = resolvePolicy(document, {
    cut: { keep: 'newest-messages', count: 2 },
    summary: { markerInHead: false },
    render: { markerQuestion: '' },
  });
  const asks = (summary: PolicyOverrides['summary'], queued: UserMessage, policy = four) => {
    const state = stateOf(resolvePolicy(policy, { summary }), [
      ...turn,
      user('u2'),
      step('s2'),
      queued,
    ]);
    const pending = { view: viewOf(state), marker: queued, lastUser: queued };
    return startPivot(state, pending, testTools());
  };

  it.each([
    ['only what it replaces', {}, auto, 'u1 s1'],
    ['all that the model saw', { readsKept: 'all' } as const, auto, 'u1 s1 u2 s2'],
    [
      'the newest messages after a refusal',
      { readsKept: 'all', askedShare: 0.6 } as const,
      refused,
      's1 u2 s2',
    ],
    [
      'all where nothing was refused',
      { readsKept: 'all', askedShare: 0.6 } as const,
      auto,
      'u1 s1 u2 s2',
    ],
  ])('asks about %s', (_, summary, queued, expected) => {
    expect(namesOf(asks(summary, queued).request.messages)).toBe(expected);
  });

  it('reads steps that stay, and not the prompts that nobody has answered', () => {
    const policy = resolvePolicy(document, {
      cut: { keep: 'newest-messages', count: 2 },
      summary: { readsKept: 'steps' },
    });
    const state = stateOf(policy, [...turn, step('s2'), user('u2'), auto]);
    const pending = { view: viewOf(state), marker: auto, lastUser: auto };
    const { request } = startPivot(state, pending, testTools());
    expect(namesOf(request.messages)).toBe('u1 s1 s2');
  });

  it('asks about the beginning of a split turn on its own', () => {
    const policy = resolvePolicy(four, { cut: { keep: 'newest-messages', count: 1 } });
    const { phase } = asks({ splitTurnApart: true }, auto, policy);
    expect([namesOf(phase.asked), phase.rest.map(namesOf)]).toEqual(['u1 s1', ['u2']]);
  });

  it('asks in another form after a refusal', () => {
    const refusedForm = { kind: 'flattened', tools: false, verifies: false } as const;
    expect(asks({ refusedForm }, refused).request.form).toEqual(refusedForm);
    expect(asks({ refusedForm }, auto).request.form).toEqual(four.summary.form);
  });

  it('remembers a refused prompt and leaves it out of the request', () => {
    const prompt = user('u2');
    const state = stateOf(opencode, [...turn, prompt, refused]);
    const pending = { view: viewOf(state), marker: refused, lastUser: refused };
    const { phase, request } = startPivot(state, pending, testTools());
    expect(phase.cut.replay).toBe(prompt);
    expect(namesOf(request.messages)).toBe('u1 s1');
  });

  it('remembers no prompt where the policy sends none again', () => {
    const state = stateOf(document, [...turn, user('u2'), refused]);
    const pending = { view: viewOf(state), marker: refused, lastUser: refused };
    expect(startPivot(state, pending, testTools()).phase.cut).not.toHaveProperty('replay');
  });

  it('remembers no prompt if the request was not refused', () => {
    const state = stateOf(opencode, [...turn, user('u2'), auto]);
    const pending = { view: viewOf(state), marker: auto, lastUser: auto };
    expect(startPivot(state, pending, testTools()).phase.cut).not.toHaveProperty('replay');
  });
});

describe('stepPivot', () => {
  it('puts the summary where it was asked for, and what makes the model go on at the end', () => {
    const state = stateOf(document, [...turn, auto, late]);
    const { history, event } = finishPivot(state, waiting(), finished);
    expect(namesOf(history)).toBe('u1 s1 marker summary late continue');
    expect(event).toEqual({
      type: 'compacted',
      markerId: 'm1',
      summaryId: history[3]?.id,
      auto: true,
      isReplay: false,
    });
  });

  it('adds nothing after a summary that a person asked for', () => {
    const state = stateOf(document, [...turn, manual, late]);
    const { history, event } = finishPivot(state, waiting(), finished);
    expect(namesOf(history)).toBe('u1 s1 marker summary late');
    expect(event).toMatchObject({ type: 'compacted', auto: false });
  });

  const empty = { type: 'summary-finished', result: { text: ' ', finish: 'stop' } } as const;
  const again = (
    asksAgain: Partial<AskAgainPolicy>,
    over: Partial<Summarising>,
    input: SummaryEnd,
  ) => {
    const rules = { attempts: 2, afterErrors: false, drops: 'nothing', ...asksAgain } as const;
    const policy = resolvePolicy(document, { summary: { asksAgain: rules } });
    return stepPivot(stateOf(policy, [...turn, auto, late]), waiting(over), {
      input,
      tools: testTools(),
    });
  };

  it.each<[string, Partial<AskAgainPolicy>, SummaryEnd, string]>([
    ['once more for an empty answer', {}, empty, 'asks-again u1 s1'],
    ['without the oldest message', { drops: 'oldest' }, empty, 'asks-again s1'],
    ['without the newest, which stays', { drops: 'newest' }, empty, 'asks-again u1 tail s1'],
    ['not again for an error', {}, failed, 'failed'],
    ['again for an error where it counts', { afterErrors: true }, failed, 'asks-again u1 s1'],
    ['not again for a summary', {}, finished, 'compacted'],
  ])('asks %s', (_, rules, input, expected) => {
    const next = again(rules, {}, input);
    const { asked = [], cut } = next.state === 'asks-again' ? next.phase : {};
    const tail = cut?.tailStartId === undefined ? '' : ` tail ${cut.tailStartId}`;
    expect(`${next.state} ${namesOf(asked)}${tail}`.trim()).toBe(expected);
  });

  it('asks no more often than it may', () => {
    expect(again({}, { emptyAnswers: 1 }, empty).state).not.toBe('asks-again');
    expect(again({ attempts: 3 }, { emptyAnswers: 1 }, empty).state).toBe('asks-again');
  });

  it('puts both answers about a split turn into one summary', () => {
    const policy = resolvePolicy(document, { summary: { splitTurnApart: true } });
    const state = stateOf(policy, [...turn, auto, late]);
    const first = stepPivot(state, waiting({ rest: [[step('s1')]] }), {
      input: finished,
      tools: testTools(),
    });
    if (first.state !== 'asks-again') throw new Error('expected a second request');
    const { history } = finishPivot(state, first.phase, finished);
    expect(history[3]?.parts).toMatchObject([{ text: 'All of it.\n\nAll of it.' }]);
  });

  it.each([
    ['goes on', 'where the policy does', { failureGoesOn: true }, {}, true],
    ['ends', 'where it does not', {}, {}, false],
    ['ends', 'after a refusal', { failureGoesOn: true }, { isAfterRefusal: true }, false],
  ])('a turn without a summary %s %s', (...[, , summary, over, goesOn]) => {
    const state = stateOf(resolvePolicy(document, { summary }), [...turn, auto, late]);
    const end = { input: failed, tools: testTools() };
    expect(stepPivot(state, waiting(over), end)).toMatchObject({ state: 'failed', goesOn });
  });

  it('sends a refused prompt again', () => {
    const state = stateOf(opencode, [...turn, refused]);
    const phase = waiting({ cut: { head: turn, replay: user('u2', 'again') } });
    const { history, event } = finishPivot(state, phase, finished);
    expect(namesOf(history)).toBe('u1 s1 marker summary replay');
    expect(history.at(-1)?.parts).toMatchObject([{ type: 'text', text: 'again' }]);
    expect(event).toMatchObject({ isReplay: true });
  });

  it.each([
    ['explains a refusal that was not replayed', refused, /^The previous request exceeded /],
    ['explains nothing if there was no refusal', auto, /^Continue if /],
  ])('%s', (_, queued, pattern) => {
    const state = stateOf(opencode, [...turn, queued]);
    const { history } = finishPivot(state, waiting(), finished);
    expect(history.at(-1)?.parts).toMatchObject([{ text: expect.stringMatching(pattern) }]);
  });

  it('stores on the marker, and nowhere else, where the kept tail starts', () => {
    const queued = { ...auto, parts: [text('note', 'now'), ...auto.parts] };
    const other = marker('m0');
    const state = stateOf(opencode, [other, ...turn, queued]);
    const phase = waiting({ insertAt: 4, cut: { head: turn, tailStartId: 's1' } });
    const { history } = finishPivot(state, phase, finished);
    expect(history[0]).toBe(other);
    expect(history[1]).toBe(turn[0]);
    expect(history[3]?.parts).toStrictEqual([
      text('note', 'now'),
      { ...auto.parts[0], tailStartId: 's1' },
    ]);
  });

  it('leaves the marker as it is where no tail is kept', () => {
    const state = stateOf(opencode, [...turn, auto]);
    const { history } = finishPivot(state, waiting(), finished);
    expect(history[2]).toBe(auto);
  });

  it('adds nothing after a summary whose marker is gone', () => {
    const state = stateOf(opencode, turn);
    const { history, event } = finishPivot(state, waiting({ insertAt: 2 }), finished);
    expect(namesOf(history)).toBe('u1 s1 summary');
    expect(event).toMatchObject({ auto: false });
  });

  it.each<[string, Policy['resume']['continueText'], boolean]>([
    ['goes on at once where nothing is said', undefined, true],
    ['goes on at once where the text is empty', 'none', true],
    ['leaves it to the continue message', 'v1.0.69', false],
  ])('%s', (_, continueText, goesOn) => {
    const policy = { ...document, resume: { ...document.resume, continueText } } as Policy;
    const end = { input: finished, tools: testTools() };
    expect(stepPivot(stateOf(policy, [...turn, auto]), waiting(), end)).toMatchObject({
      state: 'compacted',
      goesOn,
    });
  });

  it('fails where the ladder and the messages are at their end', () => {
    const policy = { ...document, guards: { ...document.guards, shrinkSummaryRequest: true } };
    const state = stateOf(policy, [...turn, auto]);
    const input = { ...failed, isOverflow: true };
    const phase = waiting({ cut: { head: [user('u1')] }, asked: [user('u1')] });
    expect(stepPivot(state, phase, { input, tools: testTools() }).state).toBe('failed');
  });

  it.each([
    ['', 1, 1],
    [', but only for the guard that asks for it', 0, 0],
  ])(
    'measures what a pivot achieved without the marker that queued it%s',
    (_, maxIneffective, ineffective) => {
      const policy = { ...opencode, guards: { ...opencode.guards, maxIneffective } };
      const state = stateOf(policy, [user('u1', 'x'.repeat(80)), manual]);
      const long = { ...finished, result: { text: 'y'.repeat(68), finish: 'stop' } };
      const end = stepPivot(state, waiting({ insertAt: 2 }), { input: long, tools: testTools() });
      expect(end).toMatchObject({ next: { health: { ineffective } } });
    },
  );

  it('keeps marker and error of a failed attempt where the policy does', () => {
    const state = stateOf(opencode, [...turn, auto, late]);
    const { history, event } = finishPivot(state, waiting({ parentId: 'late' }), failed);
    expect(namesOf(history)).toBe('u1 s1 marker failed-summary late');
    expect(history[3]).toMatchObject({ error, parentId: 'late' });
    expect(event).toEqual({ type: 'summary-failed', markerId: 'm1', error });
  });

  it('rolls a failed attempt back to the byte where the policy does', () => {
    const state = stateOf(document, [...turn, auto, late]);
    const { history, event } = finishPivot(state, waiting(), failed);
    expect(JSON.stringify(history)).toBe(JSON.stringify([...turn, late]));
    expect(event).toEqual({ type: 'summary-failed', markerId: 'm1', error });
  });
});

describe('abortPivot', () => {
  it('keeps marker and abort where the policy does', () => {
    const state = stateOf(opencode, [...turn, auto, late]);
    const { history } = abortPivot(state, waiting(), testTools());
    expect(namesOf(history)).toBe('u1 s1 marker failed-summary late');
    expect(history[3]).toMatchObject({ error: { name: 'MessageAbortedError' }, summary: true });
    expect(history[3]).not.toHaveProperty('finish');
  });

  it('takes the marker out to the byte where the policy does', () => {
    const state = stateOf(document, [...turn, auto, late]);
    const { history } = abortPivot(state, waiting(), testTools());
    expect(JSON.stringify(history)).toBe(JSON.stringify([...turn, late]));
  });
});

const policy = policies['opencode-1.2.16'];
const ids = (messages: readonly Message[] = []) => messages.map(({ id }) => id).join(' ');
/** A step that weighs that many tokens. */
const weighing = (id: string, tokens: number) =>
  step(id, [text(`${id}-0`, 'x'.repeat(tokens * 4))]);
const shrink = (head: readonly Message[], rung: number, limits: Limits = { contextTokens: 0 }) =>
  shrinkHead(frozen(head), rung, { policy, limits, asked: head });
const DROP_OLDEST = 1;
const FOLD_CHUNKS = 2;
const END = 3;
const hundreds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => weighing(id, 100));

describe('shrinkHead', () => {
  it.each<[string, Message[], string]>([
    ['the prompt that they answer', [user('u1'), weighing('a', 90), weighing('b', 40)], 'u1 b'],
    [
      'the newest prompt before them',
      [user('u1'), user('u2'), weighing('a', 90), weighing('b', 40)],
      'u2 b',
    ],
    [
      'no marker in its place',
      [user('u1'), marker('m1'), weighing('a', 90), weighing('b', 40)],
      'u1 b',
    ],
    ['nothing where a prompt opens them', [user('u1'), weighing('a', 90), user('u2')], 'u2'],
    ['nothing where there is no prompt', [weighing('a', 90), weighing('b', 40)], 'b'],
    [
      'the prompt, where a large one stands before a marker',
      [user('u1'), weighing('a', 90), weighing('b', 400), marker('m1')],
      'u1 b m1',
    ],
  ])('puts before the newest messages %s', (...[, head, expected]) => {
    expect(ids(shrink(head, DROP_OLDEST)?.head)).toBe(expected);
  });

  it.each<[string, Limits, string]>([
    ['the request that was too large', { contextTokens: 0 }, 'e f g h'],
    ['the window', { contextTokens: 400 }, 'g h'],
    ['the input limit before the window', { contextTokens: 400, inputTokens: 600 }, 'f g h'],
    ['the window where the input limit is 0', { contextTokens: 400, inputTokens: 0 }, 'g h'],
    ['the request if it is smaller than the window', { contextTokens: 9_000 }, 'e f g h'],
  ])('fills half of %s', (_, limits, expected) => {
    expect(ids(shrink(hundreds, DROP_OLDEST, limits)?.head)).toBe(expected);
  });

  it('divides a head into chunks and loses no message, also none without text', () => {
    const smaller = shrink([step('empty'), ...hundreds], FOLD_CHUNKS);
    const chunks = smaller && [smaller.head, ...smaller.rest];
    expect(chunks?.map(ids)).toEqual(['empty a b', 'c d', 'e f', 'g h']);
  });

  it('has nothing after the last rung', () => {
    expect(shrink(hundreds, END)).toBeUndefined();
  });

  it('has nothing for a single message without outputs', () => {
    expect(shrink([weighing('a', 100)], 0)).toBeUndefined();
  });
});

describe('halveChunk', () => {
  it.each<[string, Message[], string | undefined, string | undefined]>([
    ['puts the larger half first', hundreds.slice(0, 3), 'a b', 'c'],
    ['divides two messages', hundreds.slice(0, 2), 'a', 'b'],
    ['does not divide one message', hundreds.slice(0, 1), undefined, undefined],
    [
      'makes no half of a marker that is not sent',
      [...hundreds.slice(0, 1), marker('c')],
      undefined,
      undefined,
    ],
  ])('%s', (...[, asked, first, second]) => {
    const half = halveChunk(frozen(asked), END, policies['opencode-2.0']);
    expect(half && ids(half.head)).toBe(first);
    expect(half && ids(half.rest[0])).toBe(second);
  });
});
