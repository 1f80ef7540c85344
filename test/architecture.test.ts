import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesByRoom, unusedPermissions, violationsOf } from './support/source-rules.ts';

/** The most lines that a room may have. A number only goes down; to raise one needs a reason in docs/decisions/. */
const MOST_LINES: Readonly<Record<string, number>> = {
  cli: 8761,
  'simulator/index': 520,
  'simulator/sweep': 11092,
  'simulator/report': 13075,
  'simulator/metrics': 6254,
  'simulator/replay': 6825,
  'simulator/summarizer': 3107,
  'simulator/setup': 419,
  'simulator/provider': 3144,
  'simulator/scenario': 6554,
  'simulator/session': 13260,
  'simulator/tokens': 548,
  simulator: 470,
  'simulator/lib': 1276,
  engine: 12142,
};
/** The most modules that `run` may load before it knows its arguments, those of types included and data files left out. */
const MOST_LOADED = 90;
const REASON = 'To raise a number of MOST_LINES needs a reason in docs/decisions/. What is there:';
const SRC = resolve(import.meta.dirname, '../src');
const all = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((file) =>
  file.replaceAll('\\', '/'),
);
const files = all.filter((file) => /\.[jt]s$/.test(file));
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

describe('the rooms of src', () => {
  it.each(files)('%s', (file) => {
    expect(violationsOf(file, textOf(file))).toEqual([]);
  });

  it('have no more lines than they may', () => {
    const counted = all.filter((file) => /\.(?:[jt]sx?|css|html)$/.test(file));
    const lines = linesByRoom(new Map(counted.map((file) => [file, textOf(file)])));
    const rows = Object.entries(lines);
    const larger = rows.filter(([room, count]) => count > (MOST_LINES[room] ?? 0));
    const table = rows.map(([room, count]) => `  '${room}': ${count},`);
    expect(larger.length === 0 ? [] : [REASON, ...table]).toEqual([]);
  });

  it('load at most so many modules when `run` starts', () => {
    const loaded = new Set(['cli/commands/run.ts']);
    for (const file of loaded) {
      for (const [, path = ''] of textOf(file).matchAll(/from '(\.[^']+)'/g))
        loaded.add(posix.join(posix.dirname(file), path));
    }
    const modules = [...loaded].filter((file) => file.endsWith('.ts'));
    expect(modules.length).toBeLessThanOrEqual(MOST_LOADED);
  });

  it('use every package that they may', () => {
    const sources = files.map((file) => [file, textOf(file)] as const);
    expect(unusedPermissions(new Map(sources))).toEqual([]);
  });
});

/** Files by what they do right or wrong, one a line. */
const cases = readFileSync(join(import.meta.dirname, 'fixtures/room-rules.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

describe('the rules of the rooms', () => {
  it.each(cases)('$case', ({ file, source, finds }) => {
    expect(violationsOf(file, source)).toEqual(finds);
  });
});
