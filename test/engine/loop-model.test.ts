import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  type AssistantMessage,
  type ByAgeOptions,
  createLawChecker,
  createState,
  type LawName,
  type Limits,
  type LoopInput,
  type LoopState,
  type Move,
  type Policy,
  policies,
  resolvePolicy,
  type Tools,
  transition,
  type Violation,
} from '../../src/engine/index.ts';
import { frozen } from '../support/frozen.ts';
import { type Overrides, step, text, tool, usage, user } from '../support/history.ts';
import { byAge } from '../support/sessions.ts';
import { testTools } from '../support/tools.ts';

const RUNS = 60;
const MOST_COMMANDS = 40;
/** Answers after which a session is at rest, besides one for each chunk of a head. */
const MOST_ANSWERS = 10;
/** Times that each case is reached in the runs of one preset, at least. */
const REACHED = 2;

type PhaseName = LoopState['phase']['state'];

/** What is known of a session without looking into it. */
interface Model {
  phase: PhaseName;
  /** Messages that were taken in, in the order in which the history holds them. */
  readonly taken: string[];
  /** Where among them the answer to the newest request belongs. */
  askedAt: number;
  lastId: number;
}

/** A session with what watches over it. */
interface Session {
  state: LoopState;
  readonly tools: Tools;
  readonly check: (move: Move) => readonly Violation[];
  readonly allowed: ReadonlySet<LawName>;
  readonly cases: Cases;
}

/** How often something was met in the runs of one preset. */
type Cases = Record<CaseName, number>;
type CaseName =
  | 'overflow'
  | 'pivot'
  | 'failed summary'
  | 'abort while stepping'
  | 'abort while summarising'
  | 'prune'
  | 'prompt while stepping'
  | 'prompt while summarising'
  | 'refusal'
  | 'another model while summarising';

/** What an input leads to: one command, none, or that it is not taken at all. */
type Outcome = 'answered' | 'silent' | 'ignored';

/** One kind of input: when it comes, and what it leads to. */
interface Kind {
  readonly name: string;
  readonly comesIn: readonly PhaseName[];
  readonly input: (id: string) => LoopInput;
  readonly outcome: (phase: PhaseName, policy: Policy) => Outcome;
}

const ANYWHERE: readonly PhaseName[] = ['waiting', 'requested', 'summarising'];
const BUSY: readonly PhaseName[] = ['requested', 'summarising'];
const WAITS_FOR = { request: 'requested', summarise: 'summarising', stop: 'waiting' } as const;
const error = { name: 'APIError', message: 'overloaded' };
const GOOD = '## Goal\n## Objective\nAll.';
const windows: readonly Limits[] = [
  { contextTokens: 0 },
  { contextTokens: 150, outputTokens: 20 },
  { contextTokens: 400, outputTokens: 50, inputTokens: 300 },
  { contextTokens: 1_000, outputTokens: 50 },
];
const ROOMY: Limits = { contextTokens: 1_000_000, outputTokens: 1_000 };

const prompt: Kind = {
  name: 'prompt',
  comesIn: ANYWHERE,
  input: (id) => ({ type: 'user-message', message: user(id, `${id}: ${'p'.repeat(40)}`) }),
  outcome: (phase) => (phase === 'waiting' ? 'answered' : 'silent'),
};

/** A finished step with an output of 50 tokens, and one that is protected. */
function stepKind(name: string, overrides: Overrides<AssistantMessage>): Kind {
  return {
    name: `step ${name}`,
    comesIn: ['requested'],
    input: (id) => {
      const outputs = [tool(`${id}-1`, 200), tool(`${id}-2`, 200, { tool: 'skill' })];
      const message = step(id, [text(`${id}-0`, id), ...outputs], overrides);
      return { type: 'step-finished', message };
    },
    outcome: (phase) => (phase === 'summarising' ? 'ignored' : 'answered'),
  };
}

function summaryKind(name: string, input: LoopInput): Kind {
  return {
    name: `summary ${name}`,
    comesIn: ['summarising'],
    input: () => input,
    outcome: (phase) => (phase === 'summarising' ? 'answered' : 'ignored'),
  };
}

