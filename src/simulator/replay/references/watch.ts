import { type Message, type Move, viewOf } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import type { Reference, References, Source } from './reference.ts';
import { createStaleCount, type StaleCount } from './stale.ts';
import { createStandingFold, type StandingFold } from './standing-fold.ts';
import { createViewTracker, type Gone, type ViewTracker } from './visible.ts';

/** What took something out of a view. */
export type Eviction = 'prune' | 'pivot' | 'window';

/** What a missed part was lost to: its output was cleared, or its message hidden. */
export type MissedBy = 'prune' | 'pivot';

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
  readonly byMessage: References['byMessage'];
  readonly tracker: ViewTracker;
  readonly standing: StandingFold;
  readonly stale: StaleCount;
  /** Parts that were read again, by the part that was lost. */
  readonly copies: Map<string, string>;
  readonly missed: Map<Reference, MissedBy>;
  /** What happened to the view and has not been told. */
  waiting: RunEvent[];
  toldStale: number;
}

const NOTHING: readonly RunEvent[] = [];
const NO_REFERENCES: readonly Reference[] = [];

/** A watch over a run that has not begun. */
export function createWatch(references: References): Watch {
  const watching = startWatching(references);
  return {
    findMisses: (messageId, view) => findMisses(watching, messageId, view),
    tellStep: (messageId, view) => tellStep(watching, messageId, view),
    tellMove: (move) => tellMove(watching, move),
    restore: (source, { partId, output }) => {
      watching.copies.set(source.partId, partId);
      watching.tracker.addOutput(partId, output);
    },
    tellEnd: (view) => {
      const { standing, tracker } = watching;
      sync(watching, view);
      standing.meet(tracker.visible);
      const gone = [...standing.met].filter((item) => !tracker.visible.hasItem(item));
      return flush(watching, [standing.tell('run-end', gone)]);
    },
  };
}

function startWatching(references: References): Watching {
  const standing = createStandingFold(references);
  const stale = createStaleCount(references.partNumbers);
  const tracker = createViewTracker(references, {
    onMessage: (shown) => {
      standing.take(shown);
      stale.add(shown.stales, tracker.visible);
    },
    onWhole: stale.show,
    onItem: standing.show,
  });
  return {
    byMessage: references.byMessage,
    standing,
    stale,
    tracker,
    copies: new Map(),
    missed: new Map(),
    waiting: [],
    toldStale: 0,
  };
}

function findMisses(watching: Watching, messageId: string, view: readonly Message[]) {
  const { byMessage, missed } = watching;
  sync(watching, view);
  const needed = byMessage.get(messageId);
  if (needed === undefined) return NO_REFERENCES;
  return needed.filter((reference) => {
    const loss = lossOf(watching, reference.source);
    if (loss !== undefined && !missed.has(reference)) missed.set(reference, loss);
    return loss !== undefined;
  });
}

function lossOf({ copies, tracker }: Watching, source: Source): MissedBy | undefined {
  const { visible } = tracker;
  const copy = copies.get(source.partId);
  if (copy !== undefined && visible.hasWhole(copy)) return undefined;
  if (!visible.hasPart(source.partId)) return 'pivot';
  return source.side === 'said' || visible.hasWhole(source.partId) ? undefined : 'prune';
}

function tellStep(watching: Watching, messageId: string, view: readonly Message[]) {
  const { stale, byMessage, missed } = watching;
  findMisses(watching, messageId, view);
  if (stale.tokens !== watching.toldStale) {
    watching.waiting.push({ type: 'stale-kept', tokens: stale.tokens });
    watching.toldStale = stale.tokens;
  }
  const needed = byMessage.get(messageId) ?? NO_REFERENCES;
  if (needed.length === 0 && watching.waiting.length === 0) return NOTHING;
  return flush(
    watching,
    needed.map((reference) => describe(reference, missed.get(reference))),
  );
}

function tellMove(watching: Watching, move: Move): readonly RunEvent[] {
  const by = evictionIn(move);
  if (by === undefined) return NOTHING;
  const { standing, tracker } = watching;
  sync(watching, viewOf(move.before));
  standing.meet(tracker.visible);
  const gone = replace(watching, viewOf(move.next.state), by);
  return flush(watching, by === 'pivot' ? [standing.tell('pivot', gone.items)] : NOTHING);
}

function sync(watching: Watching, view: readonly Message[]): void {
  if (!watching.tracker.grow(view)) replace(watching, view, 'window');
}

function replace({ tracker, waiting }: Watching, view: readonly Message[], by: Eviction): Gone {
  const gone = tracker.replace(view);
  waiting.push({ type: 'eviction', by, parts: gone.parts });
  return gone;
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

function describe({ step, kind, source }: Reference, missedBy: MissedBy | undefined): RunEvent {
  return {
    type: 'reference',
    step,
    kind,
    document: source.document,
    messageId: source.messageId,
    partId: source.partId,
    sinceStep: source.step,
    tokens: source.tokens,
    callTokens: source.callTokens,
    isFileRead: source.isFileRead,
    missedBy,
  };
}
