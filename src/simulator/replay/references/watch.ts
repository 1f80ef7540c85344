import type { Message, Move } from '../../../engine/index.ts';
import { type List, viewListOf } from '../../../engine/internal.ts';
import type { EvictionCause, RunEvent } from '../../events.ts';
import { describeReference, isCarried, type Loss, type Need, type StepNeeds } from './needs.ts';
import type { Reference, References, StandingItem } from './reference.ts';
import {
  followView,
  type Gone,
  goneAfter,
  hiddenBy,
  startTracker,
  type ViewTracker,
} from './view-tracker.ts';
import {
  hasItem,
  hasPart,
  hasRecorded,
  hasSaid,
  hasWhole,
  placeOf,
  recordingOf,
  type Shown,
  type SpoiltOutput,
  type Visible,
} from './visible.ts';

/** Watches what a run's view still shows of what its steps need. */
export interface Watch {
  /** The references of a step whose parts a view does not show; they count as missed from then on. */
  findMisses(messageId: string, view: List<Message>): readonly Reference[];
  /** Reports a step's needs and which of them its view misses; its request is about to be billed. */
  tellStep(messageId: string, step: number, view: List<Message>): readonly RunEvent[];
  /** Reports the content that a move took out of the view. */
  tellMove(move: Move): readonly RunEvent[];
  /** Reports the content of the last view. */
  tellEnd(view: List<Message>): readonly RunEvent[];
}

/** A watch in the middle of its run. */
interface Watching {
  readonly tracker: ViewTracker;
  readonly standing: StandingFold;
  readonly stale: StaleCount;
  readonly misses: Misses;
  /** The cause of content leaving the view between moves. */
  readonly between: EvictionCause;
  /** Events of the view that are not yet reported. */
  waiting: RunEvent[];
  toldStale: number;
}

/** The cause of content leaving the view with a move, and when it is reported for constraints and paths; absent where it is not. */
interface MoveLeaving {
  readonly by: EvictionCause;
  readonly told?: StandingTime;
}

/** Needs of a run's steps that its view did not show; usually none. */
interface Misses {
  readonly tracker: ViewTracker;
  missed: Map<Reference, Loss> | undefined;
}

/** Counts the tokens of visible outputs that are of no use any more. */
interface StaleCount {
  visibleTokens: number;
  /** By the number of their part; absent before the first. */
  outputs: Map<number, CountedOutput> | undefined;
}

interface CountedOutput {
  readonly tokens: number;
  isVisible: boolean;
}

/** The time at which lost standing items are reported. */
type StandingTime = (RunEvent & { readonly type: 'standing' })['at'];

/** Which standing items a run came by. */
interface StandingFold {
  readonly items: readonly StandingItem[];
  /** By item: whether it was noted, or waits to be. */
  readonly isNoted: boolean[];
  /** Those that a view showed, in that order. */
  readonly met: number[];
  readonly counts: Record<StandingItem['kind'], number>;
  /** Those that came since the view was last looked at. */
  fresh: number[];
  /** Messages whose reads and rows of calls were counted. */
  taken: Set<string> | undefined;
  fileReads: number;
  callLoops: number;
}

const NOTHING: readonly RunEvent[] = [];
const NOTHING_GONE: Gone = { parts: 0, items: [] };

/** A watch that reports nothing, for runs without a report of misses: finding references takes longer than a run. */
export const NO_WATCH: Watch = {
  findMisses: () => [],
  tellStep: () => NOTHING,
  tellMove: () => NOTHING,
  tellEnd: () => NOTHING,
};

const NO_MESSAGES: readonly Message[] = [];
const NO_REFERENCES: readonly Reference[] = [];

/** Creates a watch for a run. Content that leaves its views between moves lies behind a window by default. */
export function createWatch(references: References, between: EvictionCause = 'window'): Watch {
  const watching = startWatching(references, between);
  return {
    findMisses: (messageId, view) => {
      sync(watching, view);
      return findMissed(watching.misses, needsOf(watching, messageId));
    },
    tellStep: (messageId, step, view) => tellStep(watching, { messageId, step }, view),
    tellMove: (move) => tellMove(watching, move),
    tellEnd: (view) => tellEnd(watching, view),
  };
}

function startWatching(references: References, between: EvictionCause): Watching {
  const standing = startStanding(references);
  const stale = startStale();
  const tracker = startTracker(references, recordingOf(references), {
    onMessage: (shown, again) => {
      takeStanding(standing, shown);
      for (const part of again) showStale(stale, part);
      addStale(stale, shown.stales, tracker.visible);
    },
    // What came by counts, also where it leaves before anybody has asked.
    onLeaving: () => meetStanding(standing, tracker.visible),
    onHidden: (part) => hideStale(stale, part),
  });
  const misses = startMisses(tracker);
  return { standing, stale, tracker, misses, between, waiting: [], toldStale: 0 };
}

