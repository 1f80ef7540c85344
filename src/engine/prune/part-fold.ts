import { isSummary, type Message, type Part } from '../message.ts';
import type { Fold } from '../history.ts';
import { type CleanupPolicy } from '../policy.ts';
import { isProtected } from './cleanup.ts';

/** A fold over the parts that a clean-up may touch, each with the index of its message; it begins anew behind a summary. */
export function partFold<Value>(
  start: Value,
  add: (value: Value, part: Part, index: number) => Value,
): (rules: CleanupPolicy) => Fold<Message, Value> {
  return (rules) => ({
    by: { name: 'parts', rules: [add, rules] },
    start,
    add: (value, message, { index }) =>
      isSummary(message)
        ? start
        : message.parts.reduce(
            (known, part) => (isProtected(part, rules) ? known : add(known, part, index)),
            value,
          ),
  });
}
