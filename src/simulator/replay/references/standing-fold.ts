/** Folds which standing items a run came by, and which of them a view still shows. */

import type { RunEvent } from '../../events.ts';
import type { References, StandingItem } from './reference.ts';
import type { Shown } from './shown-in.ts';
import { hasItem, type Visible } from './visible.ts';

/** When it is told which standing items are gone. */
export type StandingTime = (RunEvent & { readonly type: 'standing' })['at'];

/** Which standing items a run came by. */
export interface StandingFold {
  readonly items: readonly StandingItem[];
  /** By item: whether it was noted, or waits to be. */
  readonly isNoted: boolean[];
  /** Those that a view showed, in that order. */
  readonly met: number[];
  readonly counts: Record<StandingItem['kind'], number>;
  /** Those that came since the view was last looked at. */
  fresh: number[];
  /** Messages whose reads and rows of calls were counted. */
  taken: Set<string> | undefined;
  fileReads: number;
  callLoops: number;
}

/** The fold of a run that has not begun. */
export function startStanding({ standing: { items } }: References): StandingFold {
  return {
    items,
    isNoted: [],
    met: [],
    counts: { constraint: 0, path: 0 },
    fresh: [],
    taken: undefined,
    fileReads: 0,
    callLoops: 0,
  };
}

/** A message came to the view; the reads and rows of calls of one that comes again count once. */
export function takeStanding(fold: StandingFold, shown: Shown): void {
  const { isNoted } = fold;
  for (const item of shown.items) {
    if (isNoted[item] === true) continue;
    while (isNoted.length <= item) isNoted.push(false);
    isNoted[item] = true;
    fold.fresh.push(item);
  }
  if (shown.reads + shown.loops === 0 || fold.taken?.has(shown.messageId) === true) return;
  fold.fileReads += shown.reads;
  fold.callLoops += shown.loops;
  fold.taken ??= new Set();
  fold.taken.add(shown.messageId);
}

/** Notes which items a view shows, of those that came to it. */
export function meetStanding(fold: StandingFold, visible: Visible): void {
  const { items, isNoted, met, counts } = fold;
  for (const item of fold.fresh) {
    const kind = items[item]?.kind;
    isNoted[item] = kind !== undefined && hasItem(visible, item);
    if (kind === undefined || !isNoted[item]) continue;
    met.push(item);
    counts[kind] += 1;
  }
  fold.fresh = [];
}

/** Indices of the noted items that a view does not show, in the order in which they were met. */
export function goneStanding({ met }: StandingFold, visible: Visible): readonly number[] {
  return met.filter((item) => !hasItem(visible, item));
}

/** Tells which items are gone. */
export function tellStanding(
  { items, counts, fileReads, callLoops }: StandingFold,
  at: StandingTime,
  gone: readonly number[],
): RunEvent {
  return {
    type: 'standing',
    at,
    constraints: counts.constraint,
    paths: counts.path,
    goneConstraints: idsOf(items, gone, 'constraint'),
    gonePaths: idsOf(items, gone, 'path'),
    fileReads,
    callLoops,
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
