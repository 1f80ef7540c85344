import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transcriptLines } from '../../bench/support/transcripts.ts';

/** How many transcripts there are, and how large each of them is. */
export interface TranscriptsSize {
  readonly files: number;
  readonly bytes: number;
  /** Files that differ; the others are further names of them, for the disk's sake. All by default. */
  readonly distinct?: number;
}

/** Fills a new folder with transcripts. */
export function makeTranscripts(
  folder: string,
  { files, bytes, distinct = files }: TranscriptsSize,
): void {
  mkdirSync(folder);
  for (let index = 0; index < files; index++) {
    const path = join(folder, `${index}.jsonl`);
    if (index >= distinct) linkSync(join(folder, `${index % distinct}.jsonl`), path);
    else writeFileSync(path, [...transcriptLines({ index, bytes })].join(''));
  }
}
