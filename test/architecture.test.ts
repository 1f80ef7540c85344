import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesByRoom, unusedPermissions, violationsOf } from './support/source-rules.ts';

/** The most lines that a room may have. A number only goes down; to raise one needs a reason in docs/decisions/. */
const MOST_LINES: Readonly<Record<string, number>> = {
  cli: 10070,
  'simulator/index': 530,
  'simulator/sweep': 13150,
  'simulator/report': 15130,
  'simulator/metrics': 6490,
  'simulator/replay': 7210,
  'simulator/summarizer': 3990,
  'simulator/setup': 500,
  'simulator/provider': 3790,
  'simulator/scenario': 8030,
  'simulator/session': 16620,
  'simulator/tokens': 530,
  simulator: 460,
  'simulator/lib': 1200,
  engine: 15000,
};
/** The most files that `run` may load before it knows its arguments, those of types included. */
const MOST_LOADED = 344;
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

  it('load at most so many files when `run` starts', () => {
    const loaded = new Set(['cli/commands/run.ts']);
    for (const file of loaded) {
      for (const [, path = ''] of textOf(file).matchAll(/from '(\.[^']+)'/g)) {
        loaded.add(posix.join(posix.dirname(file), path));
      }
    }
    expect(loaded.size).toBeLessThanOrEqual(MOST_LOADED);
  });

  it('use every package that they may', () => {
    const sources = files.map((file) => [file, textOf(file)] as const);
    expect(unusedPermissions(new Map(sources))).toEqual([]);
  });
});

