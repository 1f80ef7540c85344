import { closeSync, existsSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError, badOption } from '../../lib/errors.ts';
import {
  createDraft,
  readFrom,
  RESULTS_FILE,
  writeAll,
  writing,
  HEADER_FILE,
  writeWhole,
  hasHeader,
  hasRows,
} from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import { countOf } from '../../report/numbers.ts';
import type { FinishedRun } from '../run/task.ts';
import {
  describeMisfit,
  readHeader,
  refused,
  shardOf,
  type SweepHeader,
  WHOLE,
  nameShard,
} from './header.ts';
import {
  checkRow,
  CHUNK_BYTES,
  createPlaces,
  LINE_BREAK,
  parseRow,
  type Places,
  readLines,
} from './read-rows.ts';

export interface ResultStore {
  readonly count: number;
  has(place: number): boolean;
  add(run: FinishedRun): void;
  /** Throws `HarnessError` where the file of the rows is gone. */
  readonly checkKept: () => void;
  /** Puts all rows in the order of their places, as the last step. Throws `HarnessError` where some are gone. */
  finish(): void;
  close(): void;
}

interface RowLocation {
  readonly source: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
}

export type RowIndex = Map<number, RowLocation>;

interface Part {
  readonly folder: string;
  readonly header: SweepHeader;
}

const INDENT = 1;

const NOWHERE = -1;

export function openStore(folder: string, header: SweepHeader): ResultStore {
  checkFolder(folder, header, describeDifference);
  writeHeader(folder, header);
  const file = join(folder, RESULTS_FILE);
  const places = createPlaces(header);
  const before: RowIndex = new Map();
  const { sizeBytes } = readBack(file, { places, index: before });
  const known = new Set(before.keys());
  const descriptor = writing(file, () => openSync(file, 'a+'));
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1, LINE_BREAK);
  if (size > 0) readFrom(descriptor, last, size - last.length);
  // A torn line would spoil the next one; a whole one is that of another process, which came meanwhile.
  if (last[0] !== LINE_BREAK) writing(file, () => ftruncateSync(descriptor, sizeBytes));
  const close = () => closeSync(descriptor);
  const readKept = () => {
    const index: RowIndex = new Map();
    const { isSorted } = readBack(file, { places, index });
    if (index.size >= known.size) return { index, isSorted };
    const message = `Expected ${quotedLong(file)} to keep its ${known.size} rows, but ${known.size - index.size} were removed during the sweep; the same command makes them again.`;
    throw new HarnessError('BAD_RESULTS', message);
  };
  return {
    get count() {
      return known.size;
    },
    has: (place) => known.has(place),
    add: ({ place, line }) => {
      if (known.has(place) || place >= places.total) return;
      writing(file, () => writeAll(descriptor, `${line}\n`));
      known.add(place);
    },
    checkKept: () => void (existsSync(file) || readKept()),
    finish: () => {
      close();
      // Another process may have written the same sweep.
      const { index, isSorted } = readKept();
      if (!isSorted) writeSorted(file, index, [file]);
    },
    close,
  };
}

export function writeSorted(file: string, index: RowIndex, sources: readonly string[]) {
  // Each is opened when the first row of it is read: one without rows need not be there.
  const inputs = new Map<number, number>();
  const open = (source: number) =>
    keepIn(inputs, source, () => openSync(sources[source] ?? '', 'r'));
  const rows = [...index].toSorted(([one], [other]) => one - other).map(([, row]) => row);
  const draft = writing(file, () => createDraft(file));
  try {
    writing(file, () => {
      const output = openSync(draft.path, 'w');
      try {
        copyRows(rows, open, output);
      } finally {
        closeSync(output);
      }
      draft.keep();
    });
  } finally {
    draft.drop();
    for (const input of inputs.values()) closeSync(input);
  }
}

export function mergeShards(folders: readonly string[], out: string) {
  const parts = folders.map((folder) => ({ folder, header: readHeader(folder) }));
  const [first] = parts;
  if (first === undefined) return refused('there is none');
  const reason = describeMisfit(
    parts.map(({ folder: name, header: own }) => ({ name, shard: own.shard, own })),
    ({ own }) => {
      const other = describeOtherSweep(own, first.header);
      return other && `has ${other} than ${quotedLong(first.folder)}`;
    },
  );
  if (reason !== undefined) return refused(reason);
  const header = { ...first.header, shard: WHOLE };
  checkFolder(out, header, describeOtherSweep);
  const places = createPlaces(header);
  const index: RowIndex = new Map();
  for (const [source, { folder, header: own }] of parts.entries())
    readBack(join(folder, RESULTS_FILE), { places: createPlaces(own), index, source });
  const lack = findLack(parts, places, index);
  if (lack !== undefined) return refused(lack);
  const files = parts.map(({ folder }) => join(folder, RESULTS_FILE));
  // Rows without a header would stand in the way of whoever tries again.
  writeHeader(out, header);
  writeSorted(join(out, RESULTS_FILE), index, files);
  return { state: 'merged' as const, header };
}