const under = usage({ input: 60 });
/** Over the smaller windows, and no more than the larger ones. */
const over = usage({ input: 380 });
const steps: readonly Kind[] = [
  stepKind('under, final', { usage: under }),
  stepKind('under, goes on', { usage: under, finish: 'tool-calls' }),
  stepKind('at the window, final', { usage: usage({ input: 150 }) }),
  stepKind('over, final', { usage: over }),
  stepKind('over, goes on', { usage: over, finish: 'tool-calls' }),
  stepKind('far over, goes on', { usage: usage({ input: 990 }), finish: 'tool-calls' }),
  stepKind('beyond any window', { usage: usage({ input: 5_000 }), finish: 'tool-calls' }),
  stepKind('without usage', { finish: 'tool-calls' }),
  stepKind('cut off', { usage: over, finish: undefined }),
  stepKind('failed', { usage: under, finish: undefined, error }),
];

function finished(summary: string, finish = 'stop'): LoopInput {
  return { type: 'summary-finished', result: { text: summary, finish, usage: under } };
}
const good = summaryKind('good', finished(GOOD));
const otherSummaries: readonly Kind[] = [
  summaryKind('empty', finished('')),
  summaryKind('without headings', finished('All of it.')),
  summaryKind('larger', finished(GOOD.padEnd(12_000, 'x'))),
  summaryKind('cut off', finished(GOOD, 'length')),
  summaryKind('a tool call', finished('<tool_call>bash</tool_call>', 'tool-calls')),
  summaryKind('failed', { type: 'summary-failed', error, isOverflow: false }),
  summaryKind('too large', { type: 'summary-failed', error, isOverflow: true }),
];

const ends: readonly Kind[] = [
  {
    name: 'step refused',
    comesIn: ['requested'],
    input: () => ({ type: 'step-refused', error }),
    outcome: (phase) => (phase === 'summarising' ? 'ignored' : 'answered'),
  },
  ...[false, true].map(
    (hasWritten): Kind => ({
      name: hasWritten ? 'aborted in the middle' : 'aborted',
      comesIn: BUSY,
      input: (id) => ({
        type: 'aborted',
        ...(hasWritten && { message: step(id, [tool(`${id}-0`, 200)], { finish: undefined }) }),
      }),
      outcome: (phase) => (phase === 'waiting' ? 'ignored' : 'answered'),
    }),
  ),
];
const turnEnded: Kind = {
  name: 'turn ended',
  comesIn: ['waiting', 'requested'],
  input: () => ({ type: 'turn-ended' }),
  outcome: (phase) => (phase === 'summarising' ? 'ignored' : 'silent'),
};
const byHand: Kind = {
  name: 'compact',
  comesIn: ['waiting'],
  input: () => ({ type: 'compact' }),
  outcome: (phase, { cut }) =>
    phase === 'waiting' && cut.keep !== 'everything' ? 'answered' : 'ignored',
};
const idle: Kind = {
  name: 'idle',
  comesIn: ANYWHERE,
  input: () => ({ type: 'idle', sinceMs: 1 }),
  outcome: () => 'silent',
};
const models = windows.map(
  (limits): Kind => ({
    name: `model of ${limits.contextTokens} tokens`,
    comesIn: ANYWHERE,
    input: () => ({ type: 'model-changed', limits }),
    outcome: () => 'silent',
  }),
);
const all = [prompt, ...steps, good, ...otherSummaries, ...ends, turnEnded, byHand, idle];
/** Inputs that nothing waits for. */
const strays = all.map(
  (kind): Kind => ({ ...kind, name: `stray ${kind.name}`, comesIn: ANYWHERE }),
);

/** What is done in each phase. */
type Plan = (phase: PhaseName) => Kind | undefined;

const pick = (...kinds: readonly Kind[]) =>
  fc
    .constantFrom(...kinds)
    .map(
      (kind): Plan =>
        (phase) =>
          kind.comesIn.includes(phase) ? kind : undefined,
    )
    .map(toCommand);
/** An answer to whatever a session waits for; a prompt where that is nothing. */
const answers = fc
  .record({
    waiting: fc.constant(prompt),
    requested: fc.constantFrom(...steps),
    summarising: fc.oneof(fc.constant(good), fc.constantFrom(good, ...otherSummaries)),
  })
  .map(
    (kinds): Plan =>
      (phase) =>
        kinds[phase],
  )
  .map(toCommand);