describe('the rules of the rooms', () => {
  it.each<[string, string, string, string]>([
    ['a file in no room', 'misc.ts', '', 'is in no room'],
    ['a folder that is no room', 'simulator/utils/a.ts', '', 'is in no room'],
    ['a folder beside the rooms', 'helpers/a.ts', '', 'is in no room'],
    [
      'an upward import',
      'simulator/metrics/a.ts',
      "import { b } from '../report/b.ts';",
      'imports simulator/report/b.ts, which is not below simulator/metrics',
    ],
    [
      'the examiner importing a contestant',
      'simulator/metrics/quality/a.ts',
      "import type { B } from '../../summarizer/b.ts';",
      'imports simulator/summarizer/b.ts, which simulator/metrics must not know',
    ],
    [
      'the examiner importing the generator of facts',
      'simulator/metrics/quality/a.ts',
      "import { b } from '../../scenario/workload/facts/b.ts';",
      'imports simulator/scenario/workload/facts/b.ts, which simulator/metrics must not know',
    ],
    [
      'a contestant importing the generator of facts',
      'simulator/summarizer/a.ts',
      "import { b } from '../scenario/workload/b.ts';",
      'imports simulator/scenario/workload/b.ts, which simulator/summarizer must not know',
    ],
    [
      'an upward import of a type',
      'simulator/session/a.ts',
      "import type { B } from '../scenario/b.ts';",
      'imports simulator/scenario/b.ts, which is not below simulator/session',
    ],
    [
      'an upward import that is passed on',
      'simulator/tokens/a.ts',
      "export { b } from '../session/b.ts';",
      'imports simulator/session/b.ts, which is not below simulator/tokens',
    ],
    [
      'an upward import over several lines',
      'simulator/replay/a.ts',
      "import {\n  b,\n} from '../sweep/b.ts';",
      'imports simulator/sweep/b.ts, which is not below simulator/replay',
    ],
    [
      'a shared file that imports a room',
      'simulator/events.ts',
      "import { b } from './tokens/b.ts';",
      'imports simulator/tokens/b.ts, which is not below simulator',
    ],
    [
      'a general function that imports events',
      'simulator/lib/a.ts',
      "import type { RunEvent } from '../events.ts';",
      'imports simulator/events.ts, which is not below simulator/lib',
    ],
    [
      'a room that imports the public names',
      'simulator/sweep/a.ts',
      "import { b } from '../index.ts';",
      'imports simulator/index.ts, which is not below simulator/sweep',
    ],
    [
      'the simulator importing the command line',
      'simulator/index.ts',
      "import { b } from '../cli/b.ts';",
      'imports cli/b.ts, which is not below simulator/index',
    ],
    [
      'the engine importing the simulator',
      'engine/prune/a.ts',
      "import type { Env } from '../../simulator/env.ts';",
      'imports simulator/env.ts, which is not below engine',
    ],
    [
      'an import from outside of src',
      'cli/a.ts',
      "import data from '../../package.json';",
      'imports ../package.json, which is not below cli',
    ],
    [
      'an import past the names of the engine',
      'simulator/replay/a.ts',
      "import { transition } from '../../engine/loop.ts';",
      'imports engine/loop.ts past engine/index.ts',
    ],
    ['a package in the engine', 'engine/a.ts', "import * as z from 'zod';", 'imports zod'],
    ['a platform module in the engine', 'engine/a.ts', "import 'node:fs';", 'imports node:fs'],
    [
      'a tokenizer outside of its room',
      'simulator/replay/a.ts',
      "import { encode } from 'gpt-tokenizer/model/gpt-4o';",
      'imports gpt-tokenizer/model/gpt-4o',
    ],
    ['a model library outside of its room', 'cli/a.ts', "import 'ai';", 'imports ai'],
    [
      'a scoped package where it does not belong',
      'simulator/report/a.ts',
      'import { openai } from "@ai-sdk/openai";',
      'imports @ai-sdk/openai',
    ],
    [
      'a dynamic import of a package where it does not belong',
      'simulator/metrics/a.ts',
      "const load = () => import('zod');",
      'imports zod',
    ],
    [
      'an import of a computed name',
      'cli/a.ts',
      'const load = (name: string) => import(name);',
      'loads by a computed name: import(',
    ],
    ['a require', 'cli/a.ts', "const fs = require('fs');", 'loads by a computed name: require('],
    [
      'an export of everything',
      'simulator/index.ts',
      "export * from './env.ts';",
      'exports everything of another file: export *',
    ],
    ['the clock', 'simulator/env.ts', 'const now = Date.now();', 'reads the world: Date'],
    ['a date', 'simulator/session/a.ts', 'const now = new Date();', 'reads the world: Date'],
    ['chance', 'simulator/env.ts', 'const x = Math.random();', 'reads the world: Math.random'],
    [
      'a random id',
      'simulator/report/a.ts',
      "import { randomUUID } from 'node:crypto';",
      'reads the world: randomUUID',
    ],
    [
      'the process',
      'simulator/sweep/a.ts',
      'const { argv } = process;',
      'reads the world: process',
    ],
    [
      'the process within a text',
      'simulator/sweep/a.ts',
      'const where = `in ${process.cwd()}`;',
      'reads the world: process',
    ],
    ['the console', 'simulator/report/a.ts', "console.log('a');", 'reads the world: console'],
    ['a stopwatch', 'engine/a.ts', 'const t = performance.now();', 'reads the world: performance'],
    ['a timer', 'simulator/replay/a.ts', 'setTimeout(run, 1);', 'reads the world: setTimeout'],
    ['the network', 'simulator/provider/a.ts', "fetch('/');", 'reads the world: fetch'],
    ['anything global', 'engine/a.ts', 'globalThis.x = 1;', 'reads the world: globalThis'],
    [
      'an async function in the engine',
      'engine/a.ts',
      'export async function run() {}',
      'is not a pure function: async',
    ],
    [
      'a promise in the engine',
      'engine/a.ts',
      'export type Later = Promise<void>;',
      'is not a pure function: Promise',
    ],
    [
      'a dynamic import in the engine',
      'engine/a.ts',
      "export const load = () => import('./loop.ts');",
      'is not a pure function: import(',
    ],
    ['state in the engine', 'engine/a.ts', 'let count = 0;', 'is not a pure function: let'],
    [
      'a script of the page that imports the rest',
      'simulator/report/html/page/a.js',
      "import { shownText } from '../../shown-text.js';",
      "imports otherwise: import { shownText } from '../../shown-text.js';",
    ],
    [
      'a script of the page that imports a package',
      'simulator/report/html/page/a.js',
      "import 'zod';",
      "imports otherwise: import 'zod';",
    ],
    [
      'a script of the page that renames what it imports',
      'simulator/report/html/page/a.js',
      "import { b as c } from './b.js';",
      "imports otherwise: import { b as c } from './b.js';",
    ],
    [
      'a script of the page that loads another later',
      'simulator/report/html/page/a.js',
      'const load = (name) => import(name);',
      'loads by a computed name: import(',
    ],
    [
      'a script of the page that exports a list',
      'simulator/report/html/page/a.js',
      'const b = 1;\nexport { b };',
      'exports otherwise: export { b };',
    ],
    [
      'a script of the page with types of another room',
      'simulator/report/html/page/a.js',
      "/** @import { RunEvent } from '../../../events.ts' */",
      'has types of ../../../events.ts',
    ],
    [
      'a script of the page in a program',
      'simulator/report/html/a.ts',
      "import { show } from './page/show.js';",
      'imports simulator/report/html/page/show.js, which runs in a browser',
    ],
    [
      'a type below a function',
      'cli/a.ts',
      'function run() {}\ninterface Options {}',
      'has interface Options too far down',
    ],
    [
      'a constant below a function',
      'cli/a.ts',
      'export function run() {}\nconst MOST = 1;',
      'has const MOST too far down',
    ],
    [
      'a public function below a private one',
      'cli/a.ts',
      'function walk() {}\nexport function run() {}',
      'has function run too far down',
    ],
    [
      'a docstring that begins with What',
      'cli/a.ts',
      '/** What a run costs. */',
      'has a docstring without a noun: /** What a run costs. */',
    ],
    [
      'a docstring over several lines that begins with Whether',
      'cli/a.ts',
      '/**\n * Whether a run\n * is cheap.\n */',
      'has a docstring without a noun: * Whether a run',
    ],
  ])('catch %s', (...[, file, source, expected]) => {
    expect(violationsOf(file, source)).toEqual([expected]);
  });

  it.each<[string, string, string]>([
    ['a downward import', 'simulator/report/a.ts', "import { b } from '../metrics/b.ts';"],
    [
      'a script of the page that imports another, and types of what it shows',
      'simulator/report/html/page/a.js',
      "/** @import { Plot } from '../../plots.ts' */\nimport {\n  b,\n  c,\n} from './b.js';\nexport async function d() {}",
    ],
    [
      'a script of the page that asks its server',
      'simulator/report/html/page/a.js',
      "export const look = () => fetch('/version');",
    ],
    ['an import within a room', 'simulator/report/a.ts', "import { b } from './deep/b.ts';"],
    ['a general function', 'simulator/tokens/a.ts', "import { b } from '../lib/errors.ts';"],
    ['the names of the engine', 'simulator/env.ts', "import { b } from '../engine/index.ts';"],
    ['an import within the engine', 'engine/pivot/a.ts', "import { b } from '../view.ts';"],
    [
      'a package where it belongs',
      'simulator/report/a.ts',
      "import { s } from 'csv-stringify/sync';",
    ],
    ['the process on the command line', 'cli/a.ts', 'process.exitCode = await main();'],
    ['the clock of a real model', 'simulator/summarizer/ai-sdk.ts', 'const now = Date.now();'],
    ['a recorded time', 'simulator/session/a.ts', "const time = Date.parse('2026-01-01');"],
    ['the date of a time', 'simulator/session/a.ts', 'const day = new Date(timeMs).toISOString();'],
    ['words in comments', 'engine/a.ts', '// async: see process, Date and export *\n/* fetch */'],
    ['words in texts', 'engine/a.ts', "export const text = 'await the process, it\\'s async';"],
    ['words in plain templates', 'engine/a.ts', 'export const text = `export let Date`;'],
    [
      'words in patterns',
      'engine/a.ts',
      "export const quote = /['\"]process/;\nexport const a = 'b';",
    ],
    ['properties of that name', 'engine/a.ts', 'export const x = (kind: Kind) => kind.process;'],
    ['local variables', 'engine/a.ts', 'export function f() {\n  let x = 1;\n  return x;\n}'],
  ])('allow %s', (_, file, source) => {
    expect(violationsOf(file, source)).toEqual([]);
  });
});
