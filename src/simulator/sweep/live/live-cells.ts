import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import type { Cell } from '../grid/cell.ts';

/** The cells of a sweep whose summaries somebody else writes, and how that one is asked. */
export interface LiveCells {
  isLive(cell: Pick<Cell, 'summarizer'>): boolean;
  /** Throws `HarnessError` where what asking needs is not there, such as a key. */
  find(name: string): AnySummarizer;
  /** Tasks at once; each begins all of its runs. */
  readonly tasksAtOnce: number;
  /** The seed of the first trial: the next one is its repetition. */
  readonly firstSeed: number;
}

/** Which repetition of the same run a trial is, from 1. */
export function repeatOf(seed: number, { firstSeed }: Pick<LiveCells, 'firstSeed'>): number {
  return seed - firstSeed + 1;
}
