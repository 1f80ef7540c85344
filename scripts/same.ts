import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { allCases, FILES } from './same/cases.ts';
import {
  compareOutputs,
  type Comparison,
  type Outputs,
  showDifference,
} from './same/differences.ts';
import { INTENDED } from './same/intended.ts';
import {
  build,
  checkOut,
  copyWorkingTree,
  idOf,
  layOut,
  publicNames,
  runCase,
  servedPage,
  type Side,
  writtenSchemas,
} from './same/side.ts';

/** A case of any kind: its name, what its results depend on, and how it is run. */
interface Task {
  readonly name: string;
  readonly id: string;
  readonly run: (side: Side) => Promise<Outputs>;
}

const ROOT = resolve(import.meta.dirname, '..');
const AT_ONCE = 2;
/** To be raised where what is read of a case changes. */
const VERSION = 2;
const USAGE = 'npm run same -- REV [--only WORD] [--list]';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, list: { type: 'boolean', default: false } },
});
const shared = findShared();
const tasks = listTasks().filter(({ name }) => name.includes(values.only));
const [revision] = positionals;
if (values.list) console.log(tasks.map(({ name }) => name).join('\n'));
else if (revision === undefined) throw new Error(USAGE);
else process.exitCode = await compareWith(revision);

/** Compares the working tree with a revision, says what differs, and gives the exit code. */
async function compareWith(rev: string): Promise<number> {
  const commit = git('rev-parse', '--verify', `${rev}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), 'same-'));
  const clean = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('SIGINT', () => {
    clean();
    process.exit(130);
  });
  try {
    const comparisons = await compareAll(commit, folder);
    return printResult(comparisons, `${rev} (${commit.slice(0, 8)})`);
  } finally {
    clean();
  }
}

async function compareAll(commit: string, folder: string): Promise<readonly Comparison[]> {
  const [before, after] = [sideIn(join(folder, 'a')), sideIn(join(folder, 'b'))];
  checkOut(commit, before.tree);
  copyWorkingTree(after.tree);
  for (const { cwd } of [before, after]) layOut(cwd, before.tree, shared);
  const cache = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'compaction-bench-same',
    commit,
  );
  const missing = tasks.filter(({ id }) => !existsSync(join(cache, id)));
  await build(after);
  if (missing.length > 0) await build(before);
  const comparisons: Comparison[] = [];
  const left = tasks.values();
  const work = async () => {
    for (const task of left) {
      const old = readCached(cache, task) ?? (await runCached(cache, task, before));
      const comparison = compareOutputs(old, await task.run(after), INTENDED);
      for (const one of comparison.differences) console.log(showDifference(one));
      comparisons.push(comparison);
      showProgress(comparisons.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return comparisons;
}

function listTasks(): readonly Task[] {
  const inputs = [VERSION, process.version, FILES, shared && sizesIn(shared)];
  const cases = allCases({ isShared: shared !== undefined }).map((commands) => ({
    name: commands[0] === '' ? '(no arguments)' : commands.join(' && '),
    id: idOf(inputs, commands),
    run: (side: Side) => runCase(side, commands),
  }));
  return [
    { name: 'public names', id: idOf(inputs, 'names'), run: publicNames },
    { name: 'schemas', id: idOf(inputs, 'schemas'), run: writtenSchemas },
    { name: 'served', id: idOf(inputs, 'served'), run: servedPage },
    ...cases,
  ];
}

/** `shared` lies beside the repository, of which this may be a worktree. */
function findShared(): string | undefined {
  const main = resolve(ROOT, git('rev-parse', '--git-common-dir'), '..');
  return [ROOT, main]
    .map((root) => resolve(root, '../shared'))
    .find((path) => existsSync(join(path, 'sessions')));
}

function sizesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${name} ${statSync(join(folder, name)).size}`);
}

function sideIn(folder: string): Side {
  return { tree: join(folder, 'tree'), cwd: join(folder, 'cwd'), home: join(folder, 'home') };
}

function readCached(cache: string, { id }: Task): Outputs | undefined {
  const file = join(cache, id);
  return existsSync(file) ? JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) : undefined;
}

async function runCached(cache: string, task: Task, side: Side): Promise<Outputs> {
  const outputs = await task.run(side);
  mkdirSync(cache, { recursive: true });
  const file = join(cache, task.id);
  writeFileSync(`${file}.${process.pid}`, gzipSync(JSON.stringify(outputs), { level: 1 }));
  renameSync(`${file}.${process.pid}`, file);
  return outputs;
}

function showProgress(done: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${tasks.length}`);
}

function printResult(comparisons: readonly Comparison[], rev: string): number {
  const differences = comparisons.flatMap((one) => one.differences);
  const met = comparisons.flatMap((one) => one.met);
  for (const reason of new Set(met.map((one) => one.reason))) {
    const outputs = met.filter((one) => one.reason === reason);
    console.log(`intended, in ${outputs.length} outputs as in "${outputs[0]?.output}": ${reason}`);
  }
  const result =
    differences.length === 0 ? 'no difference' : `${differences.length} outputs differ`;
  console.log(`${result} from ${rev} in ${comparisons.length} cases`);
  return differences.length === 0 ? 0 : 1;
}

function git(...argv: readonly string[]): string {
  return execFileSync('git', argv, { cwd: ROOT, encoding: 'utf8' }).trim();
}
