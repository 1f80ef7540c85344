import { Buffer, isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { Evidence } from '../events.ts';
import { named } from '../lib/names.ts';

interface Encoding extends Splitting {
  readonly size: number;
}

/** An encoding that `findEncoding` knows. */
export type EncodingName = keyof typeof encodings;

/** The encoding that counts a model's tokens, and whether it is the model's own. */
export interface TokenizerChoice {
  readonly name: EncodingName;
  readonly evidence: Evidence;
}

/** The end of the piece that begins at a place of UTF-8 bytes, `NOT_ASCII` where that takes more than ASCII to tell. */
type EndOfPiece = (bytes: Uint8Array, start: number) => number;

interface Splitting {
  readonly pattern: RegExp;
  /** Says the same of ASCII, in a tenth of the time; absent where nobody wrote it down. */
  readonly endOfAscii?: EndOfPiece | undefined;
}

/** As much of a buffer as is needed, for public types name none of Node. */
interface TextBytes extends Uint8Array {
  readonly toString: (encoding?: 'latin1' | 'utf8', start?: number, end?: number) => string;
}

/** Counts a piece, from its first byte to the one behind its last. */
export type CountPiece = (bytes: TextBytes, start: number, end: number) => number;

const NOT_ASCII = -1;
const [OTHER, LOWER, UPPER, DIGIT, BLANK, BREAK, WIDE, NOTHING] = [0, 1, 2, 3, 4, 5, 6, 7];
/** No byte of UTF-8: it stands behind the last one. */
const END_BYTE = 0xff;
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));
const [LINE_FEED, RETURN, SPACE, APOSTROPHE, SLASH] = [0x0a, 0x0d, 0x20, 0x27, 0x2f];
const APOSTROPHE_END = /^(?:[sdmt]|ll|ve|re)/i;
const MOST_DIGITS = 3;
/** Longest text that the pattern sees at once: far longer runs of one kind exhaust its stack. */
const WINDOW_LENGTH = 2 ** 20;
const CUT_SEARCH_LENGTH = 2 ** 16;
/** After a letter or digit, what neither continues a word nor starts a contraction starts a piece. */
const PIECE_START = /(?<=[\p{L}\p{N}])[^\p{L}\p{M}\p{N}']/u;
/** UTF-8 takes at most so many bytes for a unit of UTF-16. */
const BYTES_PER_UNIT = 3;
const LEAST_BYTES = 65_536;

/** Patterns of `tiktoken_ext/openai_public.py` in tiktoken 0.14.0. js-tiktoken has an older one of `cl100k_base`, which splits white space at the end of a text. */
const CONTRACTION = String.raw`'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])`;
const LETTERS = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const SMALL = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const O200K = String.raw`${LETTERS}*${SMALL}+(?:${CONTRACTION})?|${LETTERS}+${SMALL}*(?:${CONTRACTION})?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const CL100K = String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`;
const encodings = {
  o200k_base: { pattern: new RegExp(O200K, 'gu'), endOfAscii: endOfO200k, size: 199_998 },
  cl100k_base: { pattern: new RegExp(CL100K, 'gu'), size: 100_256 },
} satisfies Record<string, Encoding>;

/** Files that `scripts/write-tokens.ts` writes. */
const FOLDER = new URL('../../../catalog/tokens/', import.meta.url);
/** A byte order mark as bytes: a text that begins with one may lose it. */
const MARK = '\xef\xbb\xbf';

/** Model families with a published encoding, by the last segment of the model id. */
const PUBLISHED: readonly { readonly model: RegExp; readonly name: EncodingName }[] = [
  { model: /^(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss-|chatgpt-)/, name: 'o200k_base' },
  { model: /^o[134](?![\w.])/, name: 'o200k_base' },
  { model: /^(?:gpt-4|gpt-4-(?:turbo|32k|vision|\d).*|gpt-3\.?5.*)$/, name: 'cl100k_base' },
];

/** The encoding of a name. Throws if there is none. */
export function findEncoding(name: string): Encoding {
  return named('tokenizer', encodings, name);
}

/** The encoding for a model named `provider/id`: its own, or `o200k_base` as a stand-in. */
export function tokenizerOf(modelId: string): TokenizerChoice {
  const model = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();
  const published = PUBLISHED.find((family) => family.model.test(model));
  return published
    ? { name: published.name, evidence: 'measured' }
    : { name: 'o200k_base', evidence: 'estimated' };
}

/** The tokenizers of some models, by model name. */
export function tokenizersOf(
  modelIds: Iterable<string>,
): Readonly<Record<string, TokenizerChoice>> {
  return Object.fromEntries([...modelIds].map((id) => [id, tokenizerOf(id)]));
}

/** Lengths of the tokens of an encoding in the order of their ranks, and their bytes one after another. */
export function readTokenBytes(name: string): Readonly<Record<'lengths' | 'bytes', TextBytes>> {
  const { size } = findEncoding(name);
  const file = readFileSync(new URL(`${name}.bin`, FOLDER));
  return { lengths: file.subarray(0, size), bytes: file.subarray(size) };
}

/** The tokens of an encoding in the order of their ranks, by their bytes written as one character each. */
export function readTokens(name: string): readonly string[] {
  const { lengths, bytes } = readTokenBytes(name);
  let start = 0;
  return Array.from(lengths, (length) => {
    start += length;
    return bytes.toString('latin1', start - length, start);
  });
}

/** The tokens of an encoding that are whole texts, in the order of their ranks. */
export function readVocabulary(name: string): readonly string[] {
  return readTokens(name)
    .filter((token) => !token.startsWith(MARK))
    .map((token) => Buffer.from(token, 'latin1'))
    .filter(isUtf8)
    .map(String);
}

/** Sums a count over the pieces that texts split into; a lone surrogate counts as U+FFFD. */
export function createSplit({ pattern: given, endOfAscii }: Splitting) {
  const pattern = new RegExp(given);
  let bytes = Buffer.alloc(0);
  const sumOver = (window: string, countPiece: CountPiece) => {
    const most = BYTES_PER_UNIT * window.length + 1;
    if (bytes.length < most) bytes = Buffer.allocUnsafeSlow(Math.max(most, LEAST_BYTES));
    const length = bytes.write(window);
    bytes[length] = END_BYTE;
    let sum = 0;
    let unit = 0;
    // The pieces lie end to end, so that the end of one is the start of the next.
    for (let start = 0; start < length; ) {
      let end = endOfAscii?.(bytes, start) ?? NOT_ASCII;
      if (end === NOT_ASCII) {
        pattern.lastIndex = unit;
        pattern.test(window);
        end = skipUnits(bytes, start, pattern.lastIndex - unit);
        unit = pattern.lastIndex;
      } else unit += end - start;
      sum += countPiece(bytes, start, end);
      start = end;
    }
    return sum;
  };
  return (text: string, countPiece: CountPiece): number => {
    let sum = 0;
    for (const window of toWindows(text)) sum += sumOver(window, countPiece);
    return sum;
  };
}

/** A text in windows that split into the same pieces, unless one run of a kind is longer than a window. */
export function* toWindows(text: string, windowLength: number = WINDOW_LENGTH): Generator<string> {
  let start = 0;
  while (text.length - start > windowLength) {
    const end = findCut(text, start + windowLength);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

/** The pieces of `o200k_base`: the branches of its pattern in their order, where all that they look at is ASCII. */
function endOfO200k(bytes: Uint8Array, start: number): number {
  const first = kindAt(bytes, start);
  if (first === WIDE) return NOT_ASCII;
  if (first === DIGIT) return endOfDigits(bytes, start);
  const word = first === LOWER || first === UPPER || first === BREAK ? start : start + 1;
  let end = word;
  while (kindAt(bytes, end) === UPPER) end++;
  while (kindAt(bytes, end) === LOWER) end++;
  if (kindAt(bytes, end) === WIDE) return NOT_ASCII;
  if (end > word) return bytes[end] === APOSTROPHE ? endOfContraction(bytes, end) : end;
  return endOfMarks(bytes, bytes[start] === SPACE ? start + 1 : start) ?? endOfBlanks(bytes, start);
}

function kindOf(byte: number): number {
  if (byte === END_BYTE) return NOTHING;
  if (byte >= 0x80) return WIDE;
  const char = String.fromCharCode(byte);
  const kinds = [/[^]/, /[a-z]/, /[A-Z]/, /\d/, /\s/, /[\r\n]/];
  return kinds.findLastIndex((kind) => kind.test(char));
}

function kindAt(bytes: Uint8Array, index: number) {
  return KINDS[bytes[index] ?? END_BYTE];
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let end = start + 1;
  while (end < start + MOST_DIGITS && kindAt(bytes, end) === DIGIT) end++;
  return end < start + MOST_DIGITS && kindAt(bytes, end) === WIDE ? NOT_ASCII : end;
}

function endOfContraction(bytes: Uint8Array, apostrophe: number): number {
  const next = String.fromCharCode(bytes[apostrophe + 1] ?? 0, bytes[apostrophe + 2] ?? 0);
  const [ending] = APOSTROPHE_END.exec(next) ?? [];
  return ending === undefined ? apostrophe : apostrophe + 1 + ending.length;
}

function endOfMarks(bytes: Uint8Array, start: number): number | undefined {
  let end = start;
  while (kindAt(bytes, end) === OTHER) end++;
  if (end === start) return undefined;
  if (kindAt(bytes, end) === WIDE) return NOT_ASCII;
  while (bytes[end] === LINE_FEED || bytes[end] === RETURN || bytes[end] === SLASH) end++;
  return end;
}

function endOfBlanks(bytes: Uint8Array, start: number): number {
  let end = start;
  let afterBreak = start;
  for (let kind = kindAt(bytes, end); kind === BLANK || kind === BREAK; kind = kindAt(bytes, end)) {
    end++;
    if (kind === BREAK) afterBreak = end;
  }
  if (kindAt(bytes, end) === WIDE) return NOT_ASCII;
  if (afterBreak > start) return afterBreak;
  return end === start + 1 || kindAt(bytes, end) === NOTHING ? end : end - 1;
}

function skipUnits(bytes: Uint8Array, start: number, units: number): number {
  let at = start;
  for (let left = units; left > 0; left--) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) at += 1;
    else if (lead < 0xe0) at += 2;
    else if (lead < 0xf0) at += 3;
    else {
      at += 4;
      left--;
    }
  }
  return at;
}

function findCut(text: string, fromIndex: number): number {
  const searchEnd = fromIndex + CUT_SEARCH_LENGTH;
  const offset = text.slice(fromIndex - 1, searchEnd).search(PIECE_START);
  if (offset > 0) return fromIndex - 1 + offset;
  if (searchEnd >= text.length) return text.length;
  const isInsidePair = (text.codePointAt(fromIndex - 1) ?? 0) > 0xffff;
  return isInsidePair ? fromIndex + 1 : fromIndex;
}
