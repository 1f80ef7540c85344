const HIGH_SURROGATES = /[\uD800-\uDBFF]$/;
const LOW_SURROGATES = /^[\uDC00-\uDFFF]/;

/** Start and prime of the hash FNV-1a (public domain). */
export const FNV = { start: 0x811c9dc5, prime: 0x01000193 } as const;

/** Plain data with the keys of each object in order. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]));
}

/** Plain data as JSON, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? '';
}

/** The first UTF-16 units of a text, without half a character. */
export function beginningOf(text: string, length: number): string {
  const beginning = text.slice(0, length);
  return beginning.length < text.length ? beginning.replace(HIGH_SURROGATES, '') : beginning;
}

/** The last UTF-16 units of a text, without half a character. */
export function endOf(text: string, length: number): string {
  const end = length <= 0 ? '' : text.slice(-length);
  return end.length < text.length ? end.replace(LOW_SURROGATES, '') : end;
}

/** FNV-1a over the code units of a text. */
export function hashUnits(text: string): number {
  let hash: number = FNV.start;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV.prime);
  return hash;
}

/** Tests if a value is an object with fields, and no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of a value that may be anything. */
export function readField(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** The value itself, frozen all the way down. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
