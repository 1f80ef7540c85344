import { firstAtLeast } from '../../../lib/collections.ts';
import type { PlantedFact } from '../../../session/facts.ts';
import { cellAt, type Cells, type Row } from '../text/tables.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import type { Matching } from './matching.ts';
import { mostMissing, subjectWords } from './subjects.ts';

/** Words of a text, by their numbers. */
interface WordRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Whether a value in a table stands in the column of its subject, which is named above it, or there and at the start
 * of its row; `undefined` where columns are named by something else, or there is no table.
 */
export function isInOwnColumn(
  matching: Matching,
  fact: PlantedFact,
  place: Occurrence,
): boolean | undefined {
  const row = matching.index.rows.get(matching.index.unitOf[place.first] ?? -1);
  if (row === undefined) return undefined;
  const column = cellAt(row.cells, place.start);
  if (isNamed(matching.index, fact, { row, column })) return true;
  return isElsewhere(matching, fact, row) ? false : undefined;
}

/** Whether the name of a column, with that of the row, has the words of a subject. */
function isNamed(
  index: TextIndex,
  { subject }: PlantedFact,
  { row, column }: { readonly row: Row; readonly column: number },
): boolean {
  const words = subjectWords(subject);
  const [above, beside] = [wordsIn(index, row.header, column), wordsIn(index, row.cells, 0)];
  const found = words.filter((word) => isAmong(index, word, above));
  const missing = words.filter((word) => !found.includes(word) && !isAmong(index, word, beside));
  return found.length > 0 && missing.length <= mostMissing(words);
}

/** Whether another column is named after the subject, and the row is not. */
function isElsewhere(
  { index, anchorsNear }: Matching,
  { subject }: PlantedFact,
  { header, cells }: Row,
): boolean {
  const names = ({ from, to }: WordRange) =>
    anchorsNear(subject, from).some(({ first }) => from <= first && first < to);
  return names(wordsOf(index, header)) && !names(wordsOf(index, cells));
}

function wordsIn(index: TextIndex, { starts, ends }: Cells, cell: number): WordRange {
  return rangeOf(index, starts[cell] ?? Infinity, ends[cell] ?? Infinity);
}

function wordsOf(index: TextIndex, { starts, ends }: Cells): WordRange {
  return rangeOf(index, starts[0] ?? Infinity, ends.at(-1) ?? Infinity);
}

function rangeOf({ words: { starts } }: TextIndex, start: number, end: number): WordRange {
  return { from: firstAtLeast(starts, start), to: firstAtLeast(starts, end) };
}

function isAmong({ placesOf }: TextIndex, word: string, { from, to }: WordRange): boolean {
  const places = placesOf(word);
  return (places[firstAtLeast(places, from)] ?? to) < to;
}
