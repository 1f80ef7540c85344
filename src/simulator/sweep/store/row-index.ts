/** Where the rows of a sweep lie, by place: a few numbers a row, whatever the rows hold. */
export interface RowIndex {
  /** How many places have a row. */
  readonly count: number;
  readonly has: (place: number) => boolean;
  /** Whether there is such a place and it has no row. */
  readonly isFree: (place: number) => boolean;
  /** The first row of a place stays; whether this was it. */
  add(place: number, row: RowLocation): boolean;
  /** In the order of places. */
  locations(): Generator<RowLocation, void, void>;
}

/** Where a row lies. */
export interface RowLocation {
  /** Which of several files, from 0. */
  readonly source: number;
  readonly offsetBytes: number;
  /** Without the line break. */
  readonly lengthBytes: number;
}

const ABSENT = -1;

/** An index for that many rows, none of which is there. */
export function createRowIndex(total: number): RowIndex {
  const offsets = new Float64Array(total).fill(ABSENT);
  const lengths = new Uint32Array(total);
  const sources = new Uint32Array(total);
  let count = 0;
  const has = (place: number) => (offsets[place] ?? ABSENT) !== ABSENT;
  const isFree = (place: number) => !has(place) && place >= 0 && place < total;
  return {
    get count() {
      return count;
    },
    has,
    isFree,
    add: (place, { source, offsetBytes, lengthBytes }) => {
      if (!isFree(place)) return false;
      offsets[place] = offsetBytes;
      lengths[place] = lengthBytes;
      sources[place] = source;
      count += 1;
      return true;
    },
    *locations() {
      for (const [place, offsetBytes] of offsets.entries()) {
        if (offsetBytes === ABSENT) continue;
        yield { source: sources[place] ?? 0, offsetBytes, lengthBytes: lengths[place] ?? 0 };
      }
    },
  };
}
