import { hashUnits } from '../../../../engine/internal.ts';
import { shareOf } from '../../metric.ts';
import type { TextIndex } from '../text/text-index.ts';

/** Words of a run that is not the same by chance. */
const RUN = 8;
/** Of the hash of a run of words. */
const BASE = 0x2c1b3c6d;

/** Hashes of all runs of words of a text, in order. */
export function sequencesOf({ text, words: { starts, ends } }: TextIndex): readonly number[] {
  const hashes = starts.map((start, word) => hashUnits(text, start, ends[word] ?? start));
  return hashes.slice(RUN - 1).map((_, first) => {
    let hash = 0;
    for (let word = first; word < first + RUN; word++) {
      hash = (Math.imul(hash, BASE) + (hashes[word] ?? 0)) | 0;
    }
    return hash;
  });
}

/** Share of the words of a text that stand in the source in the same order, many in a row; `null` without words. */
export function verbatimShare(index: TextIndex, source: ReadonlySet<number>): number | null {
  const count = index.words.starts.length;
  let covered = 0;
  let upTo = 0;
  sequencesOf(index).forEach((hash, first) => {
    if (!source.has(hash)) return;
    covered += first + RUN - Math.max(upTo, first);
    upTo = first + RUN;
  });
  return shareOf(covered, count);
}
