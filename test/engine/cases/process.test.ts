import { describe, expect, it } from 'vitest';
import {
  createState,
  type Hooks,
  type LoopInput,
  type LoopState,
  type Message,
  planCut,
  policies,
  type Policy,
  readLatest,
  resolvePolicy,
  type SummaryRequest,
  type TailRuleName,
  tailRules,
  transition,
  viewOf,
} from '../../../src/engine/index.ts';
import { startPivot } from '../../../src/engine/pivot/pivot.ts';
import { frozen } from '../../../src/engine/values.ts';
import { namesOf } from '../../support/drive.ts';
import { file, marker, step, summary, text, user } from '../../support/history.ts';
import { summarised, summaryOverflowed } from '../../support/script.ts';
import { canCut } from '../../../src/engine/pivot/cut.ts';
import { smallPresets } from '../../support/small-presets.ts';
import { testTools } from '../../support/tools.ts';

const LIMITS = { contextTokens: 200_000, outputTokens: 32_000 };

/** A compaction of a history by one input and the answers that follow. */
const THREE_TURNS = [
  user('u1', 'older context'),
  user('u2', 'keep this turn'),
  user('u3', 'and this one too'),
  step('a3', [text('a3-0', 'done')], { parentId: 'u3' }),
];

/** Tests if a policy asks for a summary of so short a session: some keep all of it, and some ask nobody. */
const asksAboutTurns = (policy: Policy) =>
  policy.cut.keep !== 'everything' &&
  policy.summary.fixedText === undefined &&
  canCut(THREE_TURNS, policy, LIMITS);

interface Process {
  readonly state: LoopState;
  /** What the summarizer was asked first. */
  readonly request: SummaryRequest;
  readonly events: readonly string[];
}

/** Works off the marker at the end of a history, or one that is set by hand. */
function process(
  policy: Policy,
  history: readonly Message[],
  options: { readonly answer?: LoopInput; readonly hooks?: Hooks } = {},
): Process {
  const { answer = summarised(), hooks } = options;
  const tools = { ...testTools(), ...(hooks && { hooks }) };
  const waiting: LoopState = { ...createState(policy, LIMITS), history };
  const started = pendingIn(waiting)
    ? startPending(waiting, tools)
    : transition(frozen(waiting), { type: 'compact' }, tools);
  const ended = transition(frozen(started.state), answer, tools);
  const [command] = started.commands;
  if (command?.type !== 'summarise') throw new Error('expected a summary request');
  return {
    state: ended.state,
    request: command.request,
    events: ended.events.map(({ type }) => type),
  };
}

function pendingIn(state: LoopState): boolean {
  return readLatest(viewOf(state)).pendingMarkers.length > 0;
}

function startPending(state: LoopState, tools: ReturnType<typeof testTools>) {
  const { pendingMarkers, user: lastUser } = readLatest(viewOf(state));
  const pending = { view: viewOf(state), marker: pendingMarkers[0]!, lastUser: lastUser! };
  const { phase, request } = startPivot(state, pending, tools);
  return { state: { ...state, phase }, commands: [{ type: 'summarise', request } as const] };
}

/** A release with a tail of so many turns and tokens. */
function withTail(policy: Policy, rule: TailRuleName, turns: number, tokens: number): Policy {
  return resolvePolicy(policy, {
    cut: { keep: 'recent-turns', ...tailRules[rule], turns, tokens },
  });
}

function tailOf({ state }: Process): string | undefined {
  const part = state.history
    .flatMap(({ parts }) => parts)
    .findLast(({ type }) => type === 'compaction');
  return part?.type === 'compaction' ? part.tailStartId : undefined;
}

const asked = ({ request }: Process) => JSON.stringify(request.messages) + request.prompt;
const byHand = (id: string) => marker(id, { auto: false });
const {
  'opencode-1.2.16': old,
  'opencode-1.14.19': chronological,
  'opencode-1.14.21': anchored,
  'opencode-1.14.40': moved,
  'opencode-1.15': byId,
  'opencode-1.16': heedful,
  'opencode-1.18': latest,
} = policies;
const since11421 = [anchored, moved, byId, heedful, latest];
const onlyUser = [user('u1', 'hello')];

