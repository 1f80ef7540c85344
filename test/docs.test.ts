import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureFirstRun } from '../scripts/capture/capture.ts';
import { FIRST_RUN_COMMAND } from '../scripts/first-run.ts';
import { buildPackage, type BuiltPackage } from './support/built-package.ts';
import { readBlocks, readCommands } from './support/markdown-blocks.ts';
import { createFolder } from './support/session-files.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** What `.ci/run` runs instead. */
const SET_UP = ['npm ci && npm start', 'npm ci && npm test'];
/** As for other slow tests: a busy machine takes many times as long as another one. */
const TIMEOUT_MS = 300_000;

const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((file) => `docs/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.md'));
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...docs.toSorted(),
];
const texts = new Map(pages.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]));
const readme = texts.get('README.md') ?? '';

const blocks = [...texts].flatMap(([page, text]) => readBlocks(page, text));
const shown = blocks.filter(({ language }) => language === 'sh').flatMap(readCommands);
const commands = shown.filter(({ command }) => !SET_UP.includes(command));
const snippets = blocks.filter(({ language }) => language === 'ts');

/** Files that pages show: their first line names them. */
const shownFiles = blocks.flatMap(({ text }) => {
  const [, name] = /^# ([\w-]+\.yaml)\n/.exec(text) ?? [];
  return name === undefined ? [] : [{ name, text }];
});

const bench: { built?: BuiltPackage } = {};
beforeAll(() => {
  const built = buildPackage();
  for (const { name, text } of shownFiles) writeFileSync(join(built.folder, name), text);
  bench.built = built;
}, TIMEOUT_MS);
afterAll(() => bench.built?.remove());

describe('what the pages tell a reader to run', () => {
  it.concurrent.each(commands.map((one) => [one.command, one] as const))(
    '%s',
    async (command, { code, output }) => {
      const ended = await bench.built!.runShell(command);
      const printed = ended.stdout + ended.stderr;
      expect({ code: ended.code, printed }).toEqual({ code, printed: output ?? printed });
    },
    TIMEOUT_MS,
  );

  it.concurrent.each(snippets.map((one) => [one.page, one.line, one] as const))(
    'runs the program in %s, line %s',
    async (page, line, { text, output }) => {
      const name = `${page.replaceAll(/\W/g, '-')}-${line}`;
      const ended = await bench.built!.runTypeScript(name, text);
      expect(ended).toEqual({ code: 0, stdout: output ?? '', stderr: '' });
    },
    TIMEOUT_MS,
  );
});

describe('examples/agent-loop.ts', () => {
  it(
    'finds the package by its name, as with somebody who installed it',
    async () => {
      const { folder } = bench.built!;
      cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
      const main = `import { runAgent } from './examples/agent-loop.ts';
import { createFakeModel } from './examples/fake-model.ts';
const { reason } = await runAgent('Read all files.', createFakeModel(30, 20_000));
console.log(reason);
`;
      writeFileSync(join(folder, 'main.ts'), main);
      const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
      const ended = await bench.built!.runShell(`'${process.execPath}' '${tsx}' main.ts`);
      expect(ended).toEqual({ code: 0, stdout: 'finished\n', stderr: '' });
    },
    TIMEOUT_MS,
  );
});

describe('the walk of docs/ci.md', () => {
  const folder = createFolder();
  const walk = blocks.filter(({ page, language }) => page === 'docs/ci.md' && language === 'bash');

  it('has several steps', () => {
    expect(walk.length).toBeGreaterThan(3);
  });

  it.sequential.each(walk.map((block) => [block.line, block] as const))(
    'goes on from an empty folder in line %s',
    async (_, { text, output }) => {
      const ended = await bench.built!.runShell(`set -e; cd ${folder}\n${text}`);
      const code = Number(/# exit code (\d+)\s*$/.exec(text)?.[1] ?? 0);
      const printed = ended.stdout + ended.stderr;
      expect({ code: ended.code, printed }).toEqual({ code, printed: output ?? printed });
    },
    TIMEOUT_MS,
  );
});

const hasJq = spawnSync('jq', ['--version']).status === 0;

describe.skipIf(!hasJq)('the queries of docs/events.md (skipped without jq)', () => {
  const queries = blocks.filter(
    ({ page, language }) => page === 'docs/events.md' && language === 'bash',
  );

  it('are several', () => {
    expect(queries.length).toBeGreaterThan(2);
  });

  it.sequential.each(queries.map((block) => [block.line, block] as const))(
    'give what the page shows below line %s',
    async (_, { text, output }) => {
      const { code, stdout } = await bench.built!.runShell(`set -e\n${text}`);
      expect({ code, stdout }).toEqual({ code: 0, stdout: output ?? stdout });
    },
    TIMEOUT_MS,
  );
});

describe('the README', () => {
  it('has exactly two commands to set up', () => {
    expect(shown.slice(0, SET_UP.length).map(({ command }) => command)).toEqual(SET_UP);
  });

  it('shows commands and programs, so that the tests above are some', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(snippets.length).toBeGreaterThan(1);
  });

  it('asks only for this package', () => {
    expect(commands.filter(({ command }) => !command.startsWith('npx compaction-bench '))).toEqual(
      [],
    );
  });

  it('explains the picture with numbers that stand in it', () => {
    const start = readme.indexOf('## Reading the picture');
    const section = readme.slice(start, readme.indexOf('\n## ', start + 1));
    const numbers = section.match(/\d{1,3}(?:,\d{3})+/g) ?? [];
    const picture = readFileSync(join(ROOT, 'docs/images/run.svg'), 'utf8').replaceAll(',', '');
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers.filter((number) => !picture.includes(number.replaceAll(',', '')))).toEqual([]);
  });
});

describe('the pages', () => {
  it.each(pages)('%s names only files that are there', (page) => {
    const text = texts.get(page) ?? '';
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(
      ([, path]) => path ?? '',
    );
    const paths = [
      ...text.matchAll(/`((?:src|test|scripts|docs|scenarios)\/[\w./-]+|[A-Z]+\.md)`/g),
    ];
    const linked = links.map((path) => join(ROOT, dirname(page), path));
    const named = [...linked, ...paths.map(([, path]) => join(ROOT, path ?? ''))];
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it.each(pages)('%s links only to headings that are there', (page) => {
    const links = [...(texts.get(page) ?? '').matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const targets = links.map(([, path, anchor]) => ({
      path: path === '' ? page : join(dirname(page), path ?? ''),
      anchor: anchor ?? '',
    }));
    expect(targets.filter((target) => !isThere(target))).toEqual([]);
  });
});

interface Target {
  readonly path: string;
  readonly anchor: string;
}

function isThere({ path, anchor }: Target): boolean {
  return anchorsOf(readFileSync(join(ROOT, path), 'utf8')).includes(anchor);
}

/** What links to the headings of a page are called, as GitHub has it. */
function anchorsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the picture', () => {
  it(
    'is what the first run prints; `npm run capture` mends it',
    async () => {
      const picture = readFileSync(join(ROOT, 'docs/images/run.svg'), 'utf8');
      expect(picture).toBe(await captureFirstRun());
      expect(picture).toContain(`<title>Output of ${FIRST_RUN_COMMAND}</title>`);
    },
    TIMEOUT_MS,
  );
});

describe('the table of protect windows', () => {
  it(
    'has the numbers that scripts/protect-window.ts prints',
    () => {
      const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
      const printed = execFileSync(process.execPath, [tsx, 'scripts/protect-window.ts'], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      const rows = printed.trim().split('\n').slice(1).map(numbersIn);
      const page = texts.get('docs/tuning.md') ?? '';
      const shownRows = page.split('\n').filter((line) => /^\|.*\$/.test(line));
      expect(rows.length).toBeGreaterThan(1);
      expect(shownRows.map(numbersIn)).toEqual(rows.map((row) => row.slice(0, -1)));
    },
    TIMEOUT_MS,
  );
});

function numbersIn(line: string): readonly number[] {
  return [...line.matchAll(/[\d.,]+/g)].map(([digits]) => Number(digits.replaceAll(',', '')));
}
