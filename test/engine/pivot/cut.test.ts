import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CutPolicy,
  type KeepSize,
  type Limits,
  markerOf,
  type Message,
  policies,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import {
  canCut,
  cutForReplay,
  firstKept,
  keepable,
  planCut,
} from '../../../src/engine/pivot/cut.ts';
import { frozen } from '../../../src/engine/values.ts';
import { pivotedHistories } from '../../support/arbitraries.ts';
import { marker, step, summary, text, tool, user } from '../../support/history.ts';

const refused = marker('m1', { overflow: true });
/** An id that no generated history has. */
const last = marker('last', { overflow: true });
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id).join(' ');

describe('cutForReplay', () => {
  it.each<[string, Message[], string, string | undefined]>([
    [
      'takes the refused prompt out of the head',
      [user('u1'), step('s1'), user('u2'), refused],
      'u1 s1',
      'u2',
    ],
    [
      'takes the steps of the refused turn out with it',
      [user('u1'), step('s1'), user('u2'), step('s2'), step('s3'), refused],
      'u1 s1',
      'u2',
    ],
    [
      'takes the newest of several prompts',
      [user('u1'), user('u2'), user('u3'), refused],
      'u1 u2',
      'u3',
    ],
    [
      'takes no prompt from behind the marker',
      [user('u1'), user('u2'), refused, user('u3')],
      'u1',
      'u2',
    ],
    [
      'summarises everything if the refused prompt is the first',
      [user('u1'), step('s1'), refused],
      'u1 s1 m1',
      undefined,
    ],
    [
      'summarises everything if only a pivot precedes the refused prompt',
      [marker('m0'), summary('sum', 'm0'), user('u2'), step('s2'), refused],
      'm0 sum u2 s2 m1',
      undefined,
    ],
    [
      'counts no step as a prompt that precedes',
      [step('s0'), user('u1'), refused],
      's0 u1 m1',
      undefined,
    ],
    ['passes over an older marker', [user('u1'), user('u2'), marker('m0'), refused], 'u1', 'u2'],
    [
      'summarises everything if there is no prompt at all',
      [step('s0'), refused],
      's0 m1',
      undefined,
    ],
    [
      'summarises everything if the marker is not in view',
      [user('u1'), user('u2')],
      'u1 u2',
      undefined,
    ],
  ])('%s', (...[, view, head, replayId]) => {
    const cut = cutForReplay({ view: frozen(view), parentId: 'm1', mayReplay: true });
    expect([ids(cut.head), cut.replay?.id]).toEqual([head, replayId]);
  });

  it('takes no prompt that the summary answers', () => {
    const view = frozen([user('u1'), user('u2'), user('u3')]);
    const cut = cutForReplay({ view, parentId: 'u3', mayReplay: true });
    expect([ids(cut.head), cut.replay?.id]).toEqual(['u1', 'u2']);
  });

  it('summarises the whole view where nothing is to be sent again', () => {
    const view = [user('u1'), step('s1'), user('u2'), refused];
    expect(cutForReplay({ view, parentId: 'm1', mayReplay: false })).toEqual({ head: view });
  });

  it('takes out the newest prompt with what follows it, and only what follows another prompt', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const view = [...history, last];
        const { head, replay } = cutForReplay({
          view: frozen(view),
          parentId: 'last',
          mayReplay: true,
        });
        fc.pre(replay !== undefined);
        expect([...head, replay]).toEqual(view.slice(0, head.length + 1));
        expect(view.slice(head.length + 1).filter(isPrompt)).toEqual([]);
        expect(head.some(isPrompt)).toBe(true);
      }),
    );
  });

  it('takes nothing out of a view with fewer than two prompts', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const [first] = history.filter(isPrompt);
        const view = [
          ...history.filter((message) => !isPrompt(message) || message === first),
          refused,
        ];
        expect(cutForReplay({ view: frozen(view), parentId: 'last', mayReplay: true })).toEqual({
          head: view,
        });
      }),
    );
  });
});

/** What is left of a view by a policy that differs in what it keeps. */
const plan = (view: readonly Message[], cut: CutPolicy, limits: Limits = { contextTokens: 0 }) =>
  planCut(
    { view: frozen(view), parentId: 'm1', mayReplay: false },
    resolvePolicy(policies['opencode-1.14.19'], { cut }),
    limits,
  );
const said = (id: string) => step(id, [text(`${id}-0`, id)]);

