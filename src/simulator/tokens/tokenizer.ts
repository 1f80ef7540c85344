import { createHash } from 'node:crypto';
import { expectKind } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import { copyOf } from '../lib/text.ts';
import {
  type CountPiece,
  createSplit,
  type EncodingName,
  findEncoding,
  readTokenBytes,
  tokenizerOf,
} from './encodings.ts';

/** Counts the tokens of a text; what looks like a special token is text. */
export interface Tokenizer {
  readonly name: string;
  /** Identifies the tables and rules of a tokenizer. */
  readonly version: string;
  readonly count: (text: string) => number;
}

interface Heap {
  readonly values: Float64Array;
  size: number;
}

interface Table {
  /** The rank of the bytes between two places; -1 where they are no token. */
  readonly rankOf: (bytes: Uint8Array, start: number, end: number) => number;
  readonly countMerged: CountPiece;
}

/** Token counters by model. All counting of one process should share one instance. */
export interface Counters {
  /** The count that holds for a model. */
  of(modelId: string): Promise<(text: string) => number>;
  /** The count of an encoding. */
  ofEncoding(name: EncodingName): Promise<(text: string) => number>;
}

const DEFAULT_MAX_ENTRIES = 100_000;
const LEAST_DIGESTED_LENGTH = 200;
/** Characters of base64url in a digest: more than 128 bits. */
const DIGEST_LENGTH = 22;
const MOST_RECENT_CHARS = 2 ** 22;

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
const SHORT_BYTES = 8;
const RECENT_PIECES = 2 ** 14;
/** Places of a table of ranks: a power of two, more than twice as many as tokens. */
const SLOTS = 2 ** 19;
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** The tokenizer of an encoding, whose table is loaded when the first text is counted. */
export async function loadTokenizer(name: string): Promise<Tokenizer> {
  return createTokenizer(name);
}

/** The tokenizer of an encoding, at once. */
export function createTokenizer(name: string): Tokenizer {
  const encoding = findEncoding(expectKind('name', name, 'text'));
  const split = createSplit(encoding);
  let countPiece: CountPiece | undefined;
  return {
    name,
    version: versionOf(encoding.pattern, encoding.size),
    count: (text) => {
      if (text === '') return 0;
      countPiece ??= createPieceCount(keepIn(tables, name, () => readTable(name)));
      return split(text, countPiece);
    },
  };
}

/** Counters that load each tokenizer when a model first needs it. */
export function createCounters(): Counters {
  const byName = new Map<EncodingName, Promise<(text: string) => number>>();
  const ofEncoding = (name: EncodingName) =>
    keepIn(byName, name, async () => createCountCache(await loadTokenizer(name)).count);
  return { of: (modelId) => ofEncoding(tokenizerOf(modelId).name), ofEncoding };
}

/** A tokenizer that counts a text once as long as it remembers it, in bounded memory; at most so many counts. */
export function createCountCache(
  tokenizer: Tokenizer,
  { maxEntries = DEFAULT_MAX_ENTRIES } = {},
): Tokenizer {
  const counts = new Map<string, number>();
  // In a ring: a map looks for its first key through all that went.
  const keys: string[] = [];
  let oldest = 0;
  const countAnew = (text: string) => {
    const key = toKey(text);
    const known = counts.get(key);
    if (known !== undefined) return known;
    const tokens = tokenizer.count(text);
    const gone = keys[oldest];
    if (gone !== undefined) counts.delete(gone);
    const own = key === text ? copyOf(text) : key;
    keys[oldest] = own;
    counts.set(own, tokens);
    oldest = (oldest + 1) % maxEntries;
    return tokens;
  };
  // A session's texts are counted several times in a row, which takes no digest as long as they are in memory.
  const recent = new Map<string, number>();
  let recentChars = 0;
  return {
    ...tokenizer,
    count: (text) => {
      const known = recent.get(text);
      if (known !== undefined) return known;
      if (recentChars > MOST_RECENT_CHARS || recent.size >= maxEntries) {
        recent.clear();
        recentChars = 0;
      }
      recentChars += text.length;
      const tokens = countAnew(text);
      recent.set(text, tokens);
      return tokens;
    },
  };
}