describe('process', () => {
  it('process-001: only a user message can be a marker that a summary answers', () => {
    const part = byHand('c1').parts[0]!;
    const history = [user('u1', 'hello'), step('a1', [part], { finish: 'tool-calls' })];
    expect(readLatest(history).pendingMarkers).toEqual([]);
    const { state } = process(latest, history);
    const summaries = state.history.filter(
      (message) => message.role === 'assistant' && message.summary,
    );
    const parents = summaries.map((message) => message.role === 'assistant' && message.parentId);
    const roles = parents.map((id) => state.history.find((message) => message.id === id)?.role);
    expect(roles).toEqual(['user']);
  });

  it.each(since11421)(
    'process-002: a compaction by hand is announced, and nothing is said after it: $name',
    (policy) => {
      const { state, events } = process(policy, onlyUser);
      expect(events).toEqual(['compacted']);
      expect(namesOf(state.history)).toBe('u1 marker summary');
    },
  );

  it.each<[string, Message[], string]>([
    ['nothing was taken out', onlyUser, 'Session too large to compact'],
    [
      'a prompt was taken out',
      [user('u1'), user('u2'), marker('c1', { overflow: true })],
      'Conversation history too large to compact',
    ],
  ])(
    'process-003: a summary request that is too large leaves an error and is not tried again: %s',
    (_, history, message) => {
      const { state, events } = process(old, history, { answer: summaryOverflowed });
      expect(events).toEqual(['summary-failed']);
      expect(state.phase.state).toBe('waiting');
      expect(state.history.at(-1)).toMatchObject({
        summary: true,
        finish: 'error',
        error: { name: 'ContextOverflowError', message: expect.stringContaining(message) },
      });
    },
  );

  it('process-005: a host may veto the continue text', () => {
    const history = [user('u1', 'hello'), marker('c1')];
    const { state } = process(latest, history, { hooks: { autoContinue: () => false } });
    expect(namesOf(state.history)).toBe('u1 marker summary');
    expect(namesOf(process(latest, history).state.history)).toBe('u1 marker summary continue');
  });

  const three = [user('u1', 'first'), user('u2', 'second'), user('u3', 'third'), byHand('c1')];

  it.each([
    ['opencode-1.14.19', withTail(chronological, 'v1.14.19', 2, 10_000)],
    ['opencode-1.14.21', withTail(anchored, 'v1.14.21', 2, 10_000)],
    ['opencode-1.18', withTail(latest, 'v1.14.21', 2, 10_000)],
  ])('process-006: the two newest turns stay, and the marker says so: %s', (_, policy) => {
    expect(tailOf(process(policy, three))).toBe('u2');
  });

  it('process-007: the tail shrinks to what fits', () => {
    const history = [
      user('u1', 'first'),
      user('u2', 'x'.repeat(2_000)),
      user('u3', 'tiny'),
      byHand('c1'),
    ];
    expect(tailOf(process(withTail(chronological, 'v1.14.19', 2, 100), history))).toBe('u3');
  });

  it.each(since11421)(
    'process-008: a newest turn that does not fit is summarised with the rest: $name',
    (policy) => {
      const history = [user('u1', 'first'), user('u2', 'y'.repeat(2_000)), byHand('c1')];
      const done = process(withTail(policy, 'v1.14.21', 1, 20), history);
      expect(tailOf(done)).toBeUndefined();
      expect(asked(done)).toContain('yyyy');
    },
  );

  it('process-009: media counts in full against the tail, and goes to the summarizer as a line', () => {
    const image = file('f', 'image/png', {
      filename: 'big.png',
      url: `data:image/png;base64,${'A'.repeat(4_000)}`,
    });
    const history = [user('u1', 'older'), user('u2', 'recent image turn', image), byHand('c1')];
    const done = process(withTail(chronological, 'v1.14.19', 1, 100), history);
    expect(tailOf(done)).toBeUndefined();
    expect(asked(done)).toContain('recent image turn');
    expect(asked(done)).toContain('[Attached image/png: big.png]');
    expect(asked(done)).not.toContain('AAAA');
  });

  it.each([
    ['behind the summary', moved, 'marker summary a2'],
    ['in order of time until 1.14.39', anchored, 'a2 marker summary'],
  ])('process-010: the end of a turn stays where the whole does not fit: %s', (...row) => {
    const [, policy, shown] = row;
    const history = [
      user('u1', 'older'),
      user('u2', 'recent turn'),
      step('a1', [text('a1-0', 'z'.repeat(2_000))], { parentId: 'u2' }),
      step('a2', [text('a2-0', 'keep tail')], { parentId: 'u2' }),
      byHand('c1'),
    ];
    const done = process(withTail(policy, 'v1.14.21', 1, 100), history);
    expect(tailOf(done)).toBe('a2');
    expect(asked(done)).toContain('zzzz');
    expect(asked(done)).not.toContain('keep tail');
    expect(namesOf(viewOf(done.state))).toBe(shown);
  });

  it.each(since11421)(
    'process-012: the next summary is given the one before, once, in a block of its own: $name',
    (policy) => {
      const none = withTail(policy, 'v1.14.21', 0, 0);
      const answer: LoopInput = {
        type: 'summary-finished',
        result: { text: 'summary one', finish: 'stop' },
      };
      const older = [user('u1', 'older context'), user('u2', 'keep this turn')];
      const first = process(none, older, { answer });
      const second = process(none, [...first.state.history, user('u3', 'latest turn')]);
      const block = '<previous-summary>\nsummary one\n</previous-summary>';
      expect(second.request.prompt).toContain(block);
      expect(asked(second).split('summary one')).toHaveLength(2);
    },
  );

  it.each(since11421)(
    'process-014: earlier summaries take nothing from the budget of the tail: $name',
    (policy) => {
      const history = [
        user('u1', 'older'),
        user('u2', 'keep this turn'),
        step('a2', [text('a2-0', 'keep reply')], { parentId: 'u2' }),
        byHand('c1'),
        summary('s1', 'c1', { finish: 'end_turn', parts: [text('s1-0', 'summary '.repeat(800))] }),
        user('u3', 'recent turn'),
        step('a3', [text('a3-0', 'recent reply')], { parentId: 'u3' }),
        byHand('c2'),
      ];
      const pending = { view: history, parentId: 'c2', mayReplay: false };
      expect(planCut(pending, withTail(policy, 'v1.14.21', 2, 500), LIMITS).tailStartId).toBe('u2');
    },
  );

  it('process-015: a refused prompt is sent again, its media as text, and only what precedes it is summarised', () => {
    const image = file('f', 'image/png', {
      filename: 'cat.png',
      url: 'https://example.com/cat.png',
    });
    const history = [
      user('u1', 'root'),
      user('u2', 'image', image),
      marker('u3', { overflow: true }),
    ];
    const { state, request } = process(latest, history);
    const last = state.history.at(-1);
    expect(namesOf(request.messages)).toBe('u1');
    expect(last?.role).toBe('user');
    expect(last?.parts.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(last?.parts).toMatchObject([
      { text: 'image' },
      { text: '[Attached image/png: cat.png]' },
    ]);
  });

  it('process-017: what the refused turn had done is in neither summary nor view', () => {
    const history = [
      user('u1', 'root'),
      user('u2', 'do it'),
      step('a2', [text('a2-0', 'partial work')], { parentId: 'u2', finish: 'tool-calls' }),
      marker('c1', { overflow: true }),
    ];
    const { state, request } = process(old, history);
    expect(namesOf(request.messages)).toBe('u1');
    expect(namesOf(viewOf(state))).toBe('marker summary replay');
    expect(JSON.stringify(viewOf(state))).not.toContain('partial work');
  });

  it.each(smallPresets.filter(asksAboutTurns))(
    'process-022: no preset puts the tail into the prompt, as a build did that was never released: $name',
    (policy) => {
      const { request } = process(policy, THREE_TURNS);
      expect(request.prompt).not.toContain('recent-conversation-tail');
      expect(request.prompt).not.toContain('and this one too');
    },
  );
});
