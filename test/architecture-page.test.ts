import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const page = readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
/** Two printed pages. */
const MOST_LINES = 110;

describe('ARCHITECTURE.md', () => {
  it('names every room', () => {
    const rooms = readdirSync(resolve(ROOT, 'src/simulator'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `simulator/${name}/`);
    for (const room of ['cli/', 'engine/', ...rooms]) expect(page).toContain(`| \`${room}\``);
  });

  it('names paths that exist', () => {
    const paths = [...page.matchAll(/`((?:src|test|docs|schemas)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !existsSync(resolve(ROOT, path)))).toEqual([]);
  });

  it('fits two pages', () => {
    expect(page.split('\n').length).toBeLessThan(MOST_LINES);
  });
});
