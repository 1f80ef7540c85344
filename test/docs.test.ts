import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawSession } from '../scripts/picture/session-picture.ts';
import { commands as programCommands } from '../src/cli/commands.ts';
import { buildPackage, type BuiltPackage } from './support/built-package.ts';
import {
  type Block,
  readBlocks,
  readCommands,
  replaceOutputs,
  type ShownCommand,
} from './support/markdown-blocks.ts';
import { makeHome, writeOwnFiles } from './support/home.ts';
import { createFolder } from './support/session-files.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** What `.ci/run` runs instead. */
const SET_UP = ['npm ci && npm run build'];
/** `npm run docs` writes what the commands print into the pages, instead of comparing. */
const WRITES = process.env['COMPACTION_BENCH_WRITE_DOCS'] === '1';
const README_BYTES = 9_000;
const SENTENCE_WORDS = 25;
const ANSWER_SENTENCES = 3;
/** As for other slow tests: a busy machine takes many times as long as another one. */
const TIMEOUT_MS = 1_800_000;
const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((file) => `docs/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.md'));
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  ...docs.toSorted(),
];
const texts = new Map(pages.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]));
const readme = texts.get('README.md') ?? '';
const study = texts.get('docs/reference/study.md') ?? '';
/** The pages that answer a user's question; the others are about the source. */
const userPages = ['README.md', ...docs.filter((page) => !page.startsWith('docs/decisions/'))];
const blocks = [...texts].flatMap(([page, text]) => readBlocks(page, text));
const shown = blocks.filter(({ language }) => language === 'sh').flatMap(readCommands);
const commands = shown.filter(({ command }) => !SET_UP.includes(command));
const commandsOf = (page: string) => commands.filter(({ block }) => block.page === page);
const snippets = blocks.filter(({ language }) => language === 'ts');

/** Files that pages show: their first line names them. */
const shownFiles = blocks.flatMap(({ text }) => {
  const [, name] = /^# ([\w-]+\.yaml)\n/.exec(text) ?? [];
  return name === undefined ? [] : [{ name, text }];
});

/** The outputs to write, by block. */
const printedBy = new Map<Block, string>();
const bench: { built?: BuiltPackage } = {};
beforeAll(() => {
  const built = buildPackage();
  for (const { name, text } of shownFiles) writeFileSync(join(built.folder, name), text);
  bench.built = built;
}, TIMEOUT_MS);
afterAll(() => {
  writePages();
  bench.built?.remove();
});

/** Tests if a text has a figure that is no part of a longer one. */
function standsIn(text: string, figure: string): boolean {
  const places = text.split(figure);
  return places.slice(1).some((after, index) => {
    const before = places[index] ?? '';
    return !/[\d.,$]$/.test(before) && !/^(?:[.,]?\d)/.test(after);
  });
}

/** Runs a line as somebody does who has no sessions of an agent. */
function runLine(line: string) {
  const built = bench.built!;
  return built.runShell(line, { env: { HOME: built.folder } });
}

/** The output to expect: what the page shows, or, where it shows nothing or is written, what came. */
function expectedOutput(block: Block, printed: string): string {
  if (block.output === undefined) return printed;
  if (WRITES) printedBy.set(block, printed);
  return WRITES ? printed : block.output;
}

function writePages(): void {
  for (const [page, text] of texts) {
    const written = replaceOutputs(
      text,
      blocks.filter((block) => block.page === page),
      printedBy,
    );
    if (written !== text) writeFileSync(join(ROOT, page), written);
  }
}

/** How a command ended, and how the page has it. */
async function runShown({ command, code, block, isLast }: ShownCommand) {
  const ended = await runLine(command);
  const printed = ended.stdout + ended.stderr;
  const expected = { code, printed: isLast ? expectedOutput(block, printed) : printed };
  return { ended: { code: ended.code, printed }, expected };
}

describe('what the README tells a reader to run, in its order', () => {
  const findings = readme.split(/^###? /m);

  it.sequential.each(commandsOf('README.md').map((one) => [one.command, one] as const))(
    '%s',
    async (command, shownCommand) => {
      const { ended, expected } = await runShown(shownCommand);
      expect(ended).toEqual(expected);
      // A finding's figures are bold.
      const told = findings.find((finding) => finding.includes(`\n${command}\n`)) ?? '';
      const figures = [...told.matchAll(/\*\*(.+?)\*\*/g)].map(([, figure]) => figure ?? '');
      const plain = ended.printed.replaceAll(/\s+/g, ' ');
      expect(figures.filter((figure) => !standsIn(plain, figure))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('what the other pages tell a reader to run', () => {
  const others = pages.filter((page) => page !== 'README.md').flatMap(commandsOf);

  it.concurrent.each(others.map((one) => [one.command, one] as const))(
    '%s',
    async (_, shownCommand) => {
      const { ended, expected } = await runShown(shownCommand);
      expect(ended).toEqual(expected);
    },
    TIMEOUT_MS,
  );

  it.concurrent.each(snippets.map((one) => [one.page, one.line, one] as const))(
    'runs the program in %s, line %s',
    async (page, line, block) => {
      const name = `${page.replaceAll(/\W/g, '-')}-${line}`;
      const ended = await bench.built!.runTypeScript(name, block.text);
      expect(ended).toEqual({ code: 0, stdout: expectedOutput(block, ended.stdout), stderr: '' });
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
    async (_, block) => {
      const ended = await runLine(`set -e; cd ${folder}\n${block.text}`);
      const code = Number(/# exit code (\d+)\s*$/.exec(block.text)?.[1] ?? 0);
      const printed = ended.stdout + ended.stderr;
      const expected = expectedOutput(block, printed);
      expect({ code: ended.code, printed }).toEqual({ code, printed: expected });
    },
    TIMEOUT_MS,
  );
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('what the pages tell a reader to run on what they have themselves', () => {
  const withOwnTests = ['docs/ci.md', 'docs/reference/events.md'];
  const own = blocks
    .filter(({ page, language }) => language === 'bash' && !withOwnTests.includes(page))
    .flatMap(readCommands);
  const runs = own.filter(({ command }) => command.startsWith('npx compaction-bench '));
  const folder = createFolder();
  const home = makeHome();
  writeOwnFiles(folder, {
    'compact.py': textBelow('docs/adapter.md', 'python'),
    'facts.yaml': textBelow('docs/summarizers.md', 'yaml'),
    'script.yaml': textBelow('docs/reference/oracle.md', 'yaml'),
  });

  const possible = runs.filter(({ command }) => hasPython || !command.includes('python3'));
  it.concurrent.each(possible.map((one) => [one.block.page, one.command, one] as const))(
    '%s: %s',
    async (_, command, { code }) => {
      const isServer = command.includes('compaction-bench provider ');
      // A server never ends: it is stopped when it has said where it listens.
      const line = isServer
        ? `${command} > said 2>&1 & until [ -s said ]; do sleep 0.2; done; kill $!; cat said`
        : command;
      const ended = await bench.built!.runShell(line, { folder, env: { HOME: home } });
      expect({ code: ended.code, ended }).toMatchObject({ code });
      expect(ended.stdout + ended.stderr).not.toBe('');
    },
    TIMEOUT_MS,
  );

  it('are all but those that need agents from a registry, or one of the reader', () => {
    const others = own.filter((one) => !runs.includes(one)).map(({ command }) => command);
    expect(
      others.filter((command) => !/^npm run (?:oracle|conformance) |your-agent/.test(command)),
    ).toEqual([]);
    expect(runs.length).toBeGreaterThan(8);
  });
});

/** The first block of a page in a language. */
function textBelow(page: string, language: string): string {
  return blocks.find((block) => block.page === page && block.language === language)?.text ?? '';
}

const hasJq = spawnSync('jq', ['--version']).status === 0;

describe.skipIf(!hasJq)('the queries of docs/reference/events.md (skipped without jq)', () => {
  const queries = blocks.filter(
    ({ page, language }) => page === 'docs/reference/events.md' && language === 'bash',
  );

  it('are several', () => {
    expect(queries.length).toBeGreaterThan(2);
  });

  it.sequential.each(queries.map((block) => [block.line, block] as const))(
    'give what the page shows below line %s',
    async (_, block) => {
      const { code, stdout } = await runLine(`set -e\n${block.text}`);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expectedOutput(block, stdout) });
    },
    TIMEOUT_MS,
  );
});

describe('the README', () => {
  it('is short', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(README_BYTES);
  });

  it('has exactly one command to set up', () => {
    expect(shown.slice(0, SET_UP.length).map(({ command }) => command)).toEqual(SET_UP);
  });

  it('asks only for this package', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(snippets.length).toBeGreaterThan(1);
    const others = commands.filter(({ command }) => !/^npx compaction-bench\b/.test(command));
    expect(others).toEqual([]);
  });

  it('has findings, with figures of docs/reference/study.md or of their own command', () => {
    const section = readme.slice(readme.indexOf('## Findings'), readme.indexOf('## Tune'));
    const findings = section.split(/^### /m).slice(1);
    expect(findings.length).toBeGreaterThan(3);
    const wrong = findings.flatMap((finding) => {
      const figures = [...finding.matchAll(/\*\*(.+?)\*\*/g)].map(([, figure]) => figure ?? '');
      if (figures.length === 0) return [finding];
      const isRun = finding.includes('```sh\n');
      return isRun ? [] : figures.filter((figure) => !standsIn(study, figure));
    });
    expect(wrong).toEqual([]);
  });

  it('names two prices below the picture, which stand in it', () => {
    const caption = /\/run\.svg\)\n\n_(.+)_\n/.exec(readme)?.[1] ?? '';
    const prices = caption.match(/\$[\d.]+\d/g) ?? [];
    const picture = readFileSync(join(ROOT, 'docs/images/run.svg'), 'utf8');
    expect(prices.length).toBe(2);
    expect(prices.filter((price) => !picture.includes(price))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  it('has every command', () => {
    const page = texts.get('docs/README.md') ?? '';
    const missing = Object.keys(programCommands).filter((name) => !page.includes(`\`${name}`));
    expect(missing).toEqual([]);
  });

  it('has every page', () => {
    const page = texts.get('docs/README.md') ?? '';
    const others = userPages.filter((one) => one.startsWith('docs/') && one !== 'docs/README.md');
    // Those of single agents stand in a table of their own, which their test holds.
    const listed = others.filter((one) => !one.startsWith('docs/reference/agents/'));
    const missing = listed.filter((one) => !page.includes(`](${one.slice('docs/'.length)}`));
    expect(missing).toEqual([]);
  });
});

