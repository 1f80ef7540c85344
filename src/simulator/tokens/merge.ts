import { createHeap, type Heap, popHeap, pushHeap } from './heap.ts';
import type { RankTable } from './ranks.ts';

/** How many tokens the byte string of a piece merges into. */
export type MergeCount = (bytes: string) => number;

/** The parts of a piece as a chain of start positions, and the pairs of neighbours that may merge. */
interface Chain {
  /** Start of the part to the right. */
  readonly next: Int32Array;
  /** Start of the part to the left; negative for the first. */
  readonly previous: Int32Array;
  /** Key of the pair whose left part starts here; `NO_PAIR` where the pair is no token. */
  readonly keys: Float64Array;
  /** Keys of all pairs, some of them outdated. */
  readonly heap: Heap;
}

type PairKey = (start: number) => number;

const NO_PAIR = -1;

/** A key is `rank * POSITIONS + start`: the lowest rank comes first, then the leftmost pair. */
const POSITIONS = 2 ** 31;

/** Pieces up to this length share one chain. */
const SHORT_PIECE_BYTES = 512;

/** Byte-pair merging in O(n log n) of the piece's length. */
export function createMergeCount(ranks: RankTable): MergeCount {
  let longestToken = 0;
  for (const { length } of ranks.keys()) longestToken = Math.max(longestToken, length);
  const sharedChain = createChain(SHORT_PIECE_BYTES);

  return (bytes) => {
    const { length } = bytes;
    const chain = length <= SHORT_PIECE_BYTES ? sharedChain : createChain(length);
    const { next } = chain;
    const pairKey: PairKey = (start) => {
      const middle = next[start] ?? length;
      const end = next[middle] ?? length;
      if (middle >= length || end - start > longestToken) return NO_PAIR;
      const rank = ranks.get(bytes.slice(start, end));
      return rank === undefined ? NO_PAIR : rank * POSITIONS + start;
    };
    linkBytes(chain, length, pairKey);
    return length - mergeAll(chain, pairKey);
  };
}

function createChain(length: number): Chain {
  return {
    next: new Int32Array(length + 1),
    previous: new Int32Array(length + 1),
    keys: new Float64Array(length + 1),
    // A merge takes one key out and puts at most two in.
    heap: createHeap(2 * length),
  };
}

/** Makes every byte a part of its own. */
function linkBytes(chain: Chain, length: number, pairKey: PairKey): void {
  for (let start = 0; start <= length; start++) {
    chain.next[start] = start + 1;
    chain.previous[start] = start - 1;
  }
  for (let start = 0; start < length; start++) offerPair(chain, start, pairKey);
}

/** Merges until no pair is a token; returns the number of merges. */
function mergeAll(chain: Chain, pairKey: PairKey): number {
  let merges = 0;
  for (let key = popHeap(chain.heap); key !== undefined; key = popHeap(chain.heap)) {
    const start = key % POSITIONS;
    if (chain.keys[start] !== key) continue;
    mergePair(chain, start, pairKey);
    merges++;
  }
  return merges;
}

function mergePair(chain: Chain, start: number, pairKey: PairKey): void {
  const middle = chain.next[start] ?? 0;
  const end = chain.next[middle] ?? 0;
  chain.next[start] = end;
  chain.previous[end] = start;
  chain.keys[middle] = NO_PAIR;
  offerPair(chain, start, pairKey);
  const left = chain.previous[start] ?? NO_PAIR;
  if (left >= 0) offerPair(chain, left, pairKey);
}

function offerPair(chain: Chain, start: number, pairKey: PairKey): void {
  const key = pairKey(start);
  chain.keys[start] = key;
  if (key !== NO_PAIR) pushHeap(chain.heap, key);
}
