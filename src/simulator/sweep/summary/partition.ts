import { keepIn } from '../../keep-in.ts';

/** Tells apart cells that ever differ, session by session. */
export interface Partition {
  /** What each cell came to in one trial of one session; empty where it was not run. */
  add(digests: readonly string[]): void;
  /** Of each cell the first cell that never differed from it; itself where there is none. */
  firstAlike(): readonly number[];
}

/** A partition of that many cells, none of which differs from another yet. */
export function createPartition(cells: number): Partition {
  let classes: readonly number[] = Array.from({ length: cells }, () => 0);
  return {
    add: (digests) => {
      const known = new Map<string, number>();
      classes = classes.map((group, index) => {
        const key = `${group} ${digests[index] ?? ''}`;
        return keepIn(known, key, () => known.size);
      });
    },
    firstAlike: () => classes.map((group) => classes.indexOf(group)),
  };
}
