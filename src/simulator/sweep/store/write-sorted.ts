import { closeSync, openSync, readSync } from 'node:fs';
import { keepIn } from '../../keep-in.ts';
import { writeAll } from '../../write-all.ts';
import { createDraft } from '../../write-whole.ts';
import { writing } from '../../writing.ts';
import { CHUNK_BYTES, LINE_BREAK } from './lines.ts';
import type { RowIndex, RowLocation } from './row-index.ts';

/** Files that rows are read from. */
interface Inputs {
  of(source: number): number;
  close(): void;
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