describe('planCut of what is pending', () => {
  const calling = step('s2', [tool('s2-0', 4)], { finish: 'tool-calls' });
  const view = [user('u1'), said('s1'), user('u2'), calling];
  const tailOf = (messages: readonly Message[], isAfterRefusal = false) =>
    planCut(
      { view: frozen(messages), parentId: 'm1', mayReplay: false, isAfterRefusal },
      resolvePolicy(policies['opencode-1.14.19'], { cut: { keep: 'pending' } }),
      { contextTokens: 0 },
    ).tailStartId;

  it.each<[string, readonly Message[], string | undefined]>([
    ['the step whose results wait', view, 's2'],
    ['such a step with which a view begins', [calling], 's2'],
    ['the prompt that nobody has answered', view.slice(0, 3), 'u2'],
    ['nothing where all is answered', view.slice(0, 2), undefined],
  ])('keeps %s', (_, messages, expected) => {
    expect(tailOf(messages)).toBe(expected);
  });

  it('keeps nothing after a refusal', () => {
    expect(tailOf(view, true)).toBeUndefined();
  });
});
const turns = [user('u1'), said('s1'), user('u2'), said('s2')];

describe('planCut of what is unanswered', () => {
  it.each<[string, Message[], string, (string | undefined)?, string?]>([
    ['the prompt behind the steps stays', turns.slice(0, 3), 'u1 s1', 'u2'],
    ['all stays where nothing was answered', [user('u1'), user('u2')], '', 'u1'],
    ['the newest prompt is said again', turns, 'u1 s1 u2 s2', undefined, 'u2'],
    ['nothing is said again where nobody asked', [said('s1')], 's1'],
  ])('%s', (_, view, summarised, tailId, replayId) => {
    const planOf = (mayReplay: boolean) =>
      planCut(
        { view: frozen(view), parentId: 'm1', mayReplay },
        resolvePolicy(policies.pi, { cut: { keep: 'unanswered' } }),
        { contextTokens: 0 },
      );
    const { head, tailStartId, replay } = planOf(true);
    expect([ids(head), tailStartId, replay?.id]).toEqual([summarised, tailId, replayId]);
    expect(planOf(false)).not.toHaveProperty('replay');
  });
});

describe('planCut', () => {
  it.each<[string, Message[], CutPolicy, string, string | undefined]>([
    ['keeps nothing', turns, { keep: 'nothing' }, 'u1 s1 u2 s2', undefined],
    ['keeps messages by number', turns, { keep: 'last-messages', count: 3 }, 'u1', 's1'],
    [
      'counts no marker among messages',
      [...turns, marker('m1')],
      { keep: 'last-messages', count: 1 },
      'u1 s1 u2',
      's2',
    ],
    ['keeps no message', turns, { keep: 'last-messages', count: 0 }, 'u1 s1 u2 s2', undefined],
    ['keeps turns by number', turns, { keep: 'last-turns', count: 1 }, 'u1 s1', 'u2'],
    [
      'keeps no turn apart if that were everything',
      turns,
      { keep: 'last-turns', count: 2 },
      'u1 s1 u2 s2',
      undefined,
    ],
    [
      'keeps no turn apart if there are fewer',
      turns,
      { keep: 'last-turns', count: 3 },
      'u1 s1 u2 s2',
      undefined,
    ],
  ])('%s', (...[, view, cut, head, tailStartId]) => {
    const planned = plan(view, cut);
    expect([ids(planned.head), planned.tailStartId]).toEqual([head, tailStartId]);
  });

  it.each<[string, Message[], string, string | undefined]>([
    ['what fits the budget', [...turns, marker('m1')], 'u1 s1 m1', 'u2'],
    ['nothing if that were everything', turns.slice(2), 'u2 s2', undefined],
    [
      'no older marker or summary',
      [marker('m0'), summary('sum', 'm0'), ...turns, marker('m1')],
      'm0 sum u1 s1 m1',
      'u2',
    ],
  ])('keeps of the newest turns %s', (...[, view, head, tailStartId]) => {
    const planned = plan(view, {
      keep: 'recent-turns',
      turns: 1,
      splitsTurns: false,
      maximumBudgetTokens: 8_000,
    });
    expect(ids(planned.head)).toBe(head);
    expect(planned.tailStartId).toBe(tailStartId);
  });

  /** A view behind a pivot, with an older turn or without, whose summary weighs some tokens. */
  const behind = (older: readonly Message[], tokens: number) => [
    ...older,
    marker('m0'),
    summary('sum', 'm0', { parts: [text('a', 'x'.repeat(4 * tokens))] }),
    user('u2'),
    said('s2'),
    marker('m1'),
  ];
  const older = [user('u0'), user('u1'), said('s1')];

  it.each<[string, Message[], [release: string, kept: string | undefined][]]>([
    [
      'hold an earlier pivot before 1.14.21, so that they do not start with its first turn',
      behind([], 10),
      [
        ['opencode-1.14.19', 'u2'],
        ['opencode-1.14.21', undefined],
        ['opencode-1.14.40', undefined],
      ],
    ],
    [
      'lose room to an earlier summary before 1.14.21',
      behind(older, 8_000),
      [
        ['opencode-1.14.19', 'u2'],
        ['opencode-1.14.21', 'u1'],
        ['opencode-1.14.40', 'u1'],
      ],
    ],
    [
      'have room for an earlier summary that is short',
      behind(older, 10),
      [
        ['opencode-1.14.19', 'u1'],
        ['opencode-1.14.21', 'u1'],
        ['opencode-1.14.40', 'u1'],
      ],
    ],
  ])('the newest turns %s', (_, view, kept) => {
    const pending = { view: frozen(view), parentId: 'm1', mayReplay: false };
    const limits = { contextTokens: 200_000 };
    const releases = ['opencode-1.14.19', 'opencode-1.14.21', 'opencode-1.14.40'] as const;
    const starts = releases.map((name) => [
      name,
      planCut(pending, policies[name], limits).tailStartId,
    ]);
    expect(starts).toEqual(kept);
  });
});

