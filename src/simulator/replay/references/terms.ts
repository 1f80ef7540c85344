import { codesOf } from './characters.ts';
import { scanNames } from './names.ts';
import { isVaried, phrasesOf, wordsIn } from './phrases.ts';
import { NO_TERM, type TermTable } from './term-table.ts';

/** Told of a term by its number. */
export type TermSink = (term: number) => void;

/**
 * Numbers what could give away where a text comes from: phrases of eight words, and names: paths, identifiers,
 * hashes, long numbers. Takes time by length only.
 */
export function addTerms(text: string, table: TermTable, sink: TermSink): void {
  const codes = codesOf(text);
  const words = wordsIn(codes);
  const { firsts, seconds } = phrasesOf(words);
  for (let start = 0; start < firsts.length; start += 1) {
    const [first, second] = [firsts[start] ?? 0, seconds[start] ?? 0];
    const known = table.find(first, second);
    if (known !== NO_TERM) sink(known);
    else if (isVaried(words, start)) sink(table.add(first, second));
  }
  scanNames(codes, (first, second) => sink(table.add(first, second)));
}

/** Finds the terms of a text that have numbers. */
export function findTerms(text: string, table: TermTable, sink: TermSink): void {
  const codes = codesOf(text);
  const find = (first: number, second: number) => {
    const term = table.find(first, second);
    if (term !== NO_TERM) sink(term);
  };
  const { firsts, seconds } = phrasesOf(wordsIn(codes));
  for (let start = 0; start < firsts.length; start += 1) {
    find(firsts[start] ?? 0, seconds[start] ?? 0);
  }
  scanNames(codes, find);
}
