import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { expectKind } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import { findEncoding, readTokens } from './encodings.ts';

/** Counts the tokens of a text; what looks like a special token is text. */
export interface Tokenizer {
  readonly name: string;
  /** Identifies the tables and rules of a tokenizer. */
  readonly version: string;
  readonly count: (text: string) => number;
}

/** A binary heap of numbers, the smallest on top. */
interface Heap {
  readonly values: Float64Array;
  size: number;
}

/** The rank of every token of an encoding, by its bytes written as one character each, and how many tokens such bytes merge into. */
interface Table {
  readonly ranks: ReadonlyMap<string, number>;
  readonly countMerged: (bytes: string) => number;
}

/** Raised when this file, or its imports from its folder, count any text differently. */
const MERGE_VERSION = 1;
const VERSION_LENGTH = 8;
const REMEMBERED_BYTES = 64;
/** Counts that are remembered; then all are forgotten. */
const REMEMBERED_PIECES = 200_000;
const SHORT_PIECE_BYTES = 512;
const NO_PAIR = -1;
/** A key is `rank * POSITIONS + start`: the lowest rank comes first, then the leftmost pair. */
const POSITIONS = 2 ** 31;
/** An encoding has one table, however many tokenizers count by it. */
const tables = new Map<string, Table>();
/** Longest text that the pattern sees at once: far longer runs of one kind exhaust its stack. */
const WINDOW_LENGTH = 2 ** 20;
/** How far past a full window a harmless place for the cut is looked for. */
const CUT_SEARCH_LENGTH = 2 ** 16;
/** After a letter or digit, what neither continues a word nor starts a contraction starts a piece. */
const PIECE_START = /(?<=[\p{L}\p{N}])[^\p{L}\p{M}\p{N}']/u;

/** Loads the table of an encoding, some 60 ms of work the first time. */
export async function loadTokenizer(name: string): Promise<Tokenizer> {
  return createTokenizer(name);
}

/** The tokenizer of an encoding, at once. */
export function createTokenizer(name: string): Tokenizer {
  const { pattern, size } = findEncoding(expectKind('name', name, 'text'));
  const ownPattern = new RegExp(pattern);
  const countPiece = createPieceCount(keepIn(tables, name, () => readTable(name)));
  return {
    name,
    version: versionOf(pattern, size),
    count: (text) => sumOverPieces(text, ownPattern, countPiece),
  };
}

/** Sum of a count over the pieces that an encoding's pattern splits a text into. */
export function sumOverPieces(
  text: string,
  pattern: RegExp,
  countPiece: (piece: string) => number,
): number {
  let sum = 0;
  for (const window of toWindows(text)) {
    let start = 0;
    // The pieces lie end to end, so that the end of one is the start of the next.
    pattern.lastIndex = 0;
    while (pattern.test(window)) {
      sum += countPiece(window.slice(start, pattern.lastIndex));
      start = pattern.lastIndex;
    }
  }
  return sum;
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

function createPieceCount({ ranks, countMerged }: Table): (piece: string) => number {
  const remembered = new Map<string, number>();

  return (piece) => {
    const known = remembered.get(piece);
    if (known !== undefined) return known;
    // A lone surrogate becomes U+FFFD.
    const bytes = Buffer.from(piece, 'utf8').toString('latin1');
    const tokens = ranks.has(bytes) ? 1 : countMerged(bytes);
    if (bytes.length <= REMEMBERED_BYTES) {
      if (remembered.size >= REMEMBERED_PIECES) remembered.clear();
      // A copy as the key, because a piece of a text keeps the whole text in memory.
      remembered.set(Buffer.from(bytes, 'latin1').toString('utf8'), tokens);
    }
    return tokens;
  };
}

/** Tables of one length and one pattern are taken to be the same. */
function versionOf({ source, flags }: RegExp, tokens: number): string {
  const rules = [MERGE_VERSION, tokens, flags, source].join('\n');
  return createHash('sha256').update(rules).digest('hex').slice(0, VERSION_LENGTH);
}

function findCut(text: string, fromIndex: number): number {
  const searchEnd = fromIndex + CUT_SEARCH_LENGTH;
  const offset = text.slice(fromIndex - 1, searchEnd).search(PIECE_START);
  if (offset > 0) return fromIndex - 1 + offset;
  if (searchEnd >= text.length) return text.length;
  const isInsidePair = (text.codePointAt(fromIndex - 1) ?? 0) > 0xffff;
  return isInsidePair ? fromIndex + 1 : fromIndex;
}

/** An empty heap that never holds more than `capacity` numbers. */
function createHeap(capacity: number): Heap {
  return { values: new Float64Array(capacity), size: 0 };
}

function pushHeap(heap: Heap, value: number): void {
  const { values } = heap;
  let index = heap.size++;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = values[parentIndex] ?? value;
    if (parent <= value) break;
    values[index] = parent;
    index = parentIndex;
  }
  values[index] = value;
}

/** Takes the smallest number; undefined when there is none. */
function popHeap(heap: Heap): number | undefined {
  if (heap.size === 0) return undefined;
  const smallest = heap.values[0];
  heap.size--;
  sinkFromTop(heap, heap.values[heap.size] ?? 0);
  return smallest;
}

function sinkFromTop({ values, size }: Heap, value: number): void {
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const isRight = left + 1 < size && (values[left + 1] ?? 0) < (values[left] ?? 0);
    const childIndex = isRight ? left + 1 : left;
    const child = values[childIndex] ?? value;
    if (childIndex >= size || child >= value) break;
    values[index] = child;
    index = childIndex;
  }
  values[index] = value;
}

