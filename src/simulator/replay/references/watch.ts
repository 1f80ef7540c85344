import { type Message, type Move } from '../../../engine/index.ts';
import { type List, viewListOf } from '../../../engine/internal.ts';
import type { RunEvent } from '../../events.ts';
import type { EvictionCause } from '../../eviction-cause.ts';
import type { Gone } from './gone.ts';
import { findMissed, type Misses, startMisses, tellNeeds } from './misses.ts';
import type { StepNeeds } from './needs.ts';
import { placeOf, recordingOf } from './recording.ts';
import type { Reference, References } from './reference.ts';
import { addStale, hideStale, showStale, type StaleCount, startStale } from './stale.ts';
import {
  goneStanding,
  meetStanding,
  type StandingFold,
  startStanding,
  type StandingTime,
  takeStanding,
  tellStanding,
} from './standing-fold.ts';
import { followView, startTracker, type ViewTracker } from './view-tracker.ts';

/** Watches what a run's view still shows of what its steps need. */
export interface Watch {
  /** The references of a step whose parts a view does not show; they count as missed from then on. */
  findMisses(messageId: string, view: List<Message>): readonly Reference[];
  /** Tells what a step needed and what of it was missed; its request is about to be billed. */
  tellStep(messageId: string, step: number, view: List<Message>): readonly RunEvent[];
  /** Tells what a move of the engine took out of the view. */
  tellMove(move: Move): readonly RunEvent[];
  /** Tells what the last view shows. */
  tellEnd(view: List<Message>): readonly RunEvent[];
}

/** A watch in the middle of its run. */
interface Watching {
  readonly tracker: ViewTracker;
  readonly standing: StandingFold;
  readonly stale: StaleCount;
  readonly misses: Misses;
  /** What takes something out of the view between moves. */
  readonly between: EvictionCause;
  /** What happened to the view and has not been told. */
  waiting: RunEvent[];
  toldStale: number;
}

/** What takes something out of the view with a move, and when that is told of constraints and paths; absent where it is not. */
interface MoveLeaving {
  readonly by: EvictionCause;
  readonly told?: StandingTime;
}

const NOTHING: readonly RunEvent[] = [];
const NOTHING_GONE: Gone = { parts: 0, items: [] };

/** Watches nothing, for runs of which nobody asks what they missed: references take longer to find than a run. */
export const NO_WATCH: Watch = {
  findMisses: () => [],
  tellStep: () => NOTHING,
  tellMove: () => NOTHING,
  tellEnd: () => NOTHING,
};

/** A watch over a run that has not begun; what leaves its views between moves is behind a window unless somebody says otherwise. */
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

function tellEnd(watching: Watching, view: List<Message>): readonly RunEvent[] {
  const { standing, tracker } = watching;
  sync(watching, view);
  meetStanding(standing, tracker.visible);
  const gone = goneStanding(standing, tracker.visible);
  return flush(watching, [tellStanding(standing, 'run-end', gone)]);
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

function flush(watching: Watching, events: readonly RunEvent[]): readonly RunEvent[] {
  const { waiting } = watching;
  if (waiting.length === 0) return events;
  watching.waiting = [];
  return [...waiting, ...events];
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