/** The fold of a run that has not begun. */
function startStanding({ standing: { items } }: References): StandingFold {
  return {
    items,
    isNoted: [],
    met: [],
    counts: { constraint: 0, path: 0 },
    fresh: [],
    taken: undefined,
    fileReads: 0,
    callLoops: 0,
  };
}

/** The count of a run that has not begun. */
function startStale(): StaleCount {
  return { visibleTokens: 0, outputs: undefined };
}

/** A message came to the view; the reads and rows of calls of one that comes again count once. */
function takeStanding(fold: StandingFold, shown: Shown): void {
  const { isNoted } = fold;
  for (const item of shown.items) {
    if (isNoted[item] === true) continue;
    while (isNoted.length <= item) isNoted.push(false);
    isNoted[item] = true;
    fold.fresh.push(item);
  }
  if (shown.reads + shown.loops === 0 || fold.taken?.has(shown.messageId) === true) return;
  fold.fileReads += shown.reads;
  fold.callLoops += shown.loops;
  fold.taken ??= new Set();
  fold.taken.add(shown.messageId);
}

/** An output is visible, by the number of its part. */
function showStale(stale: StaleCount, part: number): void {
  const output = stale.outputs?.get(part);
  if (output === undefined || output.isVisible) return;
  output.isVisible = true;
  stale.visibleTokens += output.tokens;
}

/** Adds the outputs that become stale by the writes of a message. */
function addStale(stale: StaleCount, spoilt: readonly SpoiltOutput[], visible: Visible): void {
  for (const { part, tokens } of spoilt) {
    hideStale(stale, part);
    stale.outputs ??= new Map();
    stale.outputs.set(part, { tokens, isVisible: false });
    if (hasWhole(visible, part)) showStale(stale, part);
  }
}

/** An output is visible no more, by the number of its part. */
function hideStale(stale: StaleCount, part: number): void {
  const output = stale.outputs?.get(part);
  if (output === undefined || !output.isVisible) return;
  output.isVisible = false;
  stale.visibleTokens -= output.tokens;
}

/** Notes which items a view shows, of those that came to it. */
function meetStanding(fold: StandingFold, visible: Visible): void {
  const { items, isNoted, met, counts } = fold;
  for (const item of fold.fresh) {
    const kind = items[item]?.kind;
    isNoted[item] = kind !== undefined && hasItem(visible, item);
    if (kind === undefined || !isNoted[item]) continue;
    met.push(item);
    counts[kind] += 1;
  }
  fold.fresh = [];
}

/** The misses of a run that has not begun. */
function startMisses(tracker: ViewTracker): Misses {
  return { tracker, missed: undefined };
}

function sync(watching: Watching, view: List<Message>): void {
  const { tracker, between } = watching;
  const gone = followView(tracker, view, between);
  if (gone !== undefined) tellGone(watching, gone, between);
}

/** A view may change without losing anything, as where a memory recalls something else. */
function tellGone({ waiting }: Watching, { parts }: Gone, by: EvictionCause): void {
  if (parts > 0) waiting.push({ type: 'eviction', by, parts });
}

/** The needs of a step that the view does not show. They count as missed from then on. */
function findMissed(misses: Misses, step: StepNeeds | undefined): readonly Reference[] {
  if (step === undefined || hasAll(misses, step)) return NO_REFERENCES;
  let lost: Reference[] | undefined;
  for (const need of step.needs) {
    const loss = lossOf(misses, need);
    if (loss === undefined) continue;
    const { reference } = need;
    misses.missed ??= new Map();
    if (!misses.missed.has(reference)) misses.missed.set(reference, loss);
    lost ??= [];
    lost.push(reference);
  }
  return lost ?? NO_REFERENCES;
}

/** Where nothing happened to the messages that hold it, nothing of what a step needs is missed. */
function hasAll({ tracker }: Misses, { from, to }: StepNeeds): boolean {
  return hasRecorded(tracker.visible, from, to);
}

function lossOf(misses: Misses, need: Need): Loss | undefined {
  const loss = lossOfPart(misses, need);
  return loss !== undefined && isShownElsewhere(misses, need) ? undefined : loss;
}

