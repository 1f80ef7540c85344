import {
  ASCII_WORD,
  DIGIT,
  DOT,
  kindOf,
  LINK,
  LOWER,
  SLASH,
  UNDERSCORE,
  UPPER,
} from './characters.ts';
import { OTHER_PRIME, PRIME, SEED } from './hash.ts';

/** Told of a name by two hashes that stand for it. */
export type NameSink = (first: number, second: number) => void;

/** What of its characters makes a name. */
interface Features {
  /** Bits of all of them. */
  readonly kinds: number;
  readonly slashes: number;
  /** A capital letter behind a small one. */
  readonly hasHump: boolean;
}

const MIN_NAME = 5;
const MAX_NAME = 260;
const MIN_MIXED_NAME = 7;
const MIN_CAMEL_NAME = 6;

const IN_NAME = ASCII_WORD | DOT | SLASH | LINK;
/** One of them stands in every name. */
const TELLING = IN_NAME & ~(LOWER | LINK);

/** Finds names: paths, identifiers of several words, hashes, ids and long numbers; no plain words. */
export function scanNames(codes: Uint16Array, sink: NameSink): void {
  let start = 0;
  let kinds = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const kind = kindOf(codes[index] ?? 0) & IN_NAME;
    kinds |= kind;
    if (kind !== 0) continue;
    if ((kinds & TELLING) !== 0) addName(codes, trimmed(codes, start, index), sink);
    kinds = 0;
    start = index + 1;
  }
}

function trimmed(
  codes: Uint16Array,
  from: number,
  to: number,
): readonly [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end && !isWordAt(codes, start)) start += 1;
  while (end > start && !isWordAt(codes, end - 1)) end -= 1;
  return [start, end];
}

function isWordAt(codes: Uint16Array, index: number): boolean {
  return (kindOf(codes[index] ?? 0) & ASCII_WORD) !== 0;
}

function addName(
  codes: Uint16Array,
  [start, end]: readonly [number, number],
  sink: NameSink,
): void {
  if (end - start < MIN_NAME || end - start > MAX_NAME) return;
  if (!isName(featuresOf(codes, start, end), end - start)) return;
  let [first, second] = [SEED, OTHER_PRIME];
  for (let index = start; index < end; index += 1) {
    const code = codes[index] ?? 0;
    first = Math.imul(first ^ code, PRIME);
    second = (Math.imul(second ^ code, OTHER_PRIME) + index - start) | 0;
  }
  sink(first, second);
}

function featuresOf(codes: Uint16Array, start: number, end: number): Features {
  const features = { kinds: 0, slashes: 0, hasHump: false };
  let before = 0;
  for (let index = start; index < end; index += 1) {
    const kind = kindOf(codes[index] ?? 0);
    features.kinds |= kind;
    if (kind === SLASH) features.slashes += 1;
    if (kind === UPPER && before === LOWER) features.hasHump = true;
    before = kind;
  }
  return features;
}

/** A path, an identifier of several words, a hash, an id or a long number; no plain word. */
function isName({ kinds, slashes, hasHump }: Features, length: number): boolean {
  if (kinds === DIGIT || (kinds & (UNDERSCORE | DOT)) !== 0) return true;
  const hasDigit = (kinds & DIGIT) !== 0;
  if (slashes > 0) return hasDigit || slashes > 1;
  if (hasDigit) return length >= MIN_MIXED_NAME;
  return hasHump && length >= MIN_CAMEL_NAME;
}
