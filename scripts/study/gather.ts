/** What a study is made of: reports and sweeps by the program's own commands, kept in a folder and asked for once. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { EXIT } from '../../src/cli/process/io.ts';
import type { poolRereads, SessionFidelity } from '../../src/simulator/metrics/fidelity.ts';
import { readHeader } from '../../src/simulator/sweep/store/header.ts';
import { readRows, type ResultRow } from '../../src/simulator/sweep/store/read-rows.ts';

/** The rows of a sweep by their arms, with what is known of its sessions. */
export interface Swept {
  readonly command: string;
  readonly rows: readonly (ResultRow & { readonly arm: string })[];
  readonly sessions: ReturnType<typeof readHeader>['sessions'];
}

/** The parts of `sessions validate` that count here. */
interface Validated {
  readonly sessions: readonly (SessionFidelity & { readonly file: string })[];
  readonly rereads: ReturnType<typeof poolRereads>;
}

const ROOT = resolve(import.meta.dirname, '../..');
const ENDED: readonly (number | null)[] = [EXIT.done, EXIT.failed, EXIT.inconclusive];

/** Runs commands on folders of recordings. Their texts stay where they are; the folder `work` keeps numbers. */
export function createGatherer(paths: readonly string[], work: string) {
  mkdirSync(work, { recursive: true });
  const placed = (arg: string) => (paths.includes(arg) ? `REC/${basename(arg)}` : arg);
  const once = (args: readonly string[], name: string, out: string) => {
    const words = args.map(placed).map((arg) => (/^[\w./=,-]+$/.test(arg) ? arg : `'${arg}'`));
    const command = `npx compaction-bench ${words.join(' ')}`;
    const mark = join(work, `${name}.command`);
    if (existsSync(mark) && readFileSync(mark, 'utf8') === command) return command;
    run([...args, '--out', out]);
    writeFileSync(mark, command);
    return command;
  };
  return {
    /** What is worked out once, and read from its file after that. */
    keep: async <Value>(name: string, make: () => Promise<Value>): Promise<Value> => {
      const file = join(work, name);
      if (!existsSync(file)) writeFileSync(file, JSON.stringify(await make()));
      return JSON.parse(readFileSync(file, 'utf8'));
    },
    /** How recorded compactions are predicted, and what is read again after them. */
    validate: (): Validated & { readonly command: string } => {
      const file = join(work, 'validate.json');
      const args = ['sessions', 'validate', ...paths, '--format', 'json'];
      const command = once(args, 'validate', file);
      return { command, ...JSON.parse(readFileSync(file, 'utf8')) };
    },
    /** A sweep of some folders, which goes on where it was broken off. */
    sweep: (name: string, options: readonly string[], folders: readonly string[]): Swept => {
      const folder = join(work, name);
      const command = once(['sweep', ...folders, ...options], name, folder);
      const header = readHeader(folder);
      const rows = [...readRows({ folder, header })];
      const named = rows.map((row) => ({ ...row, arm: nameOf(row, header) }));
      return { command, rows: named, sessions: header.sessions };
    },
  };
}

/** A policy with what varies in it; what holds for all arms of a sweep is not named. */
function nameOf({ policy, settings }: ResultRow, { axes }: ReturnType<typeof readHeader>): string {
  const varied = axes.filter(({ values }) => values.length > 1).map(({ key }) => key);
  const shown = Object.entries(settings).filter(([key]) => varied.some((one) => one === key));
  return [policy, ...shown.map(([key, value]) => `${key}=${value}`)].join(' ');
}

/** The number of files in a folder, and the SHA-256 of a list of theirs. */
export function digestOf(folder: string) {
  const list = 'find . -type f | LC_ALL=C sort';
  const print = (line: string) => spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' });
  const files = Number(print(`${list} | wc -l`).stdout);
  return { files, sha256: print(`${list} | xargs sha256sum | sha256sum`).stdout.slice(0, 64) };
}

function run(args: readonly string[]): void {
  const program = ['--import', 'tsx', join(ROOT, 'src/cli/main.ts'), ...args];
  const { status } = spawnSync(process.execPath, program, {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (!ENDED.includes(status)) throw new Error(`Expected ${args[0]} to end, got ${status}.`);
}
