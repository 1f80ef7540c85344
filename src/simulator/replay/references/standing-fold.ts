import type { RunEvent } from '../../events.ts';
import type { References } from './reference.ts';
import type { Visible } from './visible.ts';

/** Keeps in mind which standing items a run came by, and tells which of them are gone. */
export interface StandingFold {
  /** Indices of all items that a view has shown so far. */
  readonly met: Pick<Visible, 'items'>;
  meet(visible: Pick<Visible, 'items'>): void;
  /** A message came to the view; one that comes again counts once. */
  take(messageId: string): void;
  /** Tells which items of a view another one does not show any more. */
  tell(
    at: (RunEvent & { readonly type: 'standing' })['at'],
    before: Pick<Visible, 'items'>,
    after: Pick<Visible, 'items'>,
  ): RunEvent;
}

/** The fold of a run that has not begun. */
export function createStandingFold({ standing: { items }, reads }: References): StandingFold {
  const met = new Set<number>();
  const counts = { constraint: 0, path: 0 };
  const taken = new Set<string>();
  let fileReads = 0;
  const idsOf = (indices: readonly number[], kind: 'constraint' | 'path') =>
    indices.flatMap((index) => (items[index]?.kind === kind ? items[index].id : []));
  return {
    met: { items: met },
    meet: (visible) => {
      for (const index of visible.items) {
        const kind = items[index]?.kind;
        if (met.has(index) || kind === undefined) continue;
        met.add(index);
        counts[kind] += 1;
      }
    },
    take: (messageId) => {
      if (!taken.has(messageId)) fileReads += reads.get(messageId) ?? 0;
      taken.add(messageId);
    },
    tell: (at, before, after) => {
      const gone = [...before.items].filter((index) => !after.items.has(index));
      return {
        type: 'standing',
        at,
        constraints: counts.constraint,
        paths: counts.path,
        goneConstraints: idsOf(gone, 'constraint'),
        gonePaths: idsOf(gone, 'path'),
        fileReads,
      };
    },
  };
}
