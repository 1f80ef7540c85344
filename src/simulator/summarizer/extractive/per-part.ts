import type { Message } from '../../../engine/index.ts';

type Part = Message['parts'][number];

/**
 * The same function of a part, which remembers what it gave as long as the part is there: a session is summarised
 * again and again, and its parts stay what they are.
 */
export function perPart<Value extends object, Given extends Part = Part>(
  make: (part: Given) => Value,
): (part: Given) => Value {
  const values = new WeakMap<Part, Value>();
  return (part) => {
    const known = values.get(part);
    if (known !== undefined) return known;
    const value = make(part);
    values.set(part, value);
    return value;
  };
}