const oldSummary = summary('sum', 'm0', { parts: [text('a', 'all'), text('b', 'tail')] });

describe('planCut for a checkpoint', () => {
  it.each<[string, Message[], string, string | undefined]>([
    [
      'keeps the newest exchange as text, without what has none',
      [marker('m0'), user('u1'), said('s1'), user('u2'), step('empty'), said('s2'), marker('m1')],
      'u1 s1',
      '[User]: u2\n\n[Assistant]: s2',
    ],
    ['keeps nothing of a single exchange', turns.slice(2), 'u2 s2', undefined],
    ['keeps nothing of messages without text', [user('u1', ''), step('s1')], 'u1 s1', undefined],
    [
      'keeps a single exchange after a checkpoint that had kept one',
      [marker('m0'), oldSummary, ...turns.slice(2), marker('m1')],
      'sum',
      '[User]: u2\n\n[Assistant]: s2',
    ],
    [
      'keeps nothing of a single exchange after a checkpoint that had kept none',
      [marker('m0'), summary('sum', 'm0'), ...turns.slice(2)],
      'sum u2 s2',
      undefined,
    ],
    [
      'keeps nothing where nothing would be left to summarise',
      [...turns.slice(2), oldSummary],
      'u2 s2 sum',
      undefined,
    ],
  ])('%s', (...[, view, head, recent]) => {
    const planned = plan(view, { keep: 'checkpoint', tokens: 1 });
    expect(ids(planned.head)).toBe(head);
    expect(planned).toStrictEqual({ head: planned.head, ...(recent && { recent }) });
  });

  it.each([
    [10, 'u1 s1 u2 s2'],
    [11, 'u1 s1'],
    [17, 'u1 s1'],
    // Where all would stay, only the latest exchange does.
    [18, 'u1 s1 u2 s2'],
  ])('of three turns with room for %d tokens summarises %s', (tokens, head) => {
    const view = [...turns, user('u3'), said('s3')];
    expect(ids(plan(view, { keep: 'checkpoint', tokens }).head)).toBe(head);
  });

  it.each([
    [2_000, 'x'.repeat(2_000)],
    [2_001, `${'x'.repeat(2_000)}\n[truncated]`],
  ])('keeps of an output of %d characters what is within 2,000', (chars, kept) => {
    const view = [...turns, user('u3'), step('s3', [tool('t', chars)])];
    expect(plan(view, { keep: 'checkpoint', tokens: 1 }).recent).toContain(`]: ${kept}`);
  });
});

function isPrompt(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined;
}

const policy = policies['pi'];
/** A step that weighs that many tokens. */
const weighing = (id: string, tokens: number) =>
  step(id, [text(`${id}-0`, 'x'.repeat(tokens * 4))]);
const prompt = (id: string, tokens: number) => user(id, 'x'.repeat(tokens * 4));
const first = (messages: readonly Message[], cut: KeepSize) =>
  firstKept(frozen(messages), cut, { policy, limits: { contextTokens: 0 } })?.id;

describe('keepable', () => {
  it('leaves out markers and earlier summaries', () => {
    const view = [marker('c1'), summary('m1', 'c1'), user('u1'), step('s1'), marker('c2')];
    expect(keepable(view).map(({ id }) => id)).toEqual(['u1', 's1']);
  });
});

