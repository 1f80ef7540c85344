import type { MemoryEntry, Posting, Segment, Segments, StoredEntry } from '../state.ts';
import { termsOf } from './terms.ts';

/** An index of new entries, no two of them with the same id. */
export function buildSegment(
  entries: readonly { readonly entry: MemoryEntry; readonly place: number }[],
): Segment {
  const stored = new Map<string, StoredEntry>();
  const postings = new Map<string, Posting[]>();
  for (const { entry, place } of entries) {
    const frequencies = countTerms(entry.text);
    const kept = { entry, place, termCount: sum(frequencies.values()) };
    stored.set(entry.id, kept);
    for (const [term, frequency] of frequencies) {
      append(postings, term, [{ stored: kept, frequency }]);
    }
  }
  return toSegment(stored, postings);
}

/**
 * The segments with another one added, each more than twice as large as the next. Neighbours that are
 * not are merged, so that there are few, and a term is moved only a logarithmic number of times.
 */
export function addSegment(segments: Segments, added: Segment): Segments {
  const last = segments.at(-1);
  if (last === undefined || sizeOf(last) > 2 * sizeOf(added)) return [...segments, added];
  return addSegment(segments.slice(0, -1), mergeSegments(last, added));
}

/** The entry with that id, if any. */
export function findStored(segments: Segments, id: string): StoredEntry | undefined {
  return segments.findLast(({ entries }) => entries.has(id))?.entries.get(id);
}

/** What a segment cost to build. */
function sizeOf({ entries, termCount }: Segment): number {
  return entries.size + termCount;
}

function mergeSegments(older: Segment, newer: Segment): Segment {
  const isKept = ({ stored }: Posting) => !newer.entries.has(stored.entry.id);
  const postings = new Map<string, Posting[]>();
  for (const [term, found] of older.postings) append(postings, term, found.filter(isKept));
  for (const [term, found] of newer.postings) append(postings, term, found);
  return toSegment(new Map([...older.entries, ...newer.entries]), postings);
}

function toSegment(
  entries: ReadonlyMap<string, StoredEntry>,
  postings: ReadonlyMap<string, readonly Posting[]>,
): Segment {
  const counts = Array.from(entries.values(), ({ termCount }) => termCount);
  return { entries, postings, termCount: sum(counts) };
}

function countTerms(text: string): ReadonlyMap<string, number> {
  const frequencies = new Map<string, number>();
  for (const term of termsOf(text)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return frequencies;
}

function append(postings: Map<string, Posting[]>, term: string, found: readonly Posting[]): void {
  if (found.length === 0) return;
  const list = postings.get(term);
  if (list === undefined) postings.set(term, [...found]);
  else for (const posting of found) list.push(posting);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