describe('the language of the pages', () => {
  it.each(userPages)('%s begins with its answer, in at most three sentences', (page) => {
    const answer = /^# .+\n\n(.+(?:\n.+)*)/.exec(texts.get(page) ?? '')?.[1] ?? '';
    const sentences = sentencesOf(answer);
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.length).toBeLessThanOrEqual(ANSWER_SENTENCES);
    expect(sentences.filter(isLong)).toEqual([]);
  });

  it('is that of short sentences in the README', () => {
    const prose = readme.replaceAll(/^```[^]*?^```$/gm, '').split(/\n\n|\n(?=- |#)/);
    expect(prose.flatMap(sentencesOf).filter(isLong)).toEqual([]);
  });
});

function sentencesOf(paragraph: string): readonly string[] {
  const plain = paragraph.replaceAll(/!?\[(.+?)\]\(.+?\)/gs, '$1').replaceAll(/\s+/g, ' ');
  return plain.split(/(?<=[.?!:])\s+(?=[A-Z`"*_[])/).filter((sentence) => sentence !== '');
}

function isLong(sentence: string): boolean {
  return sentence.split(/\s+/).length > SENTENCE_WORDS;
}

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
    'is the session as it is replayed; `npm run capture` mends it',
    async () => {
      const picture = readFileSync(join(ROOT, 'docs/images/run.svg'), 'utf8');
      expect(picture).toBe(await drawSession());
    },
    TIMEOUT_MS,
  );
});
