import { type Counted, hasNumber, startCounted } from './counted.ts';
import type { Recording } from './recording.ts';

/** What a view shows, by the numbers of parts and items. */
export interface Visible {
  readonly parts: Counted;
  /** Parts of which is shown what was said or called. */
  readonly said: Counted;
  /** Parts whose output is shown as the tool gave it. */
  readonly wholes: Counted;
  readonly items: Counted;
  /** Messages of the recording that came by. */
  passed: number;
  /** Those behind so many of them were shown as they were recorded ever since. */
  changedUntil: number;
}

/** What a view without messages shows. */
export function startVisible({ parts, wholes, items }: Recording): Visible {
  return {
    parts: startCounted(parts),
    said: startCounted(parts),
    wholes: startCounted(wholes),
    items: startCounted(items),
    passed: 0,
    changedUntil: 0,
  };
}

/** Whether anything of a part is shown. */
export function hasPart({ parts, passed }: Visible, part: number): boolean {
  return hasNumber(parts, part, passed);
}

/** Whether what was said or called in a part is shown. */
export function hasSaid({ said, passed }: Visible, part: number): boolean {
  return hasNumber(said, part, passed);
}

/** Whether the output of a part is shown as the tool gave it. */
export function hasWhole({ wholes, passed }: Visible, part: number): boolean {
  return hasNumber(wholes, part, passed);
}

/** Whether a standing item is shown. */
export function hasItem({ items, passed }: Visible, item: number): boolean {
  return hasNumber(items, item, passed);
}

/** Whether all messages of the recording from one place to another are shown as they were recorded. */
export function hasRecorded({ passed, changedUntil }: Visible, from: number, to: number): boolean {
  return changedUntil <= from && to < passed;
}
