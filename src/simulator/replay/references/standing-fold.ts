import type { RunEvent } from '../../events.ts';
import type { References } from './reference.ts';
import type { Shown } from './shown-in.ts';
import type { Visible } from './visible.ts';

/** Keeps in mind which standing items a run came by, and tells which of them are gone. */
export interface StandingFold {
  /** Indices of all items that a view has shown so far. */
  readonly met: ReadonlySet<number>;
  /** An item came to the view. */
  readonly show: (item: number) => void;
  /** Notes which items a view shows, of those that came to it. */
  meet(visible: Pick<Visible, 'hasItem'>): void;
  /** A message came to the view; one that comes again counts once. */
  take(shown: Shown): void;
  /** Tells which items are gone. */
  tell(at: (RunEvent & { readonly type: 'standing' })['at'], gone: readonly number[]): RunEvent;
}

/** The fold of a run that has not begun. */
export function createStandingFold({ standing: { items } }: References): StandingFold {
  const met = new Set<number>();
  const counts = { constraint: 0, path: 0 };
  const taken = new Set<string>();
  let fresh: number[] = [];
  let fileReads = 0;
  const idsOf = (indices: readonly number[], kind: 'constraint' | 'path') =>
    indices.flatMap((index) => (items[index]?.kind === kind ? items[index].id : []));
  return {
    met,
    show: (item) => {
      if (!met.has(item)) fresh.push(item);
    },
    meet: (visible) => {
      for (const index of fresh) {
        const kind = items[index]?.kind;
        if (met.has(index) || kind === undefined || !visible.hasItem(index)) continue;
        met.add(index);
        counts[kind] += 1;
      }
      fresh = [];
    },
    take: ({ messageId, reads }) => {
      if (reads === 0 || taken.has(messageId)) return;
      fileReads += reads;
      taken.add(messageId);
    },
    tell: (at, gone) => ({
      type: 'standing',
      at,
      constraints: counts.constraint,
      paths: counts.path,
      goneConstraints: idsOf(gone, 'constraint'),
      gonePaths: idsOf(gone, 'path'),
      fileReads,
    }),
  };
}
