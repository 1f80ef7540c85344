import { scanNames } from './names.ts';
import { scanPhrases } from './phrases.ts';
import type { TermSink } from './term-table.ts';

/** Finds phrases of eight words, and names: paths, identifiers, hashes, long numbers. Takes time by length only. */
export function scanTerms(text: string, sink: TermSink): void {
  scanPhrases(text, sink);
  scanNames(text, sink);
}
