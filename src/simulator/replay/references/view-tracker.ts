import type { Message } from '../../../engine/index.ts';
import { grownItems, type List, partingOf } from '../../../engine/internal.ts';
import type { EvictionCause } from '../../eviction-cause.ts';
import { changeNumbers } from './counted.ts';
import { type Gone, goneFrom, type Leaving, type OnHidden, startLeaving } from './gone.ts';
import { createKnownParts, type KnownParts } from './known-parts.ts';
import { placeOf, type Recording } from './recording.ts';
import type { References } from './reference.ts';
import { findShown, type Shown } from './shown-in.ts';
import { startVisible, type Visible } from './visible.ts';

/** Whom a tracker tells what comes and goes. */
export interface ViewObserver {
  /** Messages are about to leave the view. */
  readonly onLeaving: () => void;
  /** A message came to the view, with outputs as the tool gave them that may have come before, by the numbers of their parts. */
  readonly onMessage: (shown: Shown, again: readonly number[]) => void;
  /** An output is shown no more as the tool gave it. */
  readonly onHidden: OnHidden;
}

/** Keeps track of what a view shows; what it has in common with the one before is not looked at again. */
export interface ViewTracker {
  readonly references: References;
  readonly recording: Recording;
  readonly observer: ViewObserver;
  readonly visible: Visible;
  readonly leaving: Leaving;
  /** Messages of the view that the recording does not have; absent before the first, as their parts are. */
  own: Set<Message> | undefined;
  known: KnownParts | undefined;
  seen: List<Message>;
}

/** The rest of a view and what comes in its place. */
interface Replacing {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly by: EvictionCause;
}

const NO_MESSAGES: readonly Message[] = [];

/** A tracker of a view without messages. */
export function startTracker(
  references: References,
  recording: Recording,
  observer: ViewObserver,
): ViewTracker {
  return {
    references,
    recording,
    observer,
    visible: startVisible(recording),
    leaving: startLeaving(),
    own: undefined,
    known: undefined,
    seen: NO_MESSAGES,
  };
}

/** Takes another view in the place of the one before; gives what is gone by a cause, if messages of that one are. */
export function followView(
  tracker: ViewTracker,
  view: List<Message>,
  by: EvictionCause,
): Gone | undefined {
  const older = tracker.seen;
  if (view === older) return undefined;
  tracker.seen = view;
  const grown = grownItems(view, older);
  if (grown.length > 0) return takeInAll(tracker, grown);
  const { before, after } = partingOf(older, view);
  return before.length > 0 ? replace(tracker, { before, after, by }) : takeInAll(tracker, after);
}

function takeInAll(tracker: ViewTracker, messages: readonly Message[]): undefined {
  for (const message of messages) takeIn(tracker, message);
}

/** A message comes to the view; the next one of the recording mostly, as it was recorded. */
function takeIn(tracker: ViewTracker, message: Message): void {
  const { recording, observer, visible } = tracker;
  const { passed } = visible;
  const place = placeOf(recording, message.id, passed);
  const shown = shownIn(tracker, message, place);
  if (place === passed && shown === recording.shown[place]) {
    visible.passed += 1;
    observer.onMessage(shown, shown.again);
    return;
  }
  if (place === undefined) addOwn(tracker, message);
  else passBy(tracker, place);
  change(visible, shown, 1);
  observer.onMessage(shown, shown.wholes);
}

function addOwn(tracker: ViewTracker, message: Message): void {
  tracker.own ??= new Set();
  tracker.own.add(message);
}

/** Messages of the recording up to a place will not come any more as the next ones. */
function passBy({ recording, visible }: ViewTracker, place: number): void {
  while (visible.passed <= place) {
    const missing = recording.shown[visible.passed];
    visible.passed += 1;
    visible.changedUntil = visible.passed;
    if (missing !== undefined) change(visible, missing, -1);
  }
}

function shownIn(tracker: ViewTracker, message: Message, place: number | undefined): Shown {
  const recorded = place === undefined ? undefined : tracker.recording.shown[place];
  if (recorded !== undefined && recorded.content === message.parts) return recorded;
  const { references, recording } = tracker;
  tracker.known ??= createKnownParts(references.partNumbers, recording.outputs);
  return findShown(message, { references, known: tracker.known }, recorded);
}

function change({ parts, said, wholes, items }: Visible, shown: Shown, by: number): void {
  changeNumbers(parts, shown.parts, by);
  changeNumbers(said, shown.said, by);
  changeNumbers(wholes, shown.wholes, by);
  changeNumbers(items, shown.items, by);
}

/** The rest of a view gives way to another one; what stands in both at the same place stays. */
function replace(tracker: ViewTracker, { before, after, by }: Replacing): Gone {
  const { recording, visible, leaving, observer } = tracker;
  observer.onLeaving();
  const left: Shown[] = [];
  let offset = 0;
  for (let index = 0; index < before.length; index++) {
    const message = before[index];
    if (message === undefined || message === after[index]) continue;
    const place = placeOf(recording, message.id, index + offset);
    if (place !== undefined) offset = place - index;
    left.push(takeOut(tracker, message, place));
  }
  for (let index = 0; index < after.length; index++) {
    const message = after[index];
    if (message !== undefined && message !== before[index]) takeIn(tracker, message);
  }
  return goneFrom(leaving, visible, { left, by, onHidden: observer.onHidden });
}

function takeOut(tracker: ViewTracker, message: Message, place: number | undefined): Shown {
  const { visible, own } = tracker;
  const shown = shownIn(tracker, message, place);
  if (place === undefined) own?.delete(message);
  else if (place >= visible.changedUntil) visible.changedUntil = place + 1;
  change(visible, shown, -1);
  return shown;
}
