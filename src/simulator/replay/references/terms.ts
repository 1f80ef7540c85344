/** Told of what could give away where a text comes from, as numbers that stand for it. */
export type TermSink = (term: number) => void;

/** Words in a row that hardly occur twice by chance. */
const PHRASE_WORDS = 8;
/** Different ones among them; a line of dashes or zeros tells nothing. */
const MIN_DIFFERENT_WORDS = 5;
const MIN_NAME = 5;
const MAX_NAME = 260;
const MIN_MIXED_NAME = 7;
const MIN_CAMEL_NAME = 6;

const WORD = 1;
const LINK = 2;
/** What each ASCII character is part of: words, or only names. */
const CLASSES = classesOf();
const FIRST_IDEOGRAPH = 0x3040;
const LAST_IDEOGRAPH = 0xd7a3;
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const OTHER_PRIME = 0x5bd1e995;
const LOW_BITS = 20;
const LOW_RANGE = 2 ** LOW_BITS;

/** Finds phrases of eight words, and names: paths, identifiers, hashes, long numbers. Takes time by length only. */
export function scanTerms(text: string, sink: TermSink): void {
  scanPhrases(text, sink);
  scanNames(text, sink);
}

function scanPhrases(text: string, sink: TermSink): void {
  const ring = new Int32Array(PHRASE_WORDS);
  let count = 0;
  let word = 0;
  const end = () => {
    if (word === 0) return;
    ring[count % PHRASE_WORDS] = word;
    count += 1;
    word = 0;
    if (count >= PHRASE_WORDS) addPhrase(ring, count, sink);
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isIdeograph = code >= FIRST_IDEOGRAPH && code <= LAST_IDEOGRAPH;
    if (isIdeograph || !isWordCode(code)) end();
    if (!isWordCode(code)) continue;
    word = Math.imul((word === 0 ? SEED : word) ^ code, PRIME) || 1;
    if (isIdeograph) end();
  }
  end();
}

function addPhrase(ring: Int32Array, count: number, sink: TermSink): void {
  let [first, second] = [SEED, PRIME];
  let different = 0;
  for (let offset = 0; offset < PHRASE_WORDS; offset += 1) {
    const word = ring[(count + offset) % PHRASE_WORDS] ?? 0;
    first = Math.imul(first ^ word, PRIME);
    second = Math.imul(second ^ word, OTHER_PRIME) + offset;
    if (isFirstInRing(ring, (count + offset) % PHRASE_WORDS)) different += 1;
  }
  if (different >= MIN_DIFFERENT_WORDS) sink(join(first, second));
}

function isFirstInRing(ring: Int32Array, at: number): boolean {
  for (let index = 0; index < at; index += 1) if (ring[index] === ring[at]) return false;
  return true;
}

function scanNames(text: string, sink: TermSink): void {
  let start = -1;
  for (let index = 0; index <= text.length; index += 1) {
    const isInside = index < text.length && (CLASSES[text.charCodeAt(index)] ?? 0) > 0;
    if (isInside && start === -1) start = index;
    if (isInside || start === -1) continue;
    addName(text, trimmed(text, start, index), sink);
    start = -1;
  }
}

function trimmed(text: string, from: number, to: number): readonly [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end && CLASSES[text.charCodeAt(start)] !== WORD) start += 1;
  while (end > start && CLASSES[text.charCodeAt(end - 1)] !== WORD) end -= 1;
  return [start, end];
}

function addName(text: string, [start, end]: readonly [number, number], sink: TermSink): void {
  if (end - start < MIN_NAME || end - start > MAX_NAME) return;
  if (!isName(text.slice(start, end))) return;
  let [first, second] = [SEED, OTHER_PRIME];
  for (let index = start; index < end; index += 1) {
    first = Math.imul(first ^ text.charCodeAt(index), PRIME);
    second = Math.imul(second ^ text.charCodeAt(index), OTHER_PRIME) + index - start;
  }
  sink(join(first, second));
}

/** A path, an identifier of several words, a hash, an id or a long number; no plain word. */
function isName(name: string): boolean {
  if (/^\d+$/.test(name)) return true;
  if (name.includes('_') || name.includes('.') || name.includes('\\')) return true;
  const hasDigit = /\d/.test(name);
  if (name.includes('/')) return hasDigit || name.indexOf('/') !== name.lastIndexOf('/');
  if (hasDigit) return name.length >= MIN_MIXED_NAME;
  return name.length >= MIN_CAMEL_NAME && /[a-z][A-Z]/.test(name);
}

function isWordCode(code: number): boolean {
  return code < CLASSES.length ? CLASSES[code] === WORD : code > 0xa0;
}

/** 52 bits of two hashes, so that chance hits are rare in any session. */
function join(first: number, second: number): number {
  return (first >>> 0) * LOW_RANGE + (second & (LOW_RANGE - 1));
}

function classesOf(): Uint8Array {
  const classes = new Uint8Array(128);
  for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_')
    classes[character.charCodeAt(0)] = WORD;
  for (const character of './\\~$-') classes[character.charCodeAt(0)] = LINK;
  return classes;
}
