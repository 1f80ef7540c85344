import { commonLength, itemsFrom, type Message } from '../../../engine/index.ts';
import { type Counted, createCounted } from './counted.ts';
import type { References } from './reference.ts';
import { createShownIn, type Shown } from './shown-in.ts';

/** What a view shows, by part and item. */
export interface Visible {
  hasPart(partId: string): boolean;
  /** Whether the output of a part is shown as the tool gave it. */
  hasWhole(partId: string): boolean;
  /** Whether a standing item is shown, by its index. */
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
  readonly onMessage: (shown: Shown) => void;
  /** An output came to be shown as the tool gave it, or is shown so no more; outputs by the numbers of their parts. */
  readonly onWhole: (part: number, isShown: boolean) => void;
  readonly onItem: (item: number) => void;
}

/** Keeps track of what a view shows; what it has in common with the one before is not looked at again. */
export interface ViewTracker {
  readonly visible: Visible;
  /** Takes in what came to the view; gives whether nothing else happened to it. */
  grow(view: readonly Message[]): boolean;
  /** Takes another view in the place of the one before. */
  replace(view: readonly Message[]): Gone;
  /** An output that the recording does not have. */
  addOutput(partId: string, output: string): void;
}

/** What stands in a view, as often as it does. */
interface Standing {
  readonly parts: Counted;
  readonly wholes: Counted;
  readonly items: Counted;
}

/** A tracker of a view without messages. */
export function createViewTracker(references: References, observer: ViewObserver): ViewTracker {
  const own = new Map<string, string>();
  const numberOf = numberParts(references);
  const shownIn = createShownIn(references, {
    numberOf,
    outputOf: (id) => own.get(id) ?? references.outputs.get(id),
  });
  const standing = startStanding(observer);
  let seen: readonly Message[] = [];
  let shown: Shown[] = [];

  const takeInFrom = (view: readonly Message[], from: number) => {
    for (const message of itemsFrom(view, from)) {
      const added = shownIn(message);
      shown.push(added);
      add(standing, added);
      observer.onMessage(added);
    }
    seen = view;
  };
  return {
    visible: {
      hasPart: (partId) => standing.parts.has(numberOf(partId)),
      hasWhole: (partId) => standing.wholes.has(numberOf(partId)),
      hasItem: (item) => standing.items.has(item),
    },
    grow: (view) => {
      if (view === seen) return true;
      const isGrown = commonLength(seen, view) === shown.length;
      if (isGrown) takeInFrom(view, shown.length);
      return isGrown;
    },
    replace: (view) => {
      const from = commonLength(seen, view);
      const old = shown.slice(from);
      shown = shown.slice(0, from);
      for (const removed of old) remove(standing, removed);
      takeInFrom(view, from);
      return goneOf(old, standing);
    },
    addOutput: (partId, output) => {
      own.set(partId, output);
    },
  };
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

function startStanding({ onWhole, onItem }: ViewObserver): Standing {
  return {
    parts: createCounted(() => {}),
    wholes: createCounted(onWhole),
    items: createCounted((item, isShown) => {
      if (isShown) onItem(item);
    }),
  };
}

function add({ parts, wholes, items }: Standing, shown: Shown): void {
  for (const part of shown.parts) parts.add(part);
  for (const part of shown.wholes) wholes.add(part);
  for (const item of shown.items) items.add(item);
}

function remove({ parts, wholes, items }: Standing, shown: Shown): void {
  for (const part of shown.parts) parts.remove(part);
  for (const part of shown.wholes) wholes.remove(part);
  for (const item of shown.items) items.remove(item);
}

/** Parts that are hidden now, or shown otherwise than the tool gave them; and items that no message shows. */
function goneOf(old: readonly Shown[], { parts, wholes, items }: Standing): Gone {
  const gone = new Set<number>();
  const goneItems = new Set<number>();
  for (const shown of old) {
    for (const part of shown.parts) if (!parts.has(part)) gone.add(part);
    for (const part of shown.wholes) if (!wholes.has(part)) gone.add(part);
    for (const item of shown.items) if (!items.has(item)) goneItems.add(item);
  }
  return { parts: gone.size, items: [...goneItems] };
}
