import type { Recording } from './recording.ts';
import type { Shown } from './shown-in.ts';

/** What a view shows, by the numbers of parts and items. */
export interface Visible {
  hasPart(part: number): boolean;
  /** Whether the output of a part is shown as the tool gave it. */
  hasWhole(part: number): boolean;
  hasItem(item: number): boolean;
  /** Whether it shows all messages of the recording from one place to another as they were recorded. */
  hasRecorded(from: number, to: number): boolean;
}

/** What a view does not show any more. */
export interface Gone {
  /** Parts of the recording that are hidden or whose outputs are cleared, each the first time since it was shown whole. */
  readonly parts: number;
  /** Standing items, in their order in the view. */
  readonly items: readonly number[];
}

/** Tells what of messages that left a view it does not show any more. */
export type GoneFrom = (left: readonly Shown[]) => Gone;

/** Looks what is gone, each time that messages left; of outputs that are, it tells somebody by the numbers of their parts. */
export function createGone(
  visible: Pick<Visible, 'hasPart' | 'hasWhole' | 'hasItem'>,
  recorded: Pick<Recording, 'wholes'>,
  onHidden: (part: number) => void,
): GoneFrom {
  let times = 0;
  /** The newest of these times at which a part was gone, by its number. */
  const goneAt: number[] = [];
  const isNewlyGone = (part: number): boolean => {
    // What a policy wrote itself has numbers behind those of the recording.
    if (part >= recorded.wholes.length || goneAt[part] === times) return false;
    while (goneAt.length <= part) goneAt.push(0);
    goneAt[part] = times;
    return true;
  };
  /** Such a part is gone as soon as it is not whole any more, and is so no second time where its call goes, too. */
  const hadWhole = (part: number) => (recorded.wholes[part]?.length ?? 0) > 0;
  const countParts = ({ parts, wholes }: Shown): number => {
    let gone = 0;
    for (const part of wholes) {
      if (visible.hasWhole(part)) continue;
      if (isNewlyGone(part)) gone += 1;
      onHidden(part);
    }
    for (const part of parts) {
      if (!hadWhole(part) && !visible.hasPart(part) && isNewlyGone(part)) gone += 1;
    }
    return gone;
  };
  return (left) => {
    times += 1;
    let parts = 0;
    for (const shown of left) parts += countParts(shown);
    return { parts, items: goneItems(visible, left) };
  };
}

/** Items that no message shows. */
function goneItems(
  { hasItem }: Pick<Visible, 'hasItem'>,
  left: readonly Shown[],
): readonly number[] {
  const gone = new Set<number>();
  for (const { items } of left) {
    for (const item of items) if (!hasItem(item)) gone.add(item);
  }
  return [...gone];
}
