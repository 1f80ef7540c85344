import {
  type Command,
  explainMove,
  isSummary,
  type LoopInput,
  markerOf,
  type Message,
  type Move,
  type MoveExplanation,
  type Policy,
  type PruneExplanation,
  type StopReason,
  viewOf,
} from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { keepIn } from '../lib/collections.ts';
import type { StandingItem } from '../replay/references/reference.ts';
import { type RunOptions, runTrace } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import { createLossTeller, isLoss, type ToldLoss } from './tell-loss.ts';

/** A message that the policy added by itself. */
export interface AddedMessage {
  readonly messageId: string;
  readonly kind: 'marker' | 'summary' | 'continue' | 'replay';
}

/** A prune's comparison and choice, and whether a request shows it. */
export interface ToldPrune extends PruneExplanation {
  /** All that its move cleared stood behind a summary already; absent where that is not so. */
  readonly isBehindSummary?: true;
}

/** A request that the provider did not take. */
type Refusal = RunEvent & { readonly type: 'step-refused' };

/** One input to the engine and all that came of it; without one where nobody knows what was decided. */
export interface Moment extends MoveExplanation {
  readonly input?: LoopInput['type'];
  /** The refusal that this input reports to the policy; absent otherwise. */
  readonly refusal?: Refusal;
  readonly prune?: ToldPrune;
  /** Its recorded events, in order. */
  readonly events: RunEvent[];
  readonly added: readonly AddedMessage[];
  /** The last command of the engine. */
  readonly command?: Command['type'];
  readonly stopReason?: StopReason;
}

/** Moments before and after one step. */
export interface StepStory {
  readonly step: number;
  readonly turn: number;
  /** The step as replayed; absent where the run ended before it. */
  facts?: RunEvent & { readonly type: 'step-end' };
  readonly before: Moment[];
  /** Texts, calls and outputs that its request did not show any more because the window had moved on. */
  slidParts: number;
  readonly after: Moment[];
  /** Moments at the end of its turn, if it was the turn's last step. */
  readonly turnEnd: Moment[];
}

/** A run explained step by step. */
export interface RunStory {
  readonly policy: Policy;
  /** Absent where the run has not got so far. */
  readonly start?: (RunEvent & { readonly type: 'run-start' }) | undefined;
  readonly end?: (RunEvent & { readonly type: 'run-end' }) | undefined;
  readonly steps: readonly StepStory[];
  /** The user's constraints and the files of the work that no message, call or summary in view names any more at the end. */
  readonly gone?: readonly StandingItem[];
  /** Content that steps needed and no request showed, in order; content counts once until it is read again. */
  readonly losses?: readonly ToldLoss[];
}

/** Takes in a run's moves and events as they come. */
interface StoryTeller {
  readonly onTransition: (move: Move) => void;
  readonly onEvent: (event: RunEvent) => void;
  readonly tell: () => RunStory;
}

/** Where in a run its teller is. */
interface Place {
  step: number;
  turn: number;
  part: 'before' | 'after' | 'turnEnd';
}

/** Replays a trace and explains the decisions at each step; `named` is the same one with its texts, where that has none. */
export function explainRun(trace: Trace, options: RunOptions, named = trace): RunStory {
  const teller = createStoryTeller(options.policy);
  const events = runTrace(trace, { ...options, onTransition: teller.onTransition });
  return tellRun(named, events, teller);
}

/** Explains a run whose decisions nobody knows: what happened before each step, and that it broke the cache. */
export function explainEvents(trace: Trace, events: Iterable<RunEvent>, policy: Policy): RunStory {
  return tellRun(trace, events, createEventTeller(policy));
}

/**
 * Tests if everything that a move cleared lies behind an earlier summary, so that no request shows the change; false if it cleared
 * nothing.
 */
export function isAllBehindSummary({ before, next }: Move): boolean {
  const cleared = next.events.flatMap((event) =>
    event.type === 'pruned' && event.plan.state === 'fire' ? event.plan.partIds : [],
  );
  if (cleared.length === 0) return false;
  const view = viewOf(before);
  const summaryId = view.find(isSummary)?.id;
  const end = before.history.findLastIndex((one) => one.id === summaryId && isSummary(one));
  const behind = partIdsOf(before.history.slice(0, Math.max(0, end)));
  const shown = partIdsOf(view);
  return cleared.every((id) => behind.has(id) && !shown.has(id));
}

function tellRun(
  trace: Trace,
  events: Iterable<RunEvent>,
  teller: Pick<StoryTeller, 'onEvent' | 'tell'>,
): RunStory {
  let gone: readonly StandingItem[] = [];
  const losses: ToldLoss[] = [];
  const toLoss = createLossTeller(trace.references());
  for (const event of events) {
    teller.onEvent(event);
    if (isLoss(event) && !event.isAgain) losses.push(toLoss(event));
    if (event.type === 'standing' && event.at === 'run-end') gone = findGone(trace, event);
  }
  return { ...teller.tell(), gone, losses };
}

