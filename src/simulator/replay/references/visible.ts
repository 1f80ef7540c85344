import { type Message, partingOf } from '../../../engine/index.ts';
import { type Counted, createCounted } from './counted.ts';
import { type Recording, recordingOf } from './recording.ts';
import type { References } from './reference.ts';
import { findShown, type KnownParts, type Shown } from './shown-in.ts';

/** What a view shows, by the numbers of parts and items. */
export interface Visible {
  hasPart(part: number): boolean;
  /** Whether the output of a part is shown as the tool gave it. */
  hasWhole(part: number): boolean;
  hasItem(item: number): boolean;
}

/** What a view does not show any more. */
export interface Gone {
  /** Parts that are hidden or whose outputs are cleared. */
  readonly parts: number;
  /** Standing items, in their order in the view. */
  readonly items: readonly number[];
}

/** Whom a tracker tells what comes and goes. */
export interface ViewObserver {
  /** A message came to the view. */
  readonly onMessage: (shown: Shown, visible: Visible) => void;
  /** An output is shown no more as the tool gave it, by the number of its part. */
  readonly onHidden: (part: number) => void;
}

/** Keeps track of what a view shows; what it has in common with the one before is not looked at again. */
export interface ViewTracker {
  readonly visible: Visible;
  /** Takes another view in the place of the one before; gives what is gone, if messages of that one are. */
  follow(view: readonly Message[]): Gone | undefined;
  /** An output that the recording does not have; gives the number of its part. */
  addOutput(partId: string, output: string): number;
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
  /** Messages of the recording that came by. */
  passed: number;
}

/** A tracker of a view without messages. */
export function createViewTracker(references: References, observer: ViewObserver): ViewTracker {
  const own = new Map<string, string>();
  const tracking = startTracking(references, observer, own);
  let seen: readonly Message[] = [];
  return {
    visible: tracking.visible,
    follow: (view) => {
      if (view === seen) return undefined;
      const { before, after } = partingOf(seen, view);
      seen = view;
      if (before.length > 0) return replace(tracking, before, after);
      for (const message of after) takeIn(tracking, message);
      return undefined;
    },
    addOutput: (partId, output) => {
      own.set(partId, output);
      return tracking.known.numberOf(partId);
    },
  };
}

function startTracking(
  references: References,
  observer: ViewObserver,
  own: ReadonlyMap<string, string>,
): Tracking {
  const recording = recordingOf(references);
  const parts = createCounted(recording.parts);
  const wholes = createCounted(recording.wholes);
  const items = createCounted(recording.items);
  const tracking: Tracking = {
    references,
    recording,
    known: {
      numberOf: numberParts(references),
      outputOf: (id) => own.get(id) ?? references.outputs.get(id),
    },
    observer,
    visible: {
      hasPart: (part) => parts.has(part, tracking.passed),
      hasWhole: (part) => wholes.has(part, tracking.passed),
      hasItem: (item) => items.has(item, tracking.passed),
    },
    parts,
    wholes,
    items,
    passed: 0,
  };
  return tracking;
}

/** Numbers for all parts: those of the recording, and in order of their appearance those that it does not have. */
function numberParts({ partNumbers }: References): (partId: string) => number {
  const own = new Map<string, number>();
  return (partId) => {
    const known = partNumbers.get(partId) ?? own.get(partId);
    if (known !== undefined) return known;
    const number = partNumbers.size + own.size;
    own.set(partId, number);
    return number;
  };
}

/** A message comes to the view; the next one of the recording mostly, as it was recorded. */
function takeIn(tracking: Tracking, message: Message): void {
  const { recording, observer, visible } = tracking;
  const next = recording.shown[tracking.passed];
  if (next !== undefined && isShownBy(next, message)) {
    tracking.passed += 1;
    observer.onMessage(next, visible);
    return;
  }
  const shown = shownIn(tracking, message);
  passBy(tracking, recording.placeOf.get(message.id) ?? -1);
  change(tracking, shown, 1);
  observer.onMessage(shown, visible);
}

function isShownBy({ content, messageId }: Shown, { parts, id }: Message): boolean {
  return content === parts && messageId === id;
}

/** Messages of the recording up to a place will not come any more as the next ones. */
function passBy(tracking: Tracking, place: number): void {
  while (tracking.passed <= place) {
    const missing = tracking.recording.shown[tracking.passed];
    tracking.passed += 1;
    if (missing !== undefined) change(tracking, missing, -1);
  }
}

function shownIn({ recording, references, known }: Tracking, message: Message): Shown {
  const recorded = recording.shown[recording.placeOf.get(message.id) ?? -1];
  return recorded !== undefined && isShownBy(recorded, message)
    ? recorded
    : findShown(message, references, known);
}

function change({ parts, wholes, items }: Tracking, shown: Shown, by: number): void {
  for (const part of shown.parts) parts.change(part, by);
  for (const part of shown.wholes) wholes.change(part, by);
  for (const item of shown.items) items.change(item, by);
}

/** The rest of a view gives way to another one; what stands in both at the same place stays. */
function replace(tracking: Tracking, before: readonly Message[], after: readonly Message[]): Gone {
  const old: Shown[] = [];
  for (const [index, message] of before.entries()) {
    if (message === after[index]) continue;
    const shown = shownIn(tracking, message);
    change(tracking, shown, -1);
    old.push(shown);
  }
  for (const [index, message] of after.entries()) {
    if (message !== before[index]) takeIn(tracking, message);
  }
  return goneOf(tracking, old);
}

/** Parts that are hidden now, or shown otherwise than the tool gave them; and items that no message shows. */
function goneOf({ visible, observer }: Tracking, old: readonly Shown[]): Gone {
  const gone = new Set<number>();
  const goneItems = new Set<number>();
  for (const { parts, wholes, items } of old) {
    for (const part of parts) if (!visible.hasPart(part)) gone.add(part);
    for (const part of wholes) {
      if (visible.hasWhole(part)) continue;
      gone.add(part);
      observer.onHidden(part);
    }
    for (const item of items) if (!visible.hasItem(item)) goneItems.add(item);
  }
  return { parts: gone.size, items: [...goneItems] };
}
