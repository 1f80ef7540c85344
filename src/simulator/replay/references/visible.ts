import type { Message, Part } from '../../../engine/index.ts';
import type { References } from './reference.ts';

/** What a view shows, by part and item. */
export interface Visible {
  readonly parts: ReadonlySet<string>;
  /** Parts whose output is shown as the tool gave it. */
  readonly whole: ReadonlySet<string>;
  /** Indices of standing items. */
  readonly items: ReadonlySet<number>;
}

/** Keeps track of what a growing view shows. Only a view that did not just grow is looked at anew. */
export interface ViewTracker {
  readonly visible: Visible;
  /** Takes in what came to the view; gives whether nothing else happened to it. */
  grow(view: readonly Message[]): boolean;
  /** Looks at all of a view. */
  replace(view: readonly Message[]): void;
  /** An output that the recording does not have. */
  addOutput(partId: string, output: string): void;
}

/** A tracker of a view without messages, told of each message that it takes in. */
export function createViewTracker(
  { outputs, standing }: Pick<References, 'outputs' | 'standing'>,
  onMessage: (message: Message, visible: Visible) => void,
): ViewTracker {
  const own = new Map<string, string>();
  let visible = nothing();
  let seen: readonly Message[] = [];
  let seenEnds: readonly (Message | undefined)[] = [];
  let length = 0;

  const takeIn = (view: readonly Message[], from: number) => {
    for (const message of from === 0 ? view : view.slice(from)) {
      for (const part of message.parts) {
        visible.parts.add(part.id);
        const output = own.get(part.id) ?? outputs.get(part.id);
        if (isWhole(part, output)) visible.whole.add(part.id);
      }
      for (const item of standing.itemsOf(message)) visible.items.add(item);
      onMessage(message, visible);
    }
    [seen, length, seenEnds] = [view, view.length, [view[0], view.at(-1)]];
  };
  return {
    get visible() {
      return visible;
    },
    grow: (view) => {
      if (view === seen && view.length === length) return true;
      const [first, last] = seenEnds;
      const isGrown = length === 0 || (view[0] === first && view[length - 1] === last);
      if (isGrown) takeIn(view, length);
      return isGrown;
    },
    replace: (view) => {
      visible = nothing();
      takeIn(view, 0);
    },
    addOutput: (partId, output) => {
      own.set(partId, output);
    },
  };
}

function nothing() {
  return { parts: new Set<string>(), whole: new Set<string>(), items: new Set<number>() };
}

/** Neither cleared nor overwritten; an output that nobody knows cannot be told from another. */
function isWhole(part: Part, output: string | undefined): boolean {
  if (part.type !== 'tool') return false;
  const { state } = part;
  if (state.status === 'error') return true;
  if (state.status !== 'completed' || state.compactedAt !== undefined) return false;
  return output === undefined || state.output === output;
}
