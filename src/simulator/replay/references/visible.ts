import { commonLength, itemsFrom, type Message, type Part } from '../../../engine/index.ts';
import { createCounted, type Counted } from './counted.ts';
import type { References } from './reference.ts';

/** What a view shows, by part and item. */
export interface Visible {
  readonly parts: Pick<Counted<string>, 'has'>;
  /** Parts whose output is shown as the tool gave it. */
  readonly whole: Pick<Counted<string>, 'has'>;
  /** Indices of standing items. */
  readonly items: Pick<Counted<number>, 'has'>;
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
  readonly onMessage: (message: Message) => void;
  /** An output came to be shown as the tool gave it, or is shown so no more. */
  readonly onWhole: (partId: string, isShown: boolean) => void;
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
interface Shown {
  readonly parts: Counted<string>;
  readonly whole: Counted<string>;
  readonly items: Counted<number>;
}

/** A tracker of a view without messages. */
export function createViewTracker(
  { outputs, standing }: Pick<References, 'outputs' | 'standing'>,
  observer: ViewObserver,
): ViewTracker {
  const own = new Map<string, string>();
  const shown = startShown(observer);
  let seen: readonly Message[] = [];
  const wholes: (readonly string[])[] = [];

  const takeIn = (message: Message) => {
    const wholeIds = wholePartsOf(message, (id) => own.get(id) ?? outputs.get(id));
    for (const { id } of message.parts) shown.parts.add(id);
    for (const id of wholeIds) shown.whole.add(id);
    for (const item of standing.itemsOf(message)) shown.items.add(item);
    wholes.push(wholeIds);
    observer.onMessage(message);
  };
  const takeOut = (message: Message) => {
    for (const { id } of message.parts) shown.parts.remove(id);
    for (const id of wholes.pop() ?? []) shown.whole.remove(id);
    for (const item of standing.itemsOf(message)) shown.items.remove(item);
  };
  const takeInFrom = (view: readonly Message[], from: number) => {
    for (const message of itemsFrom(view, from)) takeIn(message);
    seen = view;
  };
  return {
    visible: shown,
    grow: (view) => {
      const isGrown = commonLength(seen, view) === seen.length;
      if (isGrown) takeInFrom(view, seen.length);
      return isGrown;
    },
    replace: (view) => {
      const from = commonLength(seen, view);
      const old = itemsFrom(seen, from);
      const oldWhole = new Set(wholes.slice(from).flat());
      const oldItems = new Set(old.flatMap((message) => standing.itemsOf(message)));
      for (const message of old.toReversed()) takeOut(message);
      takeInFrom(view, from);
      return {
        parts: countGone(old, oldWhole, shown),
        items: [...oldItems].filter((item) => !shown.items.has(item)),
      };
    },
    addOutput: (partId, output) => {
      own.set(partId, output);
    },
  };
}

function wholePartsOf(
  { parts }: Message,
  outputOf: (partId: string) => string | undefined,
): readonly string[] {
  return parts.filter((part) => isWhole(part, outputOf(part.id))).map(({ id }) => id);
}

function startShown({ onWhole, onItem }: ViewObserver): Shown {
  return {
    parts: createCounted(() => {}),
    whole: createCounted(onWhole),
    items: createCounted((item, isShown) => {
      if (isShown) onItem(item);
    }),
  };
}

/** Parts that are hidden now, or shown otherwise than the tool gave them. */
function countGone(
  old: readonly Message[],
  oldWhole: ReadonlySet<string>,
  { parts, whole }: Visible,
): number {
  const ids = new Set(old.flatMap((message) => message.parts.map(({ id }) => id)));
  let count = 0;
  for (const id of ids) {
    const isCleared = oldWhole.has(id) && !whole.has(id);
    if (isCleared || !parts.has(id)) count += 1;
  }
  return count;
}

/** Neither cleared nor overwritten; an output that nobody knows cannot be told from another. */
function isWhole(part: Part, output: string | undefined): boolean {
  if (part.type !== 'tool') return false;
  const { state } = part;
  if (state.status === 'error') return true;
  if (state.status !== 'completed' || state.compactedAt !== undefined) return false;
  return output === undefined || state.output === output;
}
