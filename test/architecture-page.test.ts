import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = resolve(ROOT, 'src');
const page = readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
const START = '## Folders';
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.[jt]s$/.test(file));

describe('ARCHITECTURE.md', () => {
  it('says of every folder of src what it holds, and of none that is gone', () => {
    const list = page.slice(page.indexOf(START));
    const listed = [...list.matchAll(/^- `(.+)\/`: \S.*\.$/gm)].map(([, folder]) => folder);
    expect(listed).toEqual([...new Set(files.map(dirname))].toSorted());
  });

  it('names every room', () => {
    const rooms = readdirSync(resolve(SRC, 'simulator'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `simulator/${name}/`);
    const map = page.slice(0, page.indexOf(START));
    for (const room of ['cli/', 'engine/', ...rooms]) expect(map).toContain(`\`${room}\``);
  });

  it('can leave out files, for each says what it is', () => {
    const silent = files.filter(
      (file) => !readFileSync(resolve(SRC, file), 'utf8').includes('/**'),
    );
    expect(silent).toEqual([]);
  });
});
