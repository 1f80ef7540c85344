import type { Shown } from './shown-in.ts';
import { hasItem, hasSaid, hasWhole, type Visible } from './visible.ts';

/** What a view does not show any more. */
export interface Gone {
  /** Outputs of the recording that are hidden or cleared, and texts and calls, each the first time since it was shown whole. */
  readonly parts: number;
  /** Standing items, in their order in the view. */
  readonly items: readonly number[];
}

/** Times at which messages left a view. */
export interface Leaving {
  times: number;
  /** The newest of them at which a part was gone, by its number. */
  readonly goneAt: number[];
}

/** Whom it is told of what else happens to outputs, by the numbers of their parts. */
export type OnHidden = (part: number) => void;

/** No message has left yet. */
export function startLeaving(): Leaving {
  return { times: 0, goneAt: [] };
}

/** Looks what is gone of messages that left; of outputs that are, it tells somebody. */
export function goneFrom(
  leaving: Leaving,
  visible: Visible,
  { left, onHidden }: { readonly left: readonly Shown[]; readonly onHidden: OnHidden },
): Gone {
  leaving.times += 1;
  let parts = 0;
  for (const shown of left) {
    parts +=
      countOutputs(leaving, visible, { shown, onHidden }) + countSaid(leaving, visible, shown);
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
    if (isNewlyGone(leaving, visible, part)) gone += 1;
    onHidden(part);
  }
  return gone;
}

/** An output is gone as soon as it is not whole any more, and is so no second time where its call goes, too. */
function countSaid(leaving: Leaving, visible: Visible, { said }: Shown): number {
  const { times } = visible.wholes.places;
  let gone = 0;
  for (const part of said) {
    if (hasSaid(visible, part)) continue;
    const hasLostOutput = (times[part] ?? 0) > 0 && !hasWhole(visible, part);
    if (!hasLostOutput && isNewlyGone(leaving, visible, part)) gone += 1;
  }
  return gone;
}

function isNewlyGone({ times, goneAt }: Leaving, { wholes }: Visible, part: number): boolean {
  // What a policy wrote itself has numbers behind those of the recording.
  if (part >= wholes.places.times.length || goneAt[part] === times) return false;
  while (goneAt.length <= part) goneAt.push(0);
  goneAt[part] = times;
  return true;
}

/** Items that no message shows. */
function goneItems(visible: Visible, left: readonly Shown[]): readonly number[] {
  const gone = new Set<number>();
  for (const { items } of left) {
    for (const item of items) if (!hasItem(visible, item)) gone.add(item);
  }
  return [...gone];
}
