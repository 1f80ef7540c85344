import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  createLawChecker,
  createState,
  type LawName,
  type Limits,
  type LoopInput,
  type LoopState,
  type Message,
  type Move,
  type Policy,
  resolvePolicy,
  type Tools,
  type Transition,
  transition,
  viewOf,
  type Violation,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { step, text, usage } from '../support/history.ts';
import {
  ANYWHERE,
  byHand,
  ends,
  good,
  idle,
  type Kind,
  models,
  otherSummaries,
  type Outcome,
  type PhaseName,
  prompt,
  ROOMY,
  steps,
  strays,
  turnEnded,
  windows,
} from '../support/input-kinds.ts';
import { type Cases, casesOf, countCases, noCases } from '../support/loop-cases.ts';
import { tinyPresets } from '../support/small-presets.ts';
import { testTools } from '../support/tools.ts';

const RUNS = 45;
const MOST_COMMANDS = 40;
/** Answers after which a session is at rest, besides one for each chunk of a head, or each of its parts. */
const MOST_ANSWERS = 10;
/** Times that each case is reached in the runs of one preset, at least. */
const REACHED = 2;

/** What is known of a session without looking into it. */
interface Model {
  phase: PhaseName;
  /** Messages that were taken in, in the order in which the history holds them. */
  readonly taken: string[];
  /** Where among them the answer to the newest request belongs. */
  askedAt: number;
  /** How many of them the newest summary was asked about, and how many the newest that is in force. */
  summarising: number;
  summarised: number;
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

const WAITS_FOR = { request: 'requested', summarise: 'summarising', stop: 'waiting' } as const;

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
    pick(idle),
    pick(idle),
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
      const said = model.taken.length > model.summarised ? 'something' : 'nothing';
      const expected = kind.outcome(model.phase, before.policy, said);
      follow(model, move);
      expect({
        outcome: expected === 'either' ? 'either' : outcomeOf(move),
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
  if (next.events.some(({ type }) => type === 'compacted')) model.summarised = model.summarising;
  const [command] = next.commands;
  if (command === undefined) return;
  if (command.type === 'summarise' && model.phase !== 'summarising')
    model.summarising = model.taken.length;
  model.phase = WAITS_FOR[command.type];
  if (command.type === 'request') model.askedAt = model.taken.length;
}

/** A prompt that waits may be sent as a reminder, which is another object. */
function isSame(shown: Message, sent: Message | undefined, { resume }: Policy): boolean {
  return shown === sent || (resume.wrapQueued && shown.id === sent?.id);
}

/** Requests that show something else than the state that waits for them. */
function misshown({ state, commands: asked }: Transition): readonly string[] {
  return asked.flatMap((command) => {
    if (command.type !== 'request') return [];
    const shown = viewOf(state);
    const isShown = ({ length }: typeof shown) =>
      length === shown.length &&
      shown.every((message, index) => isSame(message, command.view[index], state.policy));
    return isShown(command.view) ? [] : ['another view'];
  });
}

/** Summaries of nothing that a policy asks for which looks for texts. */
function askedInVain({ before, next }: Move): readonly string[] {
  if (before.policy.cut.keep !== 'checkpoint') return [];
  return next.commands.flatMap((command) =>
    command.type === 'summarise' && command.request.messages.length === 0 ? ['nothing'] : [],
  );
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
    ...misshown(move.next),
    ...askedInVain(move),
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
  const head = phase.state === 'summarising' ? phase.cut.head : [];
  const limit = MOST_ANSWERS + head.length + head.flatMap(({ parts }) => parts).length;
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

/** Where the newest step waits apart from the head is more than the model of this test knows. */
const table = tinyPresets
  .filter(({ cut }) => cut.keep !== 'pending')
  .map((policy) => [policy.name, policy] as const);

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
  const model: Model = {
    phase: 'waiting',
    taken: [],
    askedAt: 0,
    summarising: 0,
    summarised: 0,
    lastId: 0,
  };
  const real: Session = {
    state: frozen(createState(policy, limits)),
    tools: testTools(),
    check: createLawChecker(),
    allowed: new Set(policy.breaks.map(({ law }) => law)),
    cases,
  };
  return { model, real };
}