/** Each has the same chance. */
const commands = fc.commands(
  [
    ...Array.from({ length: 10 }, () => answers),
    pick(prompt),
    pick(prompt),
    pick(prompt),
    pick(...ends),
    pick(...ends),
    pick(turnEnded),
    pick(turnEnded),
    pick(byHand),
    pick(byHand),
    pick(...models),
    pick(idle, ...models),
    pick(...strays),
  ],
  { maxCommands: MOST_COMMANDS, size: 'max' },
);

function toCommand(plan: Plan): fc.Command<Model, Session> {
  return {
    check: ({ phase }) => plan(phase) !== undefined,
    run: (model, session) => {
      const kind = plan(model.phase)!;
      model.lastId += 1;
      const before = session.state;
      const input = frozen(kind.input(`i${model.lastId}`));
      const next = transition(before, input, session.tools);
      const move: Move = { before, input, next };
      session.state = frozen(next.state);
      countCases(move, session.cases);
      const expected = kind.outcome(model.phase, before.policy);
      follow(model, move);
      expect({
        outcome: outcomeOf(move),
        phase: next.state.phase.state,
        faults: faultsIn(model, session, move),
        endless: before.phase === next.state.phase ? [] : endlessWays(next.state),
      }).toEqual({ outcome: expected, phase: model.phase, faults: [], endless: [] });
    },
    toString: () => ANYWHERE.map((phase) => `${phase}: ${plan(phase)?.name ?? '-'}`).join(', '),
  };
}

/** Whether an input led to what it leads to in that phase. */
function outcomeOf({ before, next }: Move): Outcome | undefined {
  const isIgnored = next.events.some(({ type }) => type === 'ignored');
  if (isIgnored) return next.state === before && next.commands.length === 0 ? 'ignored' : undefined;
  if (next.commands.length > 1) return undefined;
  return next.commands.length === 1 ? 'answered' : 'silent';
}

/** The model after an input: it waits for what the newest command asks for. */
function follow(model: Model, { before, input, next }: Move): void {
  const isTaken = next.state !== before;
  const isStepping = model.phase === 'requested';
  const isKept = input.type === 'aborted' ? isStepping : isTaken;
  if (isKept && 'message' in input && input.message) {
    const isAnswer = isStepping && input.message.role === 'assistant';
    model.taken.splice(isAnswer ? model.askedAt : model.taken.length, 0, input.message.id);
  }
  if (input.type === 'turn-ended' && isTaken) model.phase = 'waiting';
  const [command] = next.commands;
  if (command === undefined) return;
  model.phase = WAITS_FOR[command.type];
  if (command.type === 'request') model.askedAt = model.taken.length;
}

/** Messages that are gone, doubled or in the wrong place, and laws that are broken. */
function faultsIn({ taken }: Model, { state, check, allowed }: Session, move: Move) {
  const ids = state.history.map(({ id }) => id);
  const kept = new Set(ids);
  const known = new Set(taken);
  return [
    ...taken.filter((id) => !kept.has(id)),
    ...ids.filter((id) => known.has(id)).filter((id, index) => taken[index] !== id),
    ...ids.filter((id, index) => kept.size < ids.length && ids.indexOf(id) < index),
    ...check(move).filter(({ law }) => !allowed.has(law)),
  ];
}

/**
 * Ways to answer that a session does not end by. Summaries end, however they turn out; and a step that is far
 * below the limit of a roomy model ends the turn.
 */
function endlessWays(start: LoopState): readonly string[] {
  const { phase } = start;
  if (phase.state === 'waiting') return [];
  const limit = MOST_ANSWERS + (phase.state === 'summarising' ? phase.cut.head.length : 0);
  const kinds = phase.state === 'summarising' ? [good, ...otherSummaries] : [];
  const ways = kinds.filter((kind) => {
    return !endsWithin(limit, start, { end: 'requested', summary: kind.input('') });
  });
  const roomy = transition(start, { type: 'model-changed', limits: ROOMY }, testTools()).state;
  const isAtRest = endsWithin(limit, roomy, { end: 'waiting', summary: good.input('') });
  return [...ways.map(({ name }) => name), ...(isAtRest ? [] : ['a roomy model'])];
}