function createPieceCount({ rankOf, countMerged }: Table): CountPiece {
  const remembered = new Map<string, number>();
  const countLong: CountPiece = (bytes, start, end) => {
    if (rankOf(bytes, start, end) >= 0) return 1;
    if (end - start > REMEMBERED_BYTES) return countMerged(bytes, start, end);
    const piece = bytes.toString('latin1', start, end);
    const known = remembered.get(piece);
    if (known !== undefined) return known;
    const tokens = countMerged(bytes, start, end);
    if (remembered.size >= REMEMBERED_PIECES) remembered.clear();
    remembered.set(piece, tokens);
    return tokens;
  };
  // The last short piece of each hash: its bytes in two numbers, and its length with its count.
  const recent = new Int32Array(3 * RECENT_PIECES);
  return (bytes, start, end) => {
    if (end - start > SHORT_BYTES) return countLong(bytes, start, end);
    let [one, other] = [0, 0];
    for (let at = start; at < end; at++) {
      other = (other << 8) | (one >>> 24);
      one = (one << 8) | (bytes[at] ?? 0);
    }
    const hash = Math.imul(one ^ Math.imul(other, HASH_FACTOR), HASH_START);
    const slot = 3 * ((hash ^ (hash >>> 15)) & (RECENT_PIECES - 1));
    const kept = recent[slot + 2] ?? 0;
    if (recent[slot] === one && recent[slot + 1] === other && kept >> 4 === end - start)
      return kept & 15;
    const tokens = countLong(bytes, start, end);
    recent[slot] = one;
    recent[slot + 1] = other;
    recent[slot + 2] = ((end - start) << 4) | tokens;
    return tokens;
  };
}

/** Tables of one length and one pattern are taken to be the same. */
function versionOf({ source, flags }: RegExp, tokens: number): string {
  const rules = [MERGE_VERSION, tokens, flags, source].join('\n');
  return createHash('sha256').update(rules).digest('hex').slice(0, VERSION_LENGTH);
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
  const { lengths, bytes } = readTokenBytes(name);
  const starts = new Uint32Array(lengths.length + 1);
  const slots = new Int32Array(SLOTS);
  for (let rank = 0; rank < lengths.length; rank++) {
    const [start, length] = [starts[rank] ?? 0, lengths[rank] ?? 0];
    starts[rank + 1] = start + length;
    let slot = slotOf(bytes, start, start + length);
    while (slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    slots[slot] = rank + 1;
  }
  const isToken = (rank: number, text: Uint8Array, start: number) => {
    const first = starts[rank] ?? 0;
    const length = lengths[rank] ?? 0;
    for (let at = 0; at < length; at++) {
      if (bytes[first + at] !== text[start + at]) return false;
    }
    return true;
  };
  const rankOf: Table['rankOf'] = (text, start, end) => {
    let slot = slotOf(text, start, end);
    for (let next = slots[slot] ?? 0; next !== 0; next = slots[slot] ?? 0) {
      if (lengths[next - 1] === end - start && isToken(next - 1, text, start)) return next - 1;
      slot = (slot + 1) % SLOTS;
    }
    return -1;
  };
  return { rankOf, countMerged: createMergeCount(rankOf, Math.max(...new Set(lengths))) };
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_FACTOR);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

/** Byte-pair merging in O(n log n) of the piece's length. */
function createMergeCount(rankOf: Table['rankOf'], longestToken: number): CountPiece {
  const shared = createChain(SHORT_PIECE_BYTES);

  return (bytes, firstByte, lastByte) => {
    const length = lastByte - firstByte;
    const chain = length <= SHORT_PIECE_BYTES ? shared : createChain(length);
    const { next, previous, keys, heap } = chain;
    const offerPair = (start: number) => {
      const middle = next[start] ?? length;
      const end = next[middle] ?? length;
      const isPair = middle < length && end - start <= longestToken;
      const rank = isPair ? rankOf(bytes, firstByte + start, firstByte + end) : -1;
      const key = rank < 0 ? NO_PAIR : rank * POSITIONS + start;
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

function createChain(length: number) {
  const [next, previous] = [new Int32Array(length + 1), new Int32Array(length + 1)];
  // A merge takes one key out and puts at most two in.
  const heap: Heap = { values: new Float64Array(2 * length), size: 0 };
  return { next, previous, keys: new Float64Array(length + 1), heap };
}

/** A short text itself, or the digest of a long one. No text is as long as a digest and its own key. */
function toKey(text: string): string {
  if (text.length < LEAST_DIGESTED_LENGTH && text.length !== DIGEST_LENGTH) return text;
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}
