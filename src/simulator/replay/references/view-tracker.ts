import { grownItems, type Message, partingOf } from '../../../engine/index.ts';
import { type Counted, createCounted } from './counted.ts';
import { createKnownParts, type KnownParts } from './known-parts.ts';
import { placeOf, type Recording, recordingOf } from './recording.ts';
import type { References } from './reference.ts';
import { findShown, type Shown } from './shown-in.ts';
import { createGone, type Gone, type GoneFrom, type Visible } from './visible.ts';

/** Whom a tracker tells what comes and goes. */
export interface ViewObserver {
  /** A message came to the view, with outputs as the tool gave them that may have come before, by the numbers of their parts. */
  readonly onMessage: (shown: Shown, again: readonly number[]) => void;
  /** An output is shown no more as the tool gave it, by the number of its part. */
  readonly onHidden: (part: number) => void;
}

/** Keeps track of what a view shows; what it has in common with the one before is not looked at again. */
export interface ViewTracker {
  readonly visible: Visible;
  /** Messages of the view that the recording does not have. */
  readonly own: Iterable<Message>;
  /** Takes another view in the place of the one before; gives what is gone, if messages of that one are. */
  follow(view: readonly Message[]): Gone | undefined;
  /** The place in the recording of the message that comes next. */
  nextPlace(): number;
}

/** A view in the middle of its run: as its recording shows it so far, but for what is counted besides. */
interface Tracking {
  readonly references: References;
  readonly recording: Recording;
  readonly known: KnownParts;
  readonly observer: ViewObserver;
  readonly visible: Visible;
  readonly parts: Counted;
  readonly wholes: Counted;
  readonly items: Counted;
  readonly own: Set<Message>;
  /** Messages of the recording that came by. */
  passed: number;
  /** Those behind so many of them were shown as they were recorded ever since. */
  changedUntil: number;
  readonly goneFrom: GoneFrom;
}

/** A tracker of a view without messages. */
export function createViewTracker(references: References, observer: ViewObserver): ViewTracker {
  const tracking = startTracking(references, observer);
  let seen: readonly Message[] = [];
  return {
    visible: tracking.visible,
    own: tracking.own,
    follow: (view) => {
      if (view === seen) return undefined;
      const older = seen;
      seen = view;
      const grown = grownItems(view, older);
      if (grown.length > 0) return takeInAll(tracking, grown);
      const { before, after } = partingOf(older, view);
      return before.length > 0 ? replace(tracking, before, after) : takeInAll(tracking, after);
    },
    nextPlace: () => tracking.passed,
  };
}

function startTracking(references: References, observer: ViewObserver): Tracking {
  const recording = recordingOf(references);
  const parts = createCounted(recording.parts);
  const wholes = createCounted(recording.wholes);
  const items = createCounted(recording.items);
  const visible: Visible = {
    hasPart: (part) => parts.has(part, tracking.passed),
    hasWhole: (part) => wholes.has(part, tracking.passed),
    hasItem: (item) => items.has(item, tracking.passed),
    hasRecorded: (from, to) => tracking.changedUntil <= from && to < tracking.passed,
  };
  const tracking: Tracking = {
    references,
    recording,
    known: createKnownParts(references.partNumbers, recording.outputs),
    observer,
    visible,
    parts,
    wholes,
    items,
    own: new Set(),
    passed: 0,
    changedUntil: 0,
    goneFrom: createGone(visible, recording, observer.onHidden),
  };
  return tracking;
}

function takeInAll(tracking: Tracking, messages: readonly Message[]): undefined {
  for (const message of messages) takeIn(tracking, message);
}

/** A message comes to the view; the next one of the recording mostly, as it was recorded. */
function takeIn(tracking: Tracking, message: Message): void {
  const { recording, observer, passed } = tracking;
  const place = placeOf(recording, message.id, passed);
  const shown = shownIn(tracking, message, place);
  if (place === passed && shown === recording.shown[place]) {
    tracking.passed += 1;
    observer.onMessage(shown, shown.again);
    return;
  }
  if (place === undefined) tracking.own.add(message);
  else passBy(tracking, place);
  change(tracking, shown, 1);
  observer.onMessage(shown, shown.wholes);
}

/** Messages of the recording up to a place will not come any more as the next ones. */
function passBy(tracking: Tracking, place: number): void {
  while (tracking.passed <= place) {
    const missing = tracking.recording.shown[tracking.passed];
    tracking.passed += 1;
    tracking.changedUntil = tracking.passed;
    if (missing !== undefined) change(tracking, missing, -1);
  }
}

function shownIn(tracking: Tracking, message: Message, place: number | undefined): Shown {
  const recorded = place === undefined ? undefined : tracking.recording.shown[place];
  return recorded !== undefined && recorded.content === message.parts
    ? recorded
    : findShown(message, tracking, recorded);
}

function change({ parts, wholes, items }: Tracking, shown: Shown, by: number): void {
  for (const part of shown.parts) parts.change(part, by);
  for (const part of shown.wholes) wholes.change(part, by);
  for (const item of shown.items) items.change(item, by);
}

/** The rest of a view gives way to another one; what stands in both at the same place stays. */
function replace(tracking: Tracking, before: readonly Message[], after: readonly Message[]): Gone {
  const old: Shown[] = [];
  let offset = 0;
  for (let index = 0; index < before.length; index++) {
    const message = before[index];
    if (message === undefined || message === after[index]) continue;
    const place = placeOf(tracking.recording, message.id, index + offset);
    if (place !== undefined) offset = place - index;
    old.push(takeOut(tracking, message, place));
  }
  for (let index = 0; index < after.length; index++) {
    const message = after[index];
    if (message !== undefined && message !== before[index]) takeIn(tracking, message);
  }
  return tracking.goneFrom(old);
}

function takeOut(tracking: Tracking, message: Message, place: number | undefined): Shown {
  const shown = shownIn(tracking, message, place);
  if (place === undefined) tracking.own.delete(message);
  else if (place >= tracking.changedUntil) tracking.changedUntil = place + 1;
  change(tracking, shown, -1);
  return shown;
}
