import type { RunEvent } from '../../events.ts';
import type { References, StandingItem } from './reference.ts';
import type { Shown } from './shown-in.ts';
import type { Visible } from './visible.ts';

/** Keeps in mind which standing items a run came by, and tells which of them are gone. */
export interface StandingFold {
  /** A message came to the view; the reads of one that comes again count once. */
  take(shown: Shown): void;
  /** Notes which items a view shows, of those that came to it. */
  meet(visible: Pick<Visible, 'hasItem'>): void;
  /** Indices of the noted items that a view does not show, in the order in which they were met. */
  goneFrom(visible: Pick<Visible, 'hasItem'>): readonly number[];
  /** Tells which items are gone. */
  tell(at: (RunEvent & { readonly type: 'standing' })['at'], gone: readonly number[]): RunEvent;
}

/** The fold of a run that has not begun. */
export function createStandingFold({ standing: { items } }: References): StandingFold {
  const isNoted: boolean[] = [];
  const met: number[] = [];
  const counts = { constraint: 0, path: 0 };
  let fresh: number[] = [];
  let taken: Set<string> | undefined;
  let fileReads = 0;
  return {
    take: (shown) => {
      for (const item of shown.items) {
        if (isNoted[item] === true) continue;
        while (isNoted.length <= item) isNoted.push(false);
        isNoted[item] = true;
        fresh.push(item);
      }
      if (shown.reads === 0 || taken?.has(shown.messageId) === true) return;
      fileReads += shown.reads;
      taken ??= new Set();
      taken.add(shown.messageId);
    },
    meet: (visible) => {
      for (const item of fresh) {
        const kind = items[item]?.kind;
        isNoted[item] = kind !== undefined && visible.hasItem(item);
        if (kind === undefined || !isNoted[item]) continue;
        met.push(item);
        counts[kind] += 1;
      }
      fresh = [];
    },
    goneFrom: (visible) => {
      const gone: number[] = [];
      for (const item of met) if (!visible.hasItem(item)) gone.push(item);
      return gone;
    },
    tell: (at, gone) => ({
      type: 'standing',
      at,
      constraints: counts.constraint,
      paths: counts.path,
      goneConstraints: idsOf(items, gone, 'constraint'),
      gonePaths: idsOf(items, gone, 'path'),
      fileReads,
    }),
  };
}

function idsOf(
  items: readonly StandingItem[],
  indices: readonly number[],
  kind: StandingItem['kind'],
): readonly string[] {
  const ids: string[] = [];
  for (const index of indices) {
    const item = items[index];
    if (item?.kind === kind) ids.push(item.id);
  }
  return ids;
}
