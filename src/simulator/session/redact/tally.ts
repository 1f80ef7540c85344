/** Counts what redaction replaces and what it keeps. */

import type { Visitor } from './walk.ts';

/** How many values were replaced or kept, by the field that holds them. */
export interface RedactionCounts {
  readonly replaced: Readonly<Record<string, number>>;
  readonly kept: Readonly<Record<string, number>>;
}

/** A visitor that keeps count of what another one does. */
export interface RedactionTally {
  readonly visitor: Visitor;
  counts(): RedactionCounts;
}

/** Counts of nothing as yet. */
export function createTally(visitor: Visitor): RedactionTally {
  const replaced = new Map<string, number>();
  const kept = new Map<string, number>();
  const noted = <Value>(before: Value, after: Value, kind: string): Value => {
    const counts = before === after ? kept : replaced;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return after;
  };

  return {
    visitor: {
      text: (text, place) => noted(text, visitor.text(text, place), place.field),
      number: (value, place) => noted(value, visitor.number(value, place), place.field),
      key: (key, place) => noted(key, visitor.key(key, place), `name in ${place.field}`),
    },
    counts: () => ({ replaced: Object.fromEntries(replaced), kept: Object.fromEntries(kept) }),
  };
}
