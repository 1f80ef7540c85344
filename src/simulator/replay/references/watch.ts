import { type Message, type Move, viewOf } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { describeReference, type MissedBy, type Need, type StepNeeds } from './needs.ts';
import { type Recording, recordingOf } from './recording.ts';
import type { Reference, References, Source } from './reference.ts';
import { createStaleCount, type StaleCount } from './stale.ts';
import { createStandingFold, type StandingFold } from './standing-fold.ts';
import { createViewTracker, type Gone, type ViewTracker } from './visible.ts';

/** What took something out of a view. */
export type Eviction = 'prune' | 'pivot' | 'window';

/** A part that was read again. */
export interface Copy {
  readonly partId: string;
  readonly output: string;
}

/** Watches what a run's view still shows of what its steps need. */
export interface Watch {
  /** The references of a step whose parts a view does not show; they count as missed from then on. */
  findMisses(messageId: string, view: readonly Message[]): readonly Reference[];
  /** Tells what a step needed and what of it was missed; its request is about to be billed. */
  tellStep(messageId: string, view: readonly Message[]): readonly RunEvent[];
  /** Tells what a move of the engine took out of the view. */
  tellMove(move: Move): readonly RunEvent[];
  /** The source of a reference stands in the view again. */
  restore(source: Source, copy: Copy): void;
  /** Tells what the last view shows. */
  tellEnd(view: readonly Message[]): readonly RunEvent[];
}

/** A watch in the middle of its run. */
interface Watching {
  readonly needs: Recording['needs'];
  readonly tracker: ViewTracker;
  readonly standing: StandingFold;
  readonly stale: StaleCount;
  /** Numbers of parts that were read again, by the part that was lost. */
  readonly copies: Map<string, number>;
  readonly missed: Map<Reference, MissedBy>;
  /** What happened to the view and has not been told. */
  waiting: RunEvent[];
  toldStale: number;
}

const NOTHING: readonly RunEvent[] = [];
const NO_REFERENCES: readonly Reference[] = [];
const NOTHING_GONE: Gone = { parts: 0, items: [] };

/** A watch over a run that has not begun. */
export function createWatch(references: References): Watch {
  const watching = startWatching(references);
  const { standing, tracker, copies } = watching;
  return {
    findMisses: (messageId, view) => {
      sync(watching, view);
      return findMisses(watching, watching.needs.get(messageId));
    },
    tellStep: (messageId, view) => tellStep(watching, messageId, view),
    tellMove: (move) => tellMove(watching, move),
    restore: (source, { partId, output }) => {
      copies.set(source.partId, tracker.addOutput(partId, output));
    },
    tellEnd: (view) => {
      sync(watching, view);
      standing.meet(tracker.visible);
      return flush(watching, [standing.tell('run-end', standing.goneFrom(tracker.visible))]);
    },
  };
}

function startWatching(references: References): Watching {
  const standing = createStandingFold(references);
  const stale = createStaleCount(references.partNumbers);
  const tracker = createViewTracker(references, {
    onMessage: (shown, visible) => {
      standing.take(shown);
      stale.add(shown, visible);
    },
    onHidden: stale.hide,
  });
  return {
    needs: recordingOf(references).needs,
    standing,
    stale,
    tracker,
    copies: new Map(),
    missed: new Map(),
    waiting: [],
    toldStale: 0,
  };
}

function findMisses(watching: Watching, step: StepNeeds | undefined): readonly Reference[] {
  if (step === undefined) return NO_REFERENCES;
  const { missed } = watching;
  let lost: Reference[] | undefined;
  for (const need of step.needs) {
    const loss = lossOf(watching, need);
    if (loss === undefined) continue;
    const { reference } = need;
    if (!missed.has(reference)) missed.set(reference, loss);
    lost ??= [];
    lost.push(reference);
  }
  return lost ?? NO_REFERENCES;
}

function lossOf({ copies, tracker }: Watching, { reference, part }: Need): MissedBy | undefined {
  const { visible } = tracker;
  const { partId, side } = reference.source;
  const copy = copies.size === 0 ? undefined : copies.get(partId);
  if (copy !== undefined && visible.hasWhole(copy)) return undefined;
  if (!visible.hasPart(part)) return 'pivot';
  return side === 'said' || visible.hasWhole(part) ? undefined : 'prune';
}

function tellStep(watching: Watching, messageId: string, view: readonly Message[]) {
  const { stale, needs } = watching;
  sync(watching, view);
  const step = needs.get(messageId);
  findMisses(watching, step);
  if (stale.tokens !== watching.toldStale) {
    watching.waiting.push({ type: 'stale-kept', tokens: stale.tokens });
    watching.toldStale = stale.tokens;
  }
  return flush(watching, step === undefined ? NOTHING : tellNeeds(watching, step));
}

function tellNeeds({ missed }: Watching, { needs, told }: StepNeeds): readonly RunEvent[] {
  return missed.size === 0
    ? told
    : needs.map(({ reference }) => describeReference(reference, missed.get(reference)));
}

function tellMove(watching: Watching, move: Move): readonly RunEvent[] {
  const by = evictionIn(move);
  if (by === undefined) return NOTHING;
  const { standing, tracker } = watching;
  sync(watching, viewOf(move.before));
  standing.meet(tracker.visible);
  const gone = tracker.follow(viewOf(move.next.state)) ?? NOTHING_GONE;
  tellGone(watching, gone, by);
  return flush(watching, by === 'pivot' ? [standing.tell('pivot', gone.items)] : NOTHING);
}

function sync(watching: Watching, view: readonly Message[]): void {
  const gone = watching.tracker.follow(view);
  if (gone !== undefined) tellGone(watching, gone, 'window');
}

function tellGone({ waiting }: Watching, { parts }: Gone, by: Eviction): void {
  waiting.push({ type: 'eviction', by, parts });
}

function flush(watching: Watching, events: readonly RunEvent[]): readonly RunEvent[] {
  const { waiting } = watching;
  if (waiting.length === 0) return events;
  watching.waiting = [];
  return [...waiting, ...events];
}

function evictionIn({ input, next }: Move): Eviction | undefined {
  for (const event of next.events) {
    if (event.type === 'pruned' && event.plan.state === 'fire') return 'prune';
    if (event.type === 'compacted' || event.type === 'moved-out') return 'pivot';
  }
  return input.type === 'compact' && input.revertTo !== undefined ? 'window' : undefined;
}
