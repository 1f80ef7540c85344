import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkOutPath, EXIT, writeReport } from '../../../src/cli/process/io.ts';
import { captureIo } from '../../support/captured-io.ts';
import { callMain, words } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

describe('writeReport', () => {
  it('puts the report on standard output, and nothing else', () => {
    const io = captureIo();
    expect(writeReport(io, 'report\n')).toBe(true);
    expect(io.written).toEqual({ stdout: 'report\n', stderr: '' });
  });

  it('says so when a report cannot become its file, and leaves nothing', () => {
    const io = captureIo();
    const folder = createFolder();
    const path = join(folder, 'taken');
    mkdirSync(path);
    expect(writeReport(io, 'report\n', path)).toBe(false);
    expect(io.written.stdout).toBe('');
    expect(io.written.stderr).toMatch(/^Expected to write '.*taken', got a folder\.\n$/);
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});

describe('checkOutPath', () => {
  it.each([
    ['nothing', '', 'nothing'],
    ['a dash, which elsewhere is standard output', '-', "'-', which names none; './-' does"],
    ['a folder', createFolder(), 'which is not one'],
  ])('refuses %s', (_, path, got) => {
    expect(() => checkOutPath(path)).toThrow("Expected '--out' to be a writable file, got ");
    expect(() => checkOutPath(path)).toThrow(got);
  });

  it.each([undefined, './-', '-.json'])('takes %j', (path) => {
    expect(() => checkOutPath(path)).not.toThrow();
  });
});

const folder = createFolder();
const sessions = join(folder, 'sessions');
mkdirSync(sessions);
const session = writeFile(sessions, 'one.json', chatOf(6, 400));
const config = writeFile(folder, 'opencode.json', '{ "compaction": { "prune": true } }');
const catalog = writeFile(folder, 'catalog.json', '{}');
const sweep = join(folder, 'swept');
const VARIED = ['--vary', 'protect=1k,2k'];

/** Commands that read sessions and write a report, but for where. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  run: ['run', sessions],
  stats: ['sessions', 'stats', sessions],
  compare: ['compare', 'none', 'opencode-1.2.16', sessions],
  tune: ['tune', sessions, ...VARIED],
  whatif: ['whatif', session],
  summarizers: ['summarizers', sessions, '--summarizers', 'extractive,tail'],
  minimize: ['check', 'minimize', session, '--policy', 'none', '--expect', 'compactions > 3'],
  validate: ['sessions', 'validate', sessions],
};

/** What a command came to that is to write over a file, and whether that still is what it was. */
async function tryOver(file: string, argv: readonly string[]) {
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await callMain(argv);
  return { code, stderr, isKept: readFileSync(file, 'utf8') === before };
}

const refused = (why: RegExp) => ({
  code: EXIT.wrongUse,
  stderr: expect.stringMatching(why),
  isKept: true,
});
const IS_INPUT = refused(/which is an input/);

describe('a report', () => {
  beforeAll(async () => {
    await callMain(['sweep', sessions, ...VARIED, '--out', sweep]);
  });

  it.each(Object.entries(COMMANDS))(
    'of %s takes the place of no session that it is of',
    async (name, argv) => {
      const format = name === 'minimize' ? [] : ['--format', 'json'];
      expect(await tryOver(session, [...argv, ...format, '--out', session])).toEqual(IS_INPUT);
    },
  );

  it.each(['run', 'compare', 'tune', 'whatif', 'summarizers'])(
    'of %s takes the place of no configuration',
    async (name) => {
      const options = ['--config', config, '--out', config, '--format', 'json'];
      const argv = [...(COMMANDS[name] ?? []), ...options];
      expect(await tryOver(config, argv)).toEqual(IS_INPUT);
    },
  );

  it('of minimize takes the place of no catalog', async () => {
    const argv = [...(COMMANDS['minimize'] ?? []), '--catalog', catalog, '--out', catalog];
    expect(await tryOver(catalog, argv)).toEqual(IS_INPUT);
  });

  it('of generated sessions takes the place of none that they are like', async () => {
    const argv = words(`sessions generate --fit ${sessions} --sessions 1 --report ${session}`);
    expect(await tryOver(session, argv)).toEqual(refused(/'--report'.*which is an input/));
  });

  it('takes the place of nothing that a sweep is made of, whatever it is of', async () => {
    for (const name of ['sweep.json', 'results.jsonl']) {
      const file = join(sweep, name);
      const out = ['--out', file, '--format', 'json'];
      for (const argv of [
        ['report', sweep, ...out],
        ['compare', sweep, sweep, ...out],
        ['sweep', 'export', sweep, '--out', file, '--format', 'jsonl'],
        ['run', sessions, ...out],
        ['run', sessions, '--events', file],
      ]) {
        expect(await tryOver(file, argv)).toEqual(refused(/which holds a sweep/));
      }
    }
  });

  it('may lie beside a sweep', async () => {
    const { code } = await callMain(['report', sweep, '--out', join(sweep, 'page.html')]);
    expect(code).toBe(EXIT.done);
  });
});
