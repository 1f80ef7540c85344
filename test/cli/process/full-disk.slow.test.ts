import type * as FileSystem from 'node:fs';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { writeFile } from '../../support/session-files.ts';

/** A disk that takes everything but in files of some names, and at once or in pieces. */
const disk = vi.hoisted(() => ({ refuses: (_path: string): boolean => false, isTight: false }));

function check(path: unknown): void {
  if (!disk.refuses(String(path))) return;
  const fault = { code: 'ENOSPC', syscall: 'write' };
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), fault);
}

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof FileSystem>();
  const paths = new Map<number, string>();
  const changed = {
    openSync: (path: string, ...rest: readonly unknown[]) => {
      const descriptor: number = Reflect.apply(real.openSync, real, [path, ...rest]);
      paths.set(descriptor, path);
      return descriptor;
    },
    writeSync: (descriptor: number, content: Uint8Array | string, ...rest: readonly unknown[]) => {
      check(paths.get(descriptor));
      if (!disk.isTight) return Reflect.apply(real.writeSync, real, [descriptor, content, ...rest]);
      const [start = 0] = rest as readonly number[];
      const bytes = Buffer.from(content as string).subarray(start);
      return real.writeSync(descriptor, bytes, 0, Math.ceil(bytes.length / 2));
    },
    appendFileSync: (path: string, ...rest: readonly unknown[]) => {
      check(path);
      Reflect.apply(real.appendFileSync, real, [path, ...rest]);
    },
    renameSync: (from: string, to: string) => {
      check(to);
      real.renameSync(from, to);
    },
  };
  return { ...real, ...changed, default: { ...real, ...changed } };
});

const { sessions, live, newFolder } = createChatSweeps();
const KEPT = 'What is finished is kept: the same command goes on from there.\n';
const saidOf = (path: string) => `Expected to write '${path}', got a full disk.\n`;
const rowsIn = (folder: string) => readFileSync(join(folder, 'results.jsonl'), 'utf8');

describe('a disk that is full', () => {
  const whole = newFolder();
  beforeAll(async () => {
    await sweep([...live, '--out', whole]);
  });
  afterEach(() => {
    disk.refuses = () => false;
    disk.isTight = false;
  });

  it('leaves no half of what it takes in pieces', async () => {
    const [atOnce, pieces] = ['at-once', 'pieces'].map((name) => `${newFolder()}-${name}.jsonl`);
    await call(['run', sessions, '--events', atOnce!]);
    disk.isTight = true;
    expect((await call(['run', sessions, '--events', pieces!])).code).toBe(EXIT.done);
    expect(readFileSync(pieces!, 'utf8')).toBe(readFileSync(atOnce!, 'utf8'));
  });

  it.each([
    ['an import', ['sessions', 'import', sessions]],
    ['what generates sessions', ['sessions', 'generate', 'codex', '--sessions', '1']],
  ])('is told of by %s', async (_, argv) => {
    const out = newFolder();
    disk.refuses = (path) => path.startsWith(out);
    const { code, stderr } = await call([...argv, '--out', out]);
    expect(code).toBe(EXIT.failed);
    expect(stderr).toMatch(/^Expected to write '.*\.jsonl', got a full disk\.\n$/);
    expect(stderr).toContain(out);
    expect(readdirSync(out)).toEqual([]);
  });

  it('keeps the rows that it has, with which the same command goes on', async () => {
    const out = newFolder();
    let left = 3;
    disk.refuses = (path) => path.endsWith('results.jsonl') && left-- <= 0;
    const { code, stderr } = await sweep([...live, '--out', out]);
    expect({ code, rows: rowsIn(out).split('\n').length - 1 }).toEqual({
      code: EXIT.failed,
      rows: 3,
    });
    expect(stderr).toContain(`${KEPT}${saidOf(join(out, 'results.jsonl'))}`);
    disk.refuses = () => false;
    expect((await sweep([...live, '--out', out])).code).toBe(EXIT.done);
    expect(rowsIn(out)).toBe(rowsIn(whole));
  });

  it('keeps rows that cannot be put in their order', async () => {
    const out = newFolder();
    await sweep([...live, '--out', out]);
    const lines = rowsIn(out).trimEnd().split('\n');
    writeFileSync(join(out, 'results.jsonl'), `${lines.toReversed().join('\n')}\n`);
    disk.refuses = (path) => path === join(out, 'results.jsonl');
    const { code, stderr } = await sweep([...live, '--out', out]);
    expect(code).toBe(EXIT.failed);
    expect(stderr).toContain(`${KEPT}${saidOf(join(out, 'results.jsonl'))}`);
    expect(rowsIn(out).split('\n')).toHaveLength(lines.length + 1);
  });

  it.each([
    ['merge', 'sweep.json'],
    ['merge', 'results.jsonl'],
    ['sweep', 'sweep.json'],
    ['sweep', 'results.jsonl'],
  ])('leaves no folder of a %s that cannot write %s', async (command, name) => {
    const out = join(newFolder(), 'out');
    const argv = command === 'merge' ? ['sweep', 'merge', whole] : ['sweep', ...live];
    disk.refuses = (path) => path === join(out, name);
    const { code, stderr } = await call([...argv, '--out', out]);
    expect(code).toBe(EXIT.failed);
    expect(stderr).toContain(saidOf(join(out, name)));
    expect(existsSync(out)).toBe(false);
  });

  it.each(['parquet', 'csv', 'jsonl'])('is told of by an export as %s', async (format) => {
    const out = `${newFolder()}.${format}`;
    disk.refuses = (path) => path === out;
    const { code, stdout, stderr } = await call(['sweep', 'export', whole, '--out', out]);
    expect({ code, stdout }).toEqual({ code: EXIT.failed, stdout: '' });
    expect(stderr).toBe(saidOf(out));
    expect(existsSync(out)).toBe(false);
  });

  it('is told of by a comparison of summarizers, which goes on from the rows that it kept', async () => {
    const rows = `${newFolder()}.jsonl`;
    const argv = ['summarizers', sessions, '--summarizers', 'lead,tail', '--rows', rows];
    let left = 3;
    disk.refuses = (path) => path === rows && left-- <= 0;
    const { code, stdout, stderr } = await call(argv);
    expect({ code, stdout }).toEqual({ code: EXIT.failed, stdout: '' });
    expect(stderr).toBe(saidOf(rows));
    const kept = readFileSync(rows, 'utf8');
    expect(kept.match(/\n/g)).toHaveLength(3);
    disk.refuses = () => false;
    expect((await call(argv)).code).toBe(EXIT.done);
    expect(readFileSync(rows, 'utf8').startsWith(kept)).toBe(true);
  });

  it.each(['one.json', 'baseline.json'])(
    'is told of by a check that writes %s of a baseline',
    async (name) => {
      const folder = newFolder();
      const scenario = writeFile(folder, 'scenarios/one.yaml', sampleText());
      const baseline = join(folder, 'baseline');
      disk.refuses = (path) => path === join(baseline, name);
      const argv = ['check', scenario, '--baseline', baseline, '--bless', '--reason', 'it is new'];
      const { code, stdout, stderr } = await call(argv);
      expect({ code, stdout }).toEqual({ code: EXIT.failed, stdout: '' });
      expect(stderr).toBe(saidOf(join(baseline, name)));
      expect(existsSync(join(baseline, 'baseline.json'))).toBe(false);
    },
  );
});
