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
import { keepIn, known } from '../lib/collections.ts';
import { createTouches } from '../replay/references/calls.ts';
import type { References, StandingItem } from '../replay/references/reference.ts';
import { type RunOptions, runTrace } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';

export interface AddedMessage {
  readonly messageId: string;
  readonly kind: 'marker' | 'summary' | 'continue' | 'replay';
}

/** With whether a request shows it. */
export interface ToldPrune extends PruneExplanation {
  /** All that it cleared stood behind a summary already. */
  readonly isBehindSummary?: true;
}

type Refusal = RunEvent & { readonly type: 'step-refused' };

/** An input to the engine and all that came of it; without it where decisions are unknown. */
export interface Moment extends MoveExplanation {
  readonly input?: LoopInput['type'];
  readonly refusal?: Refusal;
  readonly prune?: ToldPrune;
  readonly events: RunEvent[];
  readonly added: readonly AddedMessage[];
  readonly command?: Command['type'];
  readonly stopReason?: StopReason;
}

export interface StepStory {
  readonly step: number;
  readonly turn: number;
  /** Absent where the run ended before it. */
  facts?: RunEvent & { readonly type: 'step-end' };
  readonly before: Moment[];
  /** Parts that its request lost because the window moved on. */
  slidParts: number;
  readonly after: Moment[];
  readonly turnEnd: Moment[];
}

export interface RunStory {
  readonly policy: Policy;
  readonly start?: (RunEvent & { readonly type: 'run-start' }) | undefined;
  readonly end?: (RunEvent & { readonly type: 'run-end' }) | undefined;
  readonly steps: readonly StepStory[];
  readonly events: readonly RunEvent[];
  /** Constraints and files of the work that nothing in view names at the end. */
  readonly gone?: readonly StandingItem[];
  /** In order; content counts once until it is read again. */
  readonly losses?: readonly ToldLoss[];
  readonly apart?: Readonly<Record<'habit' | 'carried' | 'unknown', number>>;
}

type LossEvent = RunEvent & { readonly type: 'reference' };

export interface ToldLoss {
  readonly event: LossEvent;
  readonly words: readonly string[];
  /** The file of a step or part, or its tool. */
  readonly from: string | undefined;
}

const MOST_WORDS = 4;

const PLACES: ReadonlySet<RunEvent['type']> = new Set([
  'turn-start',
  'step-refused',
  'step-end',
  'turn-end',
  'run-end',
]);

const TOLD_ALONE: ReadonlySet<RunEvent['type']> = new Set([
  'pivot',
  'law-violated',
  'step-refused',
]);

/** Explains the decisions at each step of a replay; `named` is the same trace with texts. */
export function explainRun(trace: Trace, options: RunOptions, named = trace): RunStory {
  const teller = createStoryTeller();
  const events = runTrace(trace, { ...options, onTransition: teller.onTransition });
  return tellRun(named, events, { ...teller, policy: options.policy });
}

/** Explains a run whose decisions are unknown: what came before each step, and broken caches. */
export function explainEvents(trace: Trace, events: Iterable<RunEvent>, policy: Policy): RunStory {
  return tellRun(trace, events, { ...createEventTeller(), policy });
}

export function isLoss(event: RunEvent): event is LossEvent {
  return event.type === 'reference' && event.missedBy !== undefined;
}

/** A line for each loss in order; empty where nothing can be said. */
export function nameLosses(events: readonly RunEvent[], references: References): readonly string[] {
  const losses = events.filter(isLoss);
  if (losses.length === 0) return [];
  const tell = createLossTeller(references);
  return losses.map((loss) => {
    const { words, from = '' } = tell(loss);
    const shown = words.slice(0, MOST_WORDS).map((word) => word.replaceAll(/\s+/g, ' '));
    return words.length === 0 ? from : shown.join(', ');
  });
}

/** Such a change is in no request. */
function isAllBehindSummary({ before, next }: Move): boolean {
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

function partIdsOf(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ parts }) => parts.map(({ id }) => id)));
}