function readTable(name: string): Table {
  const ranks = new Map(readTokens(name).map((token, rank) => [token, rank]));
  return { ranks, countMerged: createMergeCount(ranks) };
}

/** Byte-pair merging in O(n log n) of the piece's length. */
function createMergeCount(ranks: Table['ranks']): Table['countMerged'] {
  let longestToken = 0;
  for (const { length } of ranks.keys()) longestToken = Math.max(longestToken, length);
  const shared = createChain(SHORT_PIECE_BYTES);

  return (bytes) => {
    const { length } = bytes;
    const chain = length <= SHORT_PIECE_BYTES ? shared : createChain(length);
    const { next, previous, keys, heap } = chain;
    const offerPair = (start: number) => {
      const middle = next[start] ?? length;
      const end = next[middle] ?? length;
      const isPair = middle < length && end - start <= longestToken;
      const rank = isPair ? ranks.get(bytes.slice(start, end)) : undefined;
      const key = rank === undefined ? NO_PAIR : rank * POSITIONS + start;
      keys[start] = key;
      if (key !== NO_PAIR) pushHeap(heap, key);
    };
    for (let start = 0; start <= length; start++) {
      next[start] = start + 1;
      previous[start] = start - 1;
    }
    for (let start = 0; start < length; start++) offerPair(start);
    let tokens = length;
    for (let key = popHeap(heap); key !== undefined; key = popHeap(heap)) {
      const start = key % POSITIONS;
      if (keys[start] !== key) continue;
      const middle = next[start] ?? 0;
      const end = next[middle] ?? 0;
      next[start] = end;
      previous[end] = start;
      keys[middle] = NO_PAIR;
      offerPair(start);
      const left = previous[start] ?? NO_PAIR;
      if (left >= 0) offerPair(left);
      tokens--;
    }
    return tokens;
  };
}

/** The parts of a piece as a chain of start positions, with the keys of the pairs that may merge, some of them outdated in the heap. */
function createChain(length: number) {
  const [next, previous] = [new Int32Array(length + 1), new Int32Array(length + 1)];
  // A merge takes one key out and puts at most two in.
  return { next, previous, keys: new Float64Array(length + 1), heap: createHeap(2 * length) };
}
