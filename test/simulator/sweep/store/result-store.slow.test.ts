import type * as FileSystem from 'node:fs';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openStore, type ResultStore } from '../../../../src/simulator/sweep/store/result-store.ts';
import { createFolder } from '../../../support/session-files.ts';
import { HEADER, PLACES, rowOf, SORTED } from './sample-rows.ts';

/** What happens between reading the rows of a folder and the first one that is written. */
const meanwhile = vi.hoisted(() => ({ happens: (_path: string): void => undefined }));

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof FileSystem>();
  const openSync = (path: string, flags: string | number) => {
    if (String(flags).startsWith('a')) meanwhile.happens(path);
    return real.openSync(path, flags);
  };
  return { ...real, openSync, default: { ...real, openSync } };
});

it.each([
  ['nothing', ''],
  ['a torn row', '{"torn'],
])('keeps rows that another process adds behind %s while the folder is opened', (_, left) => {
  const folder = createFolder();
  const file = join(folder, 'results.jsonl');
  const begun = openStore(folder, HEADER);
  begun.add(rowOf(0));
  begun.close();
  appendFileSync(file, left);
  const others: ResultStore[] = [];
  meanwhile.happens = () => {
    meanwhile.happens = () => undefined;
    const other = openStore(folder, HEADER);
    other.add(rowOf(1));
    others.push(other);
  };
  const store = openStore(folder, HEADER);
  for (const one of [...others, store]) {
    for (const place of PLACES) one.add(rowOf(place));
    one.finish();
    expect(readFileSync(file, 'utf8')).toBe(SORTED);
  }
  expect(others).toHaveLength(1);
});
