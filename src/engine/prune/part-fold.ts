import { isSummary, type Message, type Part } from '../message.ts';
import type { Fold } from '../series/fold.ts';
import { foldTable } from '../series/fold-table.ts';
import { type CleanupPolicy, isProtected } from './cleanup.ts';

/** A fold over the parts that a clean-up may touch, each with the index of its message; it begins anew behind a summary. */
export function partFold<Value>(
  start: Value,
  add: (value: Value, part: Part, index: number) => Value,
): (rules: CleanupPolicy) => Fold<Message, Value> {
  return foldTable(
    ({ protectedTools }: CleanupPolicy) => protectedTools ?? null,
    (rules) => ({
      start,
      add: (value, message, { index }) =>
        isSummary(message)
          ? start
          : message.parts.reduce(
              (known, part) => (isProtected(part, rules) ? known : add(known, part, index)),
              value,
            ),
    }),
  );
}