function tellRun(
  trace: Trace,
  events: Iterable<RunEvent>,
  { policy, onEvent, steps }: ReturnType<typeof createEventTeller> & { policy: Policy },
): RunStory {
  const told: RunEvent[] = [];
  for (const event of events) {
    onEvent(event);
    told.push(event);
  }
  const references = trace.references();
  const atEnd = told.findLast((event) => event.type === 'standing' && event.at === 'run-end');
  const { goneConstraints = [], gonePaths = [] } = atEnd?.type === 'standing' ? atEnd : {};
  const ids = new Set([...goneConstraints, ...gonePaths]);
  const apart = { habit: 0, carried: 0, unknown: 0 };
  for (const event of told) {
    if (event.type !== 'reference' || event.goneBy === undefined) continue;
    const { use = 'used' } = event;
    if (use !== 'used' && use !== 'caused') apart[use] += 1;
  }
  return {
    policy,
    ...known({
      start: told.find((event) => event.type === 'run-start'),
      end: told.findLast((event) => event.type === 'run-end'),
    }),
    steps: steps(),
    events: told,
    gone: references.standing.items.filter(({ id }) => ids.has(id)),
    losses: told.filter(isLoss).map(createLossTeller(references)),
    apart,
  };
}

function createStoryTeller() {
  const steps = new Map<number, StepStory>();
  let [step, turn, slidParts] = [0, 0, 0];
  let part: 'before' | 'after' | 'turnEnd' = 'before';
  let current: Moment | undefined;
  let refusal: Refusal | undefined;
  const story = () =>
    keepIn(steps, step, () => ({ step, turn, before: [], slidParts: 0, after: [], turnEnd: [] }));
  return {
    onTransition: (move: Move) => {
      if (move.input.type === 'turn-ended') part = 'turnEnd';
      current = toMoment(move, refusal);
      refusal = undefined;
      story()[part].push(current);
    },
    onEvent: (event: RunEvent) => {
      switch (event.type) {
        case 'turn-start':
          [step, turn, part] = [step + 1, event.turn, 'before'];
          break;
        case 'step-refused':
          [step, part, refusal] = [event.step, 'before', event];
          break;
        case 'step-end':
          [step, turn, part] = [event.step, event.turn, 'after'];
          Object.assign(story(), { facts: event, slidParts });
          slidParts = 0;
          break;
      }
      if (PLACES.has(event.type)) current = undefined;
      // No move slides a window: it is told with the request that shows it.
      if (event.type === 'eviction' && event.by === 'window') slidParts += event.parts;
      else current?.events.push(event);
    },
    steps: (): readonly StepStory[] => [...steps.values()],
  };
}

function createEventTeller() {
  const steps: StepStory[] = [];
  let turn = 0;
  let before: Moment[] = [];
  const endStep = (facts?: StepStory['facts']) => {
    const step = facts?.step ?? steps.length + 1;
    const around = { before, slidParts: 0, after: [], turnEnd: [] };
    steps.push({ step, turn, ...(facts && { facts }), ...around });
    before = [];
  };
  return {
    onEvent: (event: RunEvent) => {
      if (event.type === 'turn-start') turn = event.turn;
      const isTold = event.type === 'step-end' ? event.lostTokens : TOLD_ALONE.has(event.type);
      if (isTold) {
        const refusal = event.type === 'step-refused' && { refusal: event };
        before.push({ checks: [], added: [], events: [event], ...refusal });
      }
      if (event.type === 'step-end') endStep(event);
      if (event.type === 'run-end' && before.length > 0) endStep();
    },
    steps: (): readonly StepStory[] => steps,
  };
}

function toMoment(move: Move, refusal: Refusal | undefined): Moment {
  const command = move.next.commands.at(-1);
  const { prune, ...explanation } = explainMove(move);
  const isBehindSummary = isAllBehindSummary(move) ? true : undefined;
  return {
    input: move.input.type,
    ...known({ refusal }),
    ...explanation,
    ...(prune && { prune: { ...prune, ...known({ isBehindSummary }) } }),
    events: [],
    added: addedMessages(move),
    ...known({
      command: command?.type,
      stopReason: command?.type === 'stop' ? command.reason : undefined,
    }),
  };
}

/** By events and the summary's place: ids of a recording may be the engine's by chance. */
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

function createLossTeller(references: References): (event: LossEvent) => ToldLoss {
  const touches = createTouches(references.messages);
  const { all, parts, partNumbers, wordsOf } = references;
  const findOrigin = ({ kind, step, document, partId }: LossEvent) => {
    if (kind === 'path') {
      const opened = all.find((one) => one.step === step && one.document === document);
      return opened?.pieces.slice(0, 1).map(wordsOf)[0];
    }
    const part = parts[partNumbers.get(partId) ?? -1]?.part;
    return part?.type === 'tool' ? (touches.of(part)[0]?.path ?? part.tool) : undefined;
  };
  return (event) => {
    const words = (event.pieces ?? []).map(wordsOf);
    return { event, words, from: words.length === 0 ? findOrigin(event) : undefined };
  };
}