function createStoryTeller(policy: Policy): StoryTeller {
  const steps = new Map<number, StepStory>();
  const place: Place = { step: 0, turn: 0, part: 'before' };
  const ends: { start?: RunStory['start']; end?: RunStory['end'] } = {};
  let current: Moment | undefined;
  let slidParts = 0;
  let refusal: Refusal | undefined;

  const storyAt = ({ step, turn }: Place) =>
    keepIn(steps, step, () => ({ step, turn, before: [], slidParts: 0, after: [], turnEnd: [] }));
  return {
    onTransition: (move) => {
      if (move.input.type === 'turn-ended') place.part = 'turnEnd';
      current = toMoment(move, refusal);
      refusal = undefined;
      storyAt(place)[place.part].push(current);
    },
    onEvent: (event) => {
      if (event.type === 'run-start') ends.start = event;
      if (event.type === 'run-end') ends.end = event;
      if (follow(place, event)) current = undefined;
      if (event.type === 'step-end') {
        Object.assign(storyAt(place), { facts: event, slidParts });
        slidParts = 0;
      }
      if (event.type === 'step-refused') refusal = event;
      // No move slides a window: it is told with the request that shows it.
      if (event.type === 'eviction' && event.by === 'window') slidParts += event.parts;
      else current?.events.push(event);
    },
    tell: () => ({ policy, ...ends, steps: [...steps.values()] }),
  };
}

/** A teller of a run that has no moves: what came since the last step led to the next one. */
function createEventTeller(policy: Policy): Pick<StoryTeller, 'onEvent' | 'tell'> {
  const steps: StepStory[] = [];
  const ends: { start?: RunStory['start']; end?: RunStory['end'] } = {};
  let turn = 0;
  let before: Moment[] = [];
  const add = (event: RunEvent, refusal?: Refusal) =>
    before.push({ checks: [], added: [], events: [event], ...(refusal && { refusal }) });
  const endStep = (facts?: StepStory['facts']) => {
    const step = facts?.step ?? steps.length + 1;
    const around = { before, slidParts: 0, after: [], turnEnd: [] };
    steps.push({ step, turn, ...(facts && { facts }), ...around });
    before = [];
  };
  return {
    onEvent: (event) => {
      if (event.type === 'run-start') ends.start = event;
      if (event.type === 'turn-start') turn = event.turn;
      if (event.type === 'pivot' || event.type === 'law-violated') add(event);
      if (event.type === 'step-refused') add(event, event);
      if (event.type === 'step-end') {
        if (event.lostTokens) add(event);
        endStep(event);
      }
      if (event.type === 'run-end') {
        ends.end = event;
        if (before.length > 0) endStep();
      }
    },
    tell: () => ({ policy, ...ends, steps }),
  };
}

function toMoment(move: Move, refusal: Refusal | undefined): Moment {
  const command = move.next.commands.at(-1);
  const { prune, ...explanation } = explainMove(move);
  return {
    input: move.input.type,
    ...(refusal && { refusal }),
    ...explanation,
    ...(prune && { prune: tellPrune(prune, move) }),
    events: [],
    added: addedMessages(move),
    ...(command && { command: command.type }),
    ...(command?.type === 'stop' && { stopReason: command.reason }),
  };
}

function tellPrune(prune: PruneExplanation, move: Move): ToldPrune {
  return isAllBehindSummary(move) ? { ...prune, isBehindSummary: true } : prune;
}

/** Read off events and the place of the summary: ids of a recording may be the engine's own by chance. */
function addedMessages({ before, next }: Move): readonly AddedMessage[] {
  return next.events.flatMap((event): readonly AddedMessage[] => {
    if (event.type === 'marker-queued') return [{ messageId: event.markerId, kind: 'marker' }];
    if (event.type !== 'compacted') return [];
    const { history } = next.state;
    const summaryIndex = history.findLastIndex(
      (message) => message.id === event.summaryId && isSummary(message),
    );
    const resumed = history
      .slice(summaryIndex + 1)
      .filter((message) => markerOf(message) === undefined && !before.history.includes(message));
    const kind = event.isReplay ? 'replay' : 'continue';
    return [
      { messageId: event.summaryId, kind: 'summary' },
      ...resumed.map(({ id }) => ({ messageId: id, kind }) as const),
    ];
  });
}

/** Moves the place on with an event; whether what follows belongs to another moment. */
function follow(place: Place, event: RunEvent): boolean {
  switch (event.type) {
    case 'turn-start':
      Object.assign(place, { step: place.step + 1, turn: event.turn, part: 'before' });
      return true;
    case 'step-refused':
      Object.assign(place, { step: event.step, part: 'before' });
      return true;
    case 'step-end':
      Object.assign(place, { step: event.step, turn: event.turn, part: 'after' });
      return true;
    case 'turn-end':
    case 'run-end':
      return true;
    default:
      return false;
  }
}

/** The file that a step opens by a lost name, else that of the lost part, else its tool; `undefined` of what nobody called for. */
function findGone(
  trace: Trace,
  { goneConstraints, gonePaths }: RunEvent & { readonly type: 'standing' },
): readonly StandingItem[] {
  const ids = new Set([...goneConstraints, ...gonePaths]);
  return trace.references().standing.items.filter(({ id }) => ids.has(id));
}

function partIdsOf(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ parts }) => parts.map(({ id }) => id)));
}
