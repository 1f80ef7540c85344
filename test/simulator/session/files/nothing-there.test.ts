import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothingThere } from '../../../../src/simulator/session/files/nothing-there.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';

const folder = createFolder();
for (const path of ['recorded/csv-format.json', 'recorded/table-widths.json', 'notes.md']) {
  writeFile(folder, path, '');
}

describe('nothingThere', () => {
  it.each([
    ['a file', 'recorded/csv-formt.json', 'recorded/csv-format.json'],
    ['a folder', 'recoded', 'recorded'],
    ['a folder above', 'recoded/deep/csv-format.json', 'recorded'],
  ])('names %s that is called nearly so', (_, path, nearest) => {
    const error = nothingThere(join(folder, path));
    expect(error.message).toContain(
      `got nothing at that path; nearest: '${join(folder, nearest)}'.`,
    );
  });

  it('says which commands take one session of a file by its place', () => {
    const file = join(folder, 'notes.md');
    expect(nothingThere(`${file}#3`).message).toBe(
      `Expected '${file}#3' to be a file, folder or pattern, got nothing at that path; '${file}' is there, of whose sessions only 'explain', 'minimize' and 'whatif' take one as path#index.`,
    );
  });

  it.each(['recorded/other.json', 'recorded/other.json#3', 'sessions/', 'notes.md/inside'])(
    'names nothing near %s',
    (path) => {
      expect(nothingThere(join(folder, path)).message).toMatch(/got nothing at that path\.$/);
    },
  );
});
