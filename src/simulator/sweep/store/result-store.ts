import { RESULTS_FILE } from '../../sweep-files.ts';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { writeAll } from '../../write-all.ts';
import { writing } from '../../writing.ts';
import type { FinishedRun } from '../run/task.ts';
import { checkRow } from './check-row.ts';
import { checkFolder, describeDifference } from './difference.ts';
import { type SweepHeader, writeHeader } from './header.ts';
import { LINE_BREAK, readLines } from './lines.ts';
import { createPlaces, parseRow, type Places } from './places.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';
import { writeSorted } from './write-sorted.ts';

/** The rows of a sweep in a folder, written as they are finished. */
export interface ResultStore {
  readonly count: number;
  has(place: number): boolean;
  add(run: FinishedRun): void;
  /** Throws `HarnessError` where rows that were added do not stand in the folder any more. */
  checkKept(): void;
  /**
   * Puts all rows in the order of their places; nothing may be added after that. Throws `HarnessError` where somebody
   * else took some of them away.
   */
  finish(): void;
  /** Leaves the folder as it is, to be gone on with later. */
  close(): void;
}

/** What a file of results holds. */
export interface Written {
  /** Bytes of its whole lines. */
  readonly sizeBytes: number;
  /** Whether there is nothing but rows, each once and in the order of their places. */
  readonly isSorted: boolean;
  /** Of the last row; -1 where there is none. */
  readonly lastPlace: number;
}

interface OpenStore {
  readonly file: string;
  readonly descriptor: number;
  readonly places: Places;
  readonly index: RowIndex;
  readonly written: Written;
}

/** The size of a file that is not there: no file has it. */
const GONE = -1;
/** The place of what is no row of a sweep. */
const NOWHERE = -1;

/** The store of a sweep, with what an earlier call left in it. Throws `HarnessError` where another sweep lies there. */
export function openStore(folder: string, header: SweepHeader): ResultStore {
  checkFolder(folder, header, describeDifference);
  // Who began the folder sees by a new one that somebody else goes on with it.
  writeHeader(folder, header);
  const file = join(folder, RESULTS_FILE);
  const places = createPlaces(header);
  const index = createRowIndex(places.total);
  const written = readBack(file, { places, index, source: 0 });
  const descriptor = writing(file, () => openSync(file, 'a+'));
  // A torn line would spoil the next one; a whole one is that of another process, which came meanwhile.
  if (isTorn(descriptor)) writing(file, () => ftruncateSync(descriptor, written.sizeBytes));
  return createStore({ file, descriptor, places, index, written });
}

/** Enters the rows of a file into an index; nothing where there is no such file. Throws `HarnessError` at a row that is not as sweeps write them. */
export function readBack(
  file: string,
  into: { readonly places: Places; readonly index: RowIndex; readonly source: number },
): Written {
  const { places, index, source } = into;
  let written: Written = { sizeBytes: 0, isSorted: true, lastPlace: NOWHERE };
  if (!existsSync(file)) return written;
  for (const { text, offsetBytes, lengthBytes, number } of readLines(file)) {
    const row = parseRow(text);
    const place = (row && places.placeOfRow(row)) ?? NOWHERE;
    if (row && place !== NOWHERE) checkRow(row, { file, line: number });
    const isNew = index.add(place, { source, offsetBytes, lengthBytes });
    written = {
      sizeBytes: offsetBytes + lengthBytes + 1,
      isSorted: written.isSorted && isNew && place > written.lastPlace,
      lastPlace: place,
    };
  }
  return written;
}

/** Whether a file ends within a line. */
function isTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1, LINE_BREAK);
  if (size > 0) readSync(descriptor, last, 0, last.length, size - last.length);
  return last[0] !== LINE_BREAK;
}

function createStore({ file, descriptor, places, index, written }: OpenStore): ResultStore {
  let { sizeBytes, isSorted, lastPlace } = written;
  const close = () => closeSync(descriptor);
  return {
    get count() {
      return index.count;
    },
    has: (place) => index.has(place),
    add: ({ place, line }) => {
      const bytes = Buffer.from(`${line}\n`);
      if (!index.isFree(place)) return;
      writing(file, () => writeAll(descriptor, bytes));
      index.add(place, {
        source: 0,
        offsetBytes: sizeBytes,
        lengthBytes: bytes.length - 1,
      });
      sizeBytes += bytes.length;
      isSorted &&= place > lastPlace;
      lastPlace = place;
    },
    checkKept: () => {
      // Longer where another process adds rows of its own.
      if (sizeAt(file, descriptor) < sizeBytes) readAgain(file, places, index.count);
    },
    finish: () => {
      const isUntouched = sizeAt(file, descriptor) === sizeBytes;
      close();
      if (!isUntouched) writeSorted(file, readAgain(file, places, index.count), [file]);
      else if (!isSorted) writeSorted(file, index, [file]);
    },
    close,
  };
}

/** The size of an open file, where it still stands at its path: another process may write the same sweep. */
function sizeAt(file: string, descriptor: number): number {
  const own = fstatSync(descriptor);
  return statSync(file, { throwIfNoEntry: false })?.ino === own.ino ? own.size : GONE;
}

/** Where the rows lie, whoever wrote them. */
function readAgain(file: string, places: Places, count: number): RowIndex {
  const index = createRowIndex(places.total);
  readBack(file, { places, index, source: 0 });
  if (index.count >= count) return index;
  throw new HarnessError(
    'BAD_RESULTS',
    `Expected ${quotedLong(file)} to keep its ${count} rows, but ${count - index.count} were removed during the sweep; the same command makes them again.`,
  );
}
