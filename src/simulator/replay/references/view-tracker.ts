import type { Message } from '../../../engine/index.ts';
import { grownItems, type List, partingOf } from '../../../engine/internal.ts';
import type { EvictionCause } from '../../events.ts';
import { changeNumbers } from './needs.ts';
import type { References, Side } from './reference.ts';
import {
  createKnownParts,
  findShown,
  hasItem,
  hasPart,
  hasSaid,
  hasWhole,
  type KnownParts,
  placeOf,
  type Recording,
  type Shown,
  startVisible,
  type Visible,
} from './visible.ts';

/** Receives the content that enters and leaves a view. */
interface ViewObserver {
  /** Messages are about to leave the view. */
  readonly onLeaving: () => void;
  /** A message came to the view, with outputs as the tool gave them that may have come before, by the numbers of their parts. */
  readonly onMessage: (shown: Shown, again: readonly number[]) => void;
  /** An output is shown no more as the tool gave it. */
  readonly onHidden: OnHidden;
}

/** Tracks the content of a view; the part in common with the previous view is not read again. */
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

/** Parts and items that a view no longer shows. */
export interface Gone {
  /** Outputs that are hidden or cleared, and the recording's texts and calls, each the first time since it was shown whole. */
  readonly parts: number;
  /** Standing items, in their order in the view. */
  readonly items: readonly number[];
}

/** Times at which messages left a view. */
interface Leaving {
  /** The newest step that was sent. */
  step: number;
  /** The step that was the newest then, of each time; nothing before the first. */
  readonly steps: number[];
  /** The causes by which they left, in order of time. Before the first, content that was never shown lies behind the view's window. */
  readonly causes: EvictionCause[];
  /** The newest of them at which an output was gone, by the number of its part. */
  readonly outputsGoneAt: number[];
  /** The newest of them at which something said was gone, by the number of its part. */
  readonly saidGoneAt: number[];
  /** The newest of them at which all of a part was gone, by its number. */
  readonly hiddenAt: number[];
}

/** Messages that left a view, and by what. */
interface Left {
  readonly left: readonly Shown[];
  readonly by: EvictionCause;
  readonly onHidden: OnHidden;
}

/** Receives the numbers of parts whose outputs are hidden otherwise. */
type OnHidden = (part: number) => void;

const NO_MESSAGES: readonly Message[] = [];

/** The time before anything has left. */
const NEVER = -1;

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

/** Replaces the view by another one; returns the content that is gone by a cause, if it has messages of that cause. */
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

/** The step after which a side of a part was gone; absent where it never was. */
export function goneAfter(
  { steps, outputsGoneAt, saidGoneAt }: Leaving,
  part: number,
  side: Side,
): number | undefined {
  const goneAt = side === 'output' ? outputsGoneAt : saidGoneAt;
  const step = steps[goneAt[part] ?? 0];
  return step === NEVER ? undefined : step;
}

/** The cause by which a part that no message shows was hidden. */
export function hiddenBy({ causes, hiddenAt }: Leaving, part: number): EvictionCause {
  return causes[hiddenAt[part] ?? 0] ?? 'window';
}

/** No message has left yet. */
function startLeaving(): Leaving {
  return {
    step: 0,
    steps: [NEVER],
    causes: ['window'],
    outputsGoneAt: [],
    saidGoneAt: [],
    hiddenAt: [],
  };
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

function shownIn(tracker: ViewTracker, message: Message, place: number | undefined): Shown {
  const recorded = place === undefined ? undefined : tracker.recording.shown[place];
  if (recorded !== undefined && recorded.content === message.parts) return recorded;
  const { references, recording } = tracker;
  tracker.known ??= createKnownParts(references.partNumbers, recording.outputs);
  return findShown(message, { references, known: tracker.known }, recorded);
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

function change({ parts, said, wholes, items }: Visible, shown: Shown, by: number): void {
  changeNumbers(parts, shown.parts, by);
  changeNumbers(said, shown.said, by);
  changeNumbers(wholes, shown.wholes, by);
  changeNumbers(items, shown.items, by);
}

/** Replaces the rest of a view; content at the same place in both stays. */
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

/** Finds the content that is gone with messages that left; reports outputs among it. */
function goneFrom(leaving: Leaving, visible: Visible, { left, by, onHidden }: Left): Gone {
  leaving.steps.push(leaving.step);
  leaving.causes.push(by);
  let parts = 0;
  for (const shown of left) {
    parts +=
      countOutputs(leaving, visible, { shown, onHidden }) + countSaid(leaving, visible, shown);
    noteHidden(leaving, visible, shown);
  }
  return { parts, items: goneItems(visible, left) };
}

function countOutputs(
  leaving: Leaving,
  visible: Visible,
  { shown, onHidden }: { readonly shown: Shown; readonly onHidden: OnHidden },
): number {
  let gone = 0;
  for (const part of shown.wholes) {
    if (hasWhole(visible, part)) continue;
    if (isNewlyGone(leaving.outputsGoneAt, part, leaving)) gone += 1;
    onHidden(part);
  }
  return gone;
}

/** Tests if a part was not yet known to be gone, and records that it is. */
function isNewlyGone(goneAt: number[], part: number, leaving: Leaving): boolean {
  if (goneAt[part] === leaving.steps.length - 1) return false;
  noteGone(goneAt, part, leaving);
  return true;
}

function noteGone(goneAt: number[], part: number, { steps }: Leaving): void {
  while (goneAt.length <= part) goneAt.push(0);
  goneAt[part] = steps.length - 1;
}

/** An output is gone as soon as it is not whole any more, and is so no second time where its call goes, too. */
function countSaid(leaving: Leaving, visible: Visible, { said }: Shown): number {
  const { times } = visible.wholes.places;
  let gone = 0;
  for (const part of said) {
    if (hasSaid(visible, part)) continue;
    // What a policy wrote itself has numbers behind those of the recording.
    if (part >= times.length || !isNewlyGone(leaving.saidGoneAt, part, leaving)) continue;
    const hasLostOutput = (times[part] ?? 0) > 0 && !hasWhole(visible, part);
    if (!hasLostOutput) gone += 1;
  }
  return gone;
}

function noteHidden(leaving: Leaving, visible: Visible, { parts }: Shown): void {
  for (const part of parts) {
    if (!hasPart(visible, part)) noteGone(leaving.hiddenAt, part, leaving);
  }
}

/** Items that no message shows. */
function goneItems(visible: Visible, left: readonly Shown[]): readonly number[] {
  const gone = new Set<number>();
  for (const { items } of left) {
    for (const item of items) if (!hasItem(visible, item)) gone.add(item);
  }
  return [...gone];
}