function lossOfPart({ tracker }: Misses, { reference, part }: Need): Loss | undefined {
  const { visible, leaving } = tracker;
  const { side } = reference.source;
  const isShown = side === 'said' ? hasSaid : hasWhole;
  if (isShown(visible, part)) return undefined;
  const by = hasPart(visible, part) ? 'prune' : hiddenBy(leaving, part);
  return { by, after: goneAfter(leaving, part, side) };
}

/** An older part may hold the same; what a policy sends again under another name is visible, too. */
function isShownElsewhere({ tracker }: Misses, { alike, sought }: Need): boolean {
  for (const part of alike) if (hasWhole(tracker.visible, part)) return true;
  return sought !== undefined && isCarried(tracker.own ?? NO_MESSAGES, sought);
}

/** A step's message mostly is the one that comes next. */
function needsOf({ tracker }: Watching, messageId: string): StepNeeds | undefined {
  const { recording, visible } = tracker;
  const place = placeOf(recording, messageId, visible.passed);
  return place === undefined ? undefined : recording.needs[place];
}

function tellStep(
  watching: Watching,
  { messageId, step }: { readonly messageId: string; readonly step: number },
  view: List<Message>,
) {
  const { stale, misses, tracker } = watching;
  sync(watching, view);
  tracker.leaving.step = step;
  const needs = needsOf(watching, messageId);
  findMissed(misses, needs);
  if (stale.visibleTokens !== watching.toldStale) {
    watching.toldStale = stale.visibleTokens;
    watching.waiting.push({ type: 'stale-kept', tokens: stale.visibleTokens });
  }
  return flush(watching, tellNeeds(misses, needs));
}

function flush(watching: Watching, events: readonly RunEvent[]): readonly RunEvent[] {
  const { waiting } = watching;
  if (waiting.length === 0) return events;
  watching.waiting = [];
  return [...waiting, ...events];
}

/** Reports the needs of a step and which of them were missed. */
function tellNeeds({ missed }: Misses, step: StepNeeds | undefined): readonly RunEvent[] {
  if (step === undefined) return NOTHING;
  const { needs, told } = step;
  return missed === undefined
    ? told
    : needs.map(({ reference }, index) => {
        const loss = missed.get(reference);
        return (loss ? undefined : told[index]) ?? describeReference(reference, loss);
      });
}

function tellMove(watching: Watching, move: Move): readonly RunEvent[] {
  const leaving = leavingIn(move);
  if (leaving === undefined) return NOTHING;
  const { by, told } = leaving;
  const { standing, tracker } = watching;
  sync(watching, viewListOf(move.before));
  meetStanding(standing, tracker.visible);
  const gone = followView(tracker, viewListOf(move.next.state), by) ?? NOTHING_GONE;
  tellGone(watching, gone, by);
  return flush(watching, told ? [tellStanding(standing, told, gone.items)] : NOTHING);
}

function leavingIn({ before, input, next }: Move): MoveLeaving | undefined {
  for (const event of next.events) {
    if (event.type === 'pruned' && event.plan.state === 'fire') return { by: 'prune' };
    if (event.type === 'compacted') return { by: 'pivot', told: 'pivot' };
    if (event.type === 'moved-out') return { by: 'memory', told: 'moved-out' };
  }
  if (before.phase.state === 'summarising') return { by: 'failed-summary' };
  return input.type === 'compact' && input.revertTo !== undefined ? { by: 'window' } : undefined;
}

/** Reports the standing items that are gone. */
function tellStanding(
  { items, counts, fileReads, callLoops }: StandingFold,
  at: StandingTime,
  gone: readonly number[],
): RunEvent {
  return {
    type: 'standing',
    at,
    constraints: counts.constraint,
    paths: counts.path,
    goneConstraints: idsOf(items, gone, 'constraint'),
    gonePaths: idsOf(items, gone, 'path'),
    fileReads,
    callLoops,
  };
}

function idsOf(
  items: readonly StandingItem[],
  indices: readonly number[],
  kind: StandingItem['kind'],
): readonly string[] {
  const ids: string[] = [];
  for (const index of indices) {
    const item = items[index];
    if (item?.kind === kind) ids.push(item.id);
  }
  return ids;
}

function tellEnd(watching: Watching, view: List<Message>): readonly RunEvent[] {
  const { standing, tracker } = watching;
  sync(watching, view);
  meetStanding(standing, tracker.visible);
  const gone = goneStanding(standing, tracker.visible);
  return flush(watching, [tellStanding(standing, 'run-end', gone)]);
}

/** Indices of the noted items that a view does not show, in the order in which they were met. */
function goneStanding({ met }: StandingFold, visible: Visible): readonly number[] {
  return met.filter((item) => !hasItem(visible, item));
}
