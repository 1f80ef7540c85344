import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { createDraft, RESULTS_FILE, writeAll, writing } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import { countOf } from '../../report/numbers.ts';
import type { FinishedRun } from '../run/task.ts';
import {
  checkFolder,
  describeDifference,
  describeMissing,
  describeOtherSweep,
  nameShard,
  readHeader,
  shardOf,
  type SweepHeader,
  WHOLE,
  writeHeader,
} from './header.ts';
import { CHUNK_BYTES, LINE_BREAK, readLines } from './lines.ts';
import { createPlaces, parseRow, type Places } from './read-rows.ts';
import { checkRow } from './row.ts';

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

/** The contents of a file of rows. */
interface Written {
  /** Bytes of its whole lines. */
  readonly sizeBytes: number;
  /** True if it holds rows only, each once and in order. */
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

/** Where the rows of a sweep lie, by place: a few numbers a row, whatever the rows hold. */
interface RowIndex {
  /** How many places have a row. */
  readonly count: number;
  readonly has: (place: number) => boolean;
  /** Returns true if the place exists and has no row. */
  readonly isFree: (place: number) => boolean;
  /** The first row of a place stays; whether this was it. */
  add(place: number, row: RowLocation): boolean;
  /** In the order of places. */
  locations(): Generator<RowLocation, void, void>;
}

/** Where a row lies. */
interface RowLocation {
  /** Which of several files, from 0. */
  readonly source: number;
  readonly offsetBytes: number;
  /** Without the line break. */
  readonly lengthBytes: number;
}

/** Files that rows are read from. */
interface Inputs {
  of(source: number): number;
  close(): void;
}

/** The result of merging shards. */
type Merged =
  | { readonly state: 'merged'; readonly header: SweepHeader }
  | { readonly state: 'refused'; readonly reason: string };

/** A folder with what it says that it holds. */
interface Part {
  readonly folder: string;
  readonly header: SweepHeader;
}

/** The size of a file that is not there: no file has it. */
const GONE = -1;
/** The place of what is no row of a sweep. */
const NOWHERE = -1;

const ABSENT = -1;

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

/** Writes the rows of some files into one, in the order of their places, whole or not at all. */
export function writeSorted(file: string, index: RowIndex, sources: readonly string[]): void {
  const inputs = openInputs(sources);
  try {
    writing(file, () => writeFrom(inputs, index, file));
  } finally {
    inputs.close();
  }
}

/**
 * Puts the shards of a sweep together, as one machine would have written it. Throws `HarnessError` at a folder that is
 * none, and where another sweep would be written over.
 */
export function mergeShards(folders: readonly string[], out: string): Merged {
  const parts = folders.map((folder) => ({ folder, header: readHeader(folder) }));
  const [first] = parts;
  const reason = first === undefined ? 'there is none' : findMisfit(first, parts);
  if (first === undefined || reason !== undefined)
    return { state: 'refused', reason: reason ?? '' };
  const header = { ...first.header, shard: WHOLE };
  checkFolder(out, header, describeOtherSweep);
  const places = createPlaces(header);
  const index = createRowIndex(places.total);
  for (const [source, { folder, header: own }] of parts.entries()) {
    readBack(join(folder, RESULTS_FILE), { places: createPlaces(own), index, source });
  }
  const lack = findLack(parts, places, index.has);
  if (lack !== undefined) return { state: 'refused', reason: lack };
  const files = parts.map(({ folder }) => join(folder, RESULTS_FILE));
  // Rows without a header would stand in the way of whoever tries again.
  writeHeader(out, header);
  writeSorted(join(out, RESULTS_FILE), index, files);
  return { state: 'merged', header };
}

/** Enters the rows of a file into an index; nothing where there is no such file. Throws `HarnessError` at a row that is not as sweeps write them. */
function readBack(
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

/** Each is opened when the first row of it is read: one without rows need not be there. */
function openInputs(sources: readonly string[]): Inputs {
  const open = new Map<number, number>();
  return {
    of: (source) => {
      const path = sources[source];
      if (path === undefined) throw new RangeError(`Expected a file ${source}, got none.`);
      return keepIn(open, source, () => openSync(path, 'r'));
    },
    close: () => {
      for (const input of open.values()) closeSync(input);
    },
  };
}

function writeFrom(inputs: Inputs, index: RowIndex, file: string): void {
  const draft = createDraft(file);
  try {
    const output = openSync(draft.path, 'w');
    try {
      copyRows(index, inputs, output);
    } finally {
      closeSync(output);
    }
    draft.keep();
  } finally {
    draft.drop();
  }
}

function copyRows(index: RowIndex, inputs: Inputs, output: number): void {
  let gathered: Buffer[] = [];
  let bytes = 0;
  const flush = () => {
    writeAll(output, Buffer.concat(gathered));
    gathered = [];
    bytes = 0;
  };
  for (const { source, offsetBytes, lengthBytes } of stretchesOf(index.locations())) {
    const rows = Buffer.alloc(lengthBytes + 1, LINE_BREAK);
    readSync(inputs.of(source), rows, 0, lengthBytes, offsetBytes);
    gathered.push(rows);
    bytes += rows.length;
    if (bytes >= CHUNK_BYTES) flush();
  }
  flush();
}

/** Rows that lie one behind the other already, as those of one task do, in one piece with the line breaks between them. */
function* stretchesOf(rows: Iterable<RowLocation>): Generator<RowLocation, void, void> {
  let stretch: RowLocation | undefined;
  for (const row of rows) {
    const longer = stretch && joined(stretch, row);
    if (stretch !== undefined && longer === undefined) yield stretch;
    stretch = longer ?? row;
  }
  if (stretch !== undefined) yield stretch;
}

/** Two pieces as one; nothing where they are apart, or too long to be read at once. */
function joined(one: RowLocation, next: RowLocation): RowLocation | undefined {
  const { source, offsetBytes } = one;
  const lengthBytes = next.offsetBytes + next.lengthBytes - offsetBytes;
  const isNext = next.source === source && next.offsetBytes === offsetBytes + one.lengthBytes + 1;
  return isNext && lengthBytes < CHUNK_BYTES ? { source, offsetBytes, lengthBytes } : undefined;
}

function findMisfit(first: Part, parts: readonly Part[]): string | undefined {
  const { count } = first.header.shard;
  for (const [position, { folder, header }] of parts.entries()) {
    const other = describeOtherSweep(header, first.header);
    if (other !== undefined)
      return `${quotedLong(folder)} has ${other} than ${quotedLong(first.folder)}`;
    if (header.shard.count !== count) {
      return `${quotedLong(folder)} is one of ${header.shard.count} shards, ${quotedLong(first.folder)} one of ${count}`;
    }
    const twin = parts
      .slice(0, position)
      .find((before) => before.header.shard.index === header.shard.index);
    if (twin) {
      return `${quotedLong(twin.folder)} and ${quotedLong(folder)} are both shard ${nameShard(header.shard)}`;
    }
  }
  return describeMissing(
    parts.map(({ header }) => header.shard.index),
    count,
  );
}

/** A shard that was interrupted lacks rows. */
function findLack(
  parts: readonly Part[],
  places: Places,
  has: (place: number) => boolean,
): string | undefined {
  const missing = new Map<number, number>();
  for (let place = 0; place < places.total; place++) {
    if (has(place)) continue;
    const { sessions, shard } = parts[0]?.header ?? { sessions: [], shard: WHOLE };
    const index = shardOf(sessions[places.sessionOf(place)]?.hash ?? '', shard.count);
    missing.set(index, (missing.get(index) ?? 0) + 1);
  }
  for (const { folder, header } of parts) {
    const rows = missing.get(header.shard.index);
    if (rows !== undefined)
      return `${quotedLong(folder)} lacks ${countOf(rows, 'row')}; run its shard again`;
  }
  return undefined;
}