describe('firstKept', () => {
  const tens = ['a', 'b', 'c', 'd'].map((id) => weighing(id, 10));

  it.each([
    ['the message with which the sum is reached', 20, 'c'],
    ['one more where a token is missing', 21, 'b'],
    ['the newest message of all, however large', 1, 'd'],
    ['all where the sum is never reached', 100, 'a'],
  ])('of a number of tokens: %s', (_, tokens, expected) => {
    expect(first(tens, { keep: 'recent-messages', tokens })).toBe(expected);
  });

  const calling = step('b', [tool('b-0', 40)], { finish: 'tool-calls' });
  const calls = [weighing('a', 10), calling, weighing('c', 10)];

  it.each([
    ['goes where its results reach the sum', 20, 'c'],
    ['stays where only what it says does', 21, 'b'],
  ])('of a number of tokens: a step %s', (_, tokens, expected) => {
    expect(first(calls, { keep: 'recent-messages', tokens })).toBe(expected);
  });

  it('of a number of tokens: all where nothing stands behind the results that reach it', () => {
    expect(first(calls.slice(0, 2), { keep: 'recent-messages', tokens: 10 })).toBe('a');
  });

  it.each([
    ['the newest two', 2, 'c'],
    ['all of fewer', 9, 'a'],
  ])('of a number of messages: %s', (_, count, expected) => {
    expect(first(tens, { keep: 'newest-messages', count })).toBe(expected);
  });

  const calledTwice = ['u1', 's1', 's2', 's3'].map((id) =>
    id === 'u1' ? user(id) : step(id, [tool(`${id}-0`, 4)], { finish: 'tool-calls' }),
  );

  it.each<[string, readonly Message[], string]>([
    ['two steps with a result each', calledTwice, 's2'],
    ['a prompt, and as many steps as make it four', [...calledTwice, said('s4'), user('u2')], 's3'],
    ['all where it would begin behind a prompt', calledTwice.slice(0, 2), 'u1'],
  ])('of exchanges of four messages: %s', (_, messages, expected) => {
    const cut = { keep: 'newest-exchanges', count: 4, windowShare: 0.2 } as const;
    expect(first(messages, cut)).toBe(expected);
  });

  it.each<[string, number, string]>([
    ['so many of them', 2, 's2'],
    ['all, and not the prompt', 9, 's1'],
  ])('of a share with steps, in the middle of a turn: %s', (_, steps, expected) => {
    expect(first(calledTwice, { keep: 'last-share', share: 0.3, steps })).toBe(expected);
  });

  const stepsOf = (view: readonly Message[]) => first(view, { keep: 'newest-steps', tokens: 15 });

  it.each<[string, readonly Message[], string]>([
    ['the one that reaches the number stays', tens, 'c'],
    ['a session that begins with its only prompt', [prompt('p', 10), ...tens], 'c'],
    [
      'all from a later prompt on',
      [prompt('p', 1), weighing('a', 9), prompt('q', 1), ...tens],
      'q',
    ],
    ['a prompt behind a summary', [summary('m', 'x'), prompt('q', 1), ...tens], 'q'],
  ])('of steps of a number of tokens: %s', (_, view, expected) => {
    expect(stepsOf(view)).toBe(expected);
  });

  const share: KeepSize = { keep: 'last-share', share: 0.3 };
  const working = step('w', [tool('w-0', 400)], { finish: 'tool-calls' });

  it.each<[string, readonly Message[], string | undefined]>([
    [
      'the first prompt behind seven tenths',
      [prompt('u1', 9), weighing('a', 900), prompt('u2', 9), weighing('b', 90), prompt('u3', 9)],
      'u2',
    ],
    [
      'the newest prompt, also before that, while the model works',
      [prompt('u1', 9), weighing('a', 90), prompt('u2', 9), weighing('b', 900), working],
      'u2',
    ],
    ['the only prompt while the model works', [prompt('u1', 9), weighing('a', 90), working], 'u1'],
    [
      'nothing after a last word of the model',
      [prompt('u1', 9), weighing('a', 90), prompt('u2', 9), weighing('b', 900)],
      undefined,
    ],
  ])('of a share: %s', (_, messages, expected) => {
    expect(first(messages, share)).toBe(expected);
  });

  it('of a share: where all else stays, only an opening message may go', () => {
    const messages = [prompt('u1', 9), weighing('a', 90), working];
    const can = (opening: boolean) =>
      canCut(messages, resolvePolicy(policies['gemini-cli'], { cut: { ...share, opening } }), {
        contextTokens: 0,
      });
    expect([can(false), can(true)]).toEqual([false, true]);
  });

  it('of a share: takes characters as the model is sent them', () => {
    const messages = [prompt('u1', 100), weighing('a', 100), prompt('u2', 100), weighing('b', 50)];
    const at = (part: number) => first(messages, { keep: 'last-share', share: part });
    expect([at(0.42), at(0.5)]).toEqual([undefined, 'u2']);
    const alike = ['u1', 'u2', 'u3', 'u4'].map((id) => prompt(id, 9));
    expect(first(alike, { keep: 'last-share', share: 0.5 })).toBe('u3');
  });
});
