import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const BENCH = resolve(import.meta.dirname, '../../bench');
const page = readFileSync(resolve(BENCH, 'README.md'), 'utf8');
const sources = readdirSync(BENCH)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => readFileSync(resolve(BENCH, file), 'utf8'));

describe('bench/README.md', () => {
  it('explains every figure', () => {
    const names = sources.flatMap((text) =>
      [
        ...text.matchAll(
          /['`]((?:import|tokens|scoring|simulate|sweep|start|answer|memory)\.\w+)/g,
        ),
      ].map(([, name = '']) => name),
    );
    expect(new Set(names).size).toBeGreaterThan(15);
    expect(names.filter((name) => !page.includes(`| \`${name}`))).toEqual([]);
  });
});
