import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = resolve(ROOT, 'src');
const page = readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.[jt]s$/.test(file));

describe('ARCHITECTURE.md', () => {
  it('names every room', () => {
    const rooms = readdirSync(resolve(SRC, 'simulator'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `simulator/${name}/`);
    for (const room of ['cli/', 'engine/', ...rooms]) expect(page).toContain(`\`${room}\``);
  });

  it('can leave out files, for each says what it is', () => {
    const silent = files.filter(
      (file) => !readFileSync(resolve(SRC, file), 'utf8').includes('/**'),
    );
    expect(silent).toEqual([]);
  });
});
