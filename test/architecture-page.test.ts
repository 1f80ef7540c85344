import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  describeSource,
  readListedFiles,
  readSourceLines,
  replaceSourceLines,
} from '../scripts/architecture/source-lines.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = resolve(ROOT, 'src');
const page = readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

describe('ARCHITECTURE.md', () => {
  it('lists every file of src and none that is gone; `npm run architecture` mends it', () => {
    expect(readListedFiles(page)).toEqual(expect.arrayContaining(files));
    expect(files).toEqual(expect.arrayContaining([...readListedFiles(page)]));
  });

  it('names every room', () => {
    const rooms = readdirSync(resolve(SRC, 'simulator'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `simulator/${name}/`);
    const map = page.slice(0, page.indexOf('<!-- files'));
    for (const room of ['cli/', 'engine/', ...rooms]) expect(map).toContain(`\`${room}\``);
  });

  it('keeps what stands around the list, and its list twice the same', () => {
    const lines = readSourceLines(SRC);
    const once = replaceSourceLines(page, lines);
    expect(once.startsWith(page.slice(0, page.indexOf('<!-- files')))).toBe(true);
    expect(replaceSourceLines(once, lines)).toBe(once);
    expect(readListedFiles(once).toSorted()).toEqual(files.toSorted());
  });
});

describe('describeSource', () => {
  it.each<[string, string, string, string]>([
    [
      'the first exported docstring',
      'engine/a.ts',
      '/** Hidden. */\nconst x = 1;\n/** The one. And more. */\nexport const y = 1;\n',
      'The one.',
    ],
    [
      'the export that the file is named for',
      'engine/find-model.ts',
      '/** Options. */\nexport interface Options {}\n\n/** Finds it. */\nexport function findModel() {}\n',
      'Finds it.',
    ],
    [
      'a value before a type',
      'engine/loop.ts',
      '/** Options. */\nexport interface Options {}\n\n/** Turns it. */\nexport const turn = 1;\n',
      'Turns it.',
    ],
    [
      'a value that has the name of the file in its own',
      'engine/cut.ts',
      '/** Another. */\nexport const x = 1;\n\n/** Plans it. */\nexport function planCut() {}\n',
      'Plans it.',
    ],
    [
      'a sentence over several lines, up to its end and not to a version',
      'engine/a.ts',
      '/**\n * What 1.2.16 did, and\n * what it did not. Source: S4\n */\nexport type A = 1;\n',
      'What 1.2.16 did, and what it did not.',
    ],
    [
      'a sentence with what Markdown would take for markup',
      'engine/a.ts',
      '/** Sizes of a * b, `c*` and <d>. */\nexport type A = 1;\n',
      'Sizes of a \\* b, `c*` and \\<d>.',
    ],
    [
      'a comment inside of an interface as none of the file',
      'engine/a.ts',
      '/** The whole. */\nexport interface A {\n  /** A field. */\n  readonly b: 1;\n}\n',
      'The whole.',
    ],
    [
      'what a file says on its top of all that is in it',
      'engine/guards.ts',
      "/** Checks of all kinds. */\n\nimport { b } from './b.ts';\n\n/** None. */\nexport const NONE = b;\n",
      'Checks of all kinds.',
    ],
    [
      'a list of names',
      'engine/index.ts',
      "export { a } from './a.ts';\n",
      'The public names, one list.',
    ],
  ])('takes %s', (...[, file, source, sentence]) => {
    expect(describeSource(file, source)).toBe(sentence);
  });

  it('refuses a file that does not say what it is', () => {
    expect(() => describeSource('engine/a.ts', 'export const a = 1;\n')).toThrow(
      /in 'engine\/a.ts'/,
    );
  });
});
