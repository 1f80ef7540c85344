import type { Memory, MemoryEntry, Posting, Segments, StoredEntry } from '../state.ts';
import type { EstimatorOptions } from '../policy.ts';
import { estimateTokens } from '../estimate.ts';
import { addSegment, buildSegment, findStored } from './segment.ts';
import { termsOf } from './terms.ts';

/** An entry that a search found, the better the higher its score. */
export interface MemoryHit {
  readonly entry: MemoryEntry;
  readonly score: number;
}

/** How much a step may be given back. */
export interface RecallOptions {
  /** Most entries. */
  readonly limit: number;
  /** Most tokens, as the policy estimates them. */
  readonly maxTokens: number;
  readonly estimator: EstimatorOptions;
}

type Scored = readonly [stored: StoredEntry, score: number];

/** BM25's saturation of repeated terms. Source: Robertson and Zaragoza (2009). */
const SATURATION = 1.2;
/** BM25's share of the score that is corrected for the length of an entry. */
const LENGTH_CORRECTION = 0.75;

/** A memory of nothing. */
export function createMemory(): Memory {
  return { segments: [], entryCount: 0, termCount: 0, nextPlace: 0 };
}

/** The memory with entries inserted. One whose id is known replaces the old one and takes its place. */
export function remember(memory: Memory, entries: readonly MemoryEntry[]): Memory {
  if (entries.length === 0) return memory;
  const newest = new Map(entries.map((entry) => [entry.id, entry]));
  const inserted = Array.from(newest.values(), (entry, index) => {
    const replaced = findStored(memory.segments, entry.id);
    return { entry, replaced, place: replaced?.place ?? memory.nextPlace + index };
  });
  const replaced = inserted.flatMap((entry) => entry.replaced ?? []);
  const added = buildSegment(inserted);
  return {
    segments: addSegment(memory.segments, added),
    entryCount: memory.entryCount + inserted.length - replaced.length,
    termCount: memory.termCount + added.termCount - totalTerms(replaced),
    nextPlace: memory.nextPlace + inserted.length,
  };
}

/** The best entries for a query by BM25, best first; of equally good ones the newest first. */
export function search(memory: Memory, query: string, limit: number): readonly MemoryHit[] {
  return rank(memory, query, limit).map(([{ entry }, score]) => ({ entry, score }));
}

/**
 * What to give back to a step that asks: of the best `limit` entries for the query, best first, each
 * that still fits into the tokens, in the order in which they stood in the session.
 */
export function recall(
  memory: Memory,
  query: string,
  options: RecallOptions,
): readonly MemoryEntry[] {
  let freeTokens = options.maxTokens;
  const fitting = rank(memory, query, options.limit).filter(([{ entry }]) => {
    const tokens = estimateTokens(entry.text.length, options.estimator);
    if (tokens > freeTokens) return false;
    freeTokens -= tokens;
    return true;
  });
  return fitting
    .map(([stored]) => stored)
    .toSorted(byAge)
    .map(({ entry }) => entry);
}

function rank(memory: Memory, query: string, limit: number): readonly Scored[] {
  const scores = new Map<StoredEntry, number>();
  for (const term of new Set(termsOf(query))) {
    const postings = findPostings(memory.segments, term);
    const weight = rarity(postings.length, memory.entryCount);
    for (const { stored, frequency } of postings) {
      const gain = weight * saturate(frequency, stored.termCount, memory);
      scores.set(stored, (scores.get(stored) ?? 0) + gain);
    }
  }
  return [...scores].toSorted(byRank).slice(0, Math.max(0, limit));
}

/** Postings of entries that no newer segment replaces. */
function findPostings(segments: Segments, term: string): readonly Posting[] {
  return segments.flatMap(({ postings }) =>
    (postings.get(term) ?? []).filter(
      ({ stored }) => findStored(segments, stored.entry.id) === stored,
    ),
  );
}

/** BM25's weight of a term, never below 0. */
function rarity(holding: number, entryCount: number): number {
  return Math.log(1 + (entryCount - holding + 0.5) / (holding + 0.5));
}

function saturate(frequency: number, termCount: number, memory: Memory): number {
  const relativeLength = (termCount * memory.entryCount) / memory.termCount;
  const norm = 1 - LENGTH_CORRECTION + LENGTH_CORRECTION * relativeLength;
  return (frequency * (SATURATION + 1)) / (frequency + SATURATION * norm);
}

function byRank([left, leftScore]: Scored, [right, rightScore]: Scored): number {
  return rightScore - leftScore || byAge(right, left);
}

function byAge(left: StoredEntry, right: StoredEntry): number {
  return left.entry.order - right.entry.order || left.place - right.place;
}

function totalTerms(stored: readonly StoredEntry[]): number {
  return stored.reduce((total, { termCount }) => total + termCount, 0);
}
