import { closeSync, openSync, readSync } from 'node:fs';
import { writeAll } from '../../write-all.ts';
import { createDraft } from '../../write-whole.ts';
import { writing } from '../../writing.ts';
import { CHUNK_BYTES, LINE_BREAK } from './lines.ts';
import type { RowIndex } from './row-index.ts';

/** Writes the rows of some files into one, in the order of their places, whole or not at all. */
export function writeSorted(file: string, index: RowIndex, sources: readonly string[]): void {
  const inputs = sources.map((source) => openSync(source, 'r'));
  try {
    writing(file, () => writeFrom(inputs, index, file));
  } finally {
    for (const input of inputs) closeSync(input);
  }
}

function writeFrom(inputs: readonly number[], index: RowIndex, file: string): void {
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

function copyRows(index: RowIndex, inputs: readonly number[], output: number): void {
  let gathered: Buffer[] = [];
  let bytes = 0;
  const flush = () => {
    writeAll(output, Buffer.concat(gathered));
    gathered = [];
    bytes = 0;
  };
  for (const { source, offset, length } of index.locations()) {
    const row = Buffer.alloc(length + 1, LINE_BREAK);
    const input = inputs[source];
    if (input === undefined) throw new RangeError(`Expected a file ${source}, got none.`);
    readSync(input, row, 0, length, offset);
    gathered.push(row);
    bytes += row.length;
    if (bytes >= CHUNK_BYTES) flush();
  }
  flush();
}