/** Whether a session waits for no summary, or for nothing at all, after that many answers. */
function endsWithin(
  limit: number,
  start: LoopState,
  way: { readonly end: 'requested' | 'waiting'; readonly summary: LoopInput },
): boolean {
  let lastId = 0;
  const tools: Tools = { now: 2, newId: (prefix) => `rest-${prefix}-${++lastId}` };
  let state = start;
  for (let count = 0; count <= limit; count += 1) {
    if (state.phase.state === 'waiting' || state.phase.state === way.end) return true;
    const last = step(`rest-${count}`, [text(`rest-${count}-0`, 'Done.')], { usage: usage() });
    const finishes: LoopInput = { type: 'step-finished', message: last };
    const input = state.phase.state === 'summarising' ? way.summary : finishes;
    state = transition(state, input, tools).state;
  }
  return false;
}

function countCases({ before, input, next }: Move, cases: Cases): void {
  const { state } = before.phase;
  for (const event of next.events) {
    if (event.type === 'overflow') cases[event.path === 'refused' ? 'refusal' : 'overflow'] += 1;
    if (event.type === 'compacted') cases.pivot += 1;
    if (event.type === 'pruned' && event.plan.state === 'fire') cases.prune += 1;
    if (event.type === 'summary-failed' || event.type === 'summary-rejected') {
      cases['failed summary'] += 1;
    }
  }
  if (state === 'waiting') return;
  const during = state === 'summarising' ? 'summarising' : 'stepping';
  if (input.type === 'aborted') cases[`abort while ${during}`] += 1;
  if (input.type === 'user-message') cases[`prompt while ${during}`] += 1;
  if (input.type === 'model-changed' && state === 'summarising') {
    cases['another model while summarising'] += 1;
  }
}

function noCases(): Cases {
  return {
    overflow: 0,
    pivot: 0,
    'failed summary': 0,
    'abort while stepping': 0,
    'abort while summarising': 0,
    prune: 0,
    'prompt while stepping': 0,
    'prompt while summarising': 0,
    refusal: 0,
    'another model while summarising': 0,
  };
}

/** The cases that a policy can meet. */
function casesOf({ trigger, prune, cut }: Policy): readonly CaseName[] {
  const pivots = cut.keep !== 'everything';
  return [
    'refusal',
    'abort while stepping',
    'prompt while stepping',
    ...(trigger.auto ? ['overflow' as const] : []),
    ...(prune.enabled ? ['prune' as const] : []),
    ...(pivots
      ? ([
          'pivot',
          'failed summary',
          'abort while summarising',
          'prompt while summarising',
          'another model while summarising',
        ] as const)
      : []),
  ];
}

/** Presets with a prune and a reserve in the size of the sessions. */
const presets = Object.values<Policy>(policies).map((preset) =>
  resolvePolicy(preset, {
    prune: { byAge: noLargerThan(preset.prune.byAge) },
    trigger: { reservedTokens: 20 },
  }),
);
const table = presets.map((policy) => [policy.name, policy] as const);

describe('any order of inputs', () => {
  it.each(table)('is worked off without a loop or a broken law: %s', (_, preset) => {
    const cases = noCases();
    for (const policy of [preset, resolvePolicy(preset, { guards: ALL_GUARDS })]) {
      fc.assert(
        fc.property(fc.constantFrom(...windows), commands, (limits, list) => {
          fc.modelRun(() => startSession(policy, limits, cases), list);
        }),
        { numRuns: RUNS },
      );
    }
    expect(casesOf(preset).filter((name) => cases[name] < REACHED)).toEqual([]);
  });
});

function startSession(policy: Policy, limits: Limits, cases: Cases) {
  const model: Model = { phase: 'waiting', taken: [], askedAt: 0, lastId: 0 };
  const real: Session = {
    state: frozen(createState(policy, limits)),
    tools: testTools(),
    check: createLawChecker(),
    allowed: new Set(policy.breaks.map(({ law }) => law)),
    cases,
  };
  return { model, real };
}

function noLargerThan(preset: ByAgeOptions): Partial<ByAgeOptions> {
  return {
    protectTokens: Math.min(byAge.protectTokens, preset.protectTokens),
    minimumTokens: Math.min(byAge.minimumTokens, preset.minimumTokens),
    guardTurns: Math.min(byAge.guardTurns, preset.guardTurns),
  };
}
