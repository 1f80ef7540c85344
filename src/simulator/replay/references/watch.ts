import { type Message, type Move, viewOf } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { createMisses, type Misses } from './misses.ts';
import type { StepNeeds } from './needs.ts';
import { placeOf, type Recording, recordingOf } from './recording.ts';
import type { Reference, References } from './reference.ts';
import { createStaleCount, type StaleCount } from './stale.ts';
import { createStandingFold, type StandingFold } from './standing-fold.ts';
import { createViewTracker, type ViewTracker } from './view-tracker.ts';
import type { Gone } from './visible.ts';

/** What took something out of a view. */
export type Eviction = 'prune' | 'pivot' | 'window';

/** Watches what a run's view still shows of what its steps need. */
export interface Watch {
  /** The references of a step whose parts a view does not show; they count as missed from then on. */
  findMisses(messageId: string, view: readonly Message[]): readonly Reference[];
  /** Tells what a step needed and what of it was missed; its request is about to be billed. */
  tellStep(messageId: string, view: readonly Message[]): readonly RunEvent[];
  /** Tells what a move of the engine took out of the view. */
  tellMove(move: Move): readonly RunEvent[];
  /** Tells what the last view shows. */
  tellEnd(view: readonly Message[]): readonly RunEvent[];
}

/** A watch in the middle of its run. */
interface Watching {
  readonly recording: Recording;
  readonly tracker: ViewTracker;
  readonly standing: StandingFold;
  readonly stale: StaleCount;
  readonly misses: Misses;
  /** What happened to the view and has not been told. */
  waiting: RunEvent[];
  toldStale: number;
}

const NOTHING: readonly RunEvent[] = [];
const NOTHING_GONE: Gone = { parts: 0, items: [] };

/** A watch over a run that has not begun. */
export function createWatch(references: References): Watch {
  const watching = startWatching(references);
  const { standing, tracker, misses } = watching;
  return {
    findMisses: (messageId, view) => {
      sync(watching, view);
      return misses.find(needsOf(watching, messageId));
    },
    tellStep: (messageId, view) => tellStep(watching, messageId, view),
    tellMove: (move) => tellMove(watching, move),
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
    onMessage: (shown, again) => {
      standing.take(shown);
      for (const part of again) stale.show(part, true);
      stale.add(shown.stales, tracker.visible);
    },
    onHidden: (part) => stale.show(part, false),
  });
  return {
    recording: recordingOf(references),
    standing,
    stale,
    tracker,
    misses: createMisses(references, tracker),
    waiting: [],
    toldStale: 0,
  };
}

/** A step's message mostly is the one that comes next. */
function needsOf({ recording, tracker }: Watching, messageId: string): StepNeeds | undefined {
  const place = placeOf(recording, messageId, tracker.nextPlace());
  return place === undefined ? undefined : recording.needs[place];
}

function tellStep(watching: Watching, messageId: string, view: readonly Message[]) {
  const { stale, misses } = watching;
  sync(watching, view);
  const step = needsOf(watching, messageId);
  misses.find(step);
  const staleTokens = stale.tokens();
  if (staleTokens !== watching.toldStale) {
    watching.waiting.push({ type: 'stale-kept', tokens: staleTokens });
    watching.toldStale = staleTokens;
  }
  return flush(watching, misses.tell(step));
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