function readBack(
  file: string,
  {
    places,
    index,
    source = 0,
  }: { readonly places: Places; readonly index: RowIndex; readonly source?: number },
) {
  // Of whole lines; sorted if it holds rows only, each once and in order.
  const written = { sizeBytes: 0, isSorted: true, lastPlace: NOWHERE };
  if (!existsSync(file)) return written;
  for (const { text, offsetBytes, lengthBytes, number } of readLines(file)) {
    const row = parseRow(text);
    const place = (row && places.placeOfRow(row)) ?? NOWHERE;
    const isNew = place !== NOWHERE && !index.has(place);
    if (row && place !== NOWHERE) checkRow(row, file, number);
    // The first row of a place stays.
    if (isNew) index.set(place, { source, offsetBytes, lengthBytes });
    written.sizeBytes = offsetBytes + lengthBytes + 1;
    written.isSorted &&= isNew && place > written.lastPlace;
    written.lastPlace = place;
  }
  return written;
}

function copyRows(rows: readonly RowLocation[], open: (source: number) => number, output: number) {
  let gathered: Buffer[] = [];
  let bytes = 0;
  for (const { source, offsetBytes, lengthBytes } of rows) {
    const row = Buffer.alloc(lengthBytes + 1, LINE_BREAK);
    if (readFrom(open(source), row.subarray(0, lengthBytes), offsetBytes) < lengthBytes)
      throw new HarnessError('BAD_RESULTS', 'Expected rows to stay while they are put in order.');
    gathered.push(row);
    bytes += row.length;
    if (bytes < CHUNK_BYTES) continue;
    writeAll(output, Buffer.concat(gathered));
    [gathered, bytes] = [[], 0];
  }
  writeAll(output, Buffer.concat(gathered));
}

function findLack(parts: readonly Part[], places: Places, index: RowIndex) {
  const missing = new Map<number, number>();
  for (let place = 0; place < places.total; place++) {
    if (index.has(place)) continue;
    const { sessions, shard } = parts[0]?.header ?? { sessions: [], shard: WHOLE };
    const own = shardOf(sessions[places.sessionOf(place)]?.hash ?? '', shard.count);
    missing.set(own, (missing.get(own) ?? 0) + 1);
  }
  for (const { folder, header } of parts) {
    const rows = missing.get(header.shard.index);
    if (rows === undefined) continue;
    return `${quotedLong(folder)} lacks ${countOf(rows, 'row')}; run its shard again`;
  }
  return undefined;
}

function writeHeader(folder: string, header: SweepHeader) {
  const file = join(folder, HEADER_FILE);
  writing(file, () => writeWhole(file, `${JSON.stringify(header, null, INDENT)}\n`));
}

function checkFolder(
  folder: string,
  header: SweepHeader,
  differ: (one: SweepHeader, other: SweepHeader) => string | undefined,
) {
  const stray = hasRows(folder) ? `${RESULTS_FILE} without ${HEADER_FILE}` : undefined;
  const difference = hasHeader(folder) ? differ(readHeader(folder), header) : stray;
  if (difference === undefined) return;
  throw badOption(
    `Expected '--out' to be a new folder or that of the same sweep, got ${quotedLong(folder)}, which has ${difference}.`,
  );
}

function describeDifference(one: SweepHeader, other: SweepHeader) {
  const shard = nameShard(one.shard);
  const otherPart = shard === nameShard(other.shard) ? undefined : `shard ${shard}`;
  return describeOtherSweep(one, other) ?? otherPart;
}

/** In what two headers of maybe different parts of a sweep differ; nothing where they are of one. */
function describeOtherSweep(one: SweepHeader, other: SweepHeader) {
  const differences: readonly (readonly [what: string, of: (header: SweepHeader) => unknown])[] = [
    [`another version (${one.version})`, ({ version }) => version],
    [`another mode (${one.mode})`, ({ mode }) => mode],
    ['other cells', ({ cells }) => cells.map(({ id }) => id)],
    ['other seeds', ({ seeds }) => seeds],
    ['other sessions', ({ sessions }) => sessions],
    ['other axes', ({ axes }) => axes],
    [`another catalog (${one.catalog.source})`, ({ catalog }) => catalog],
    ['other unread files', ({ unread }) => unread],
  ];
  const found = differences.find(([, of]) => JSON.stringify(of(one)) !== JSON.stringify(of(other)));
  return found?.[0];
}
