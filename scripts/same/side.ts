import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { type Case, FILES } from './cases.ts';
import type { Outputs } from './differences.ts';

/** A built revision, and the folder in which its commands run. */
export interface Side {
  /** The root of the package. */
  readonly tree: string;
  /** Where its commands run. */
  readonly cwd: string;
  readonly home: string;
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** A file that is piped in. */
  readonly input?: string | undefined;
}

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: string;
}

/** The fields of the package that are relied on: its build may lie anywhere. */
const PackageJson = z.looseObject({
  bin: z.object({ 'compaction-bench': z.string() }),
  exports: z.record(
    z.string(),
    z.union([z.string(), z.object({ types: z.string(), default: z.string() })]),
  ),
});

const ROOT = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 600_000;
const ID_LENGTH = 8;
/** Inputs of the cases, as the compared revision has them, by their names in the folder of the commands. */
const INPUTS = {
  scenarios: 'scenarios',
  baseline: 'reports/baseline',
  fixtures: 'test/fixtures',
  cassettes: 'cassettes',
};
/** Parts of `shared` that are read, where it is present. */
const SHARED_PARTS = ['sessions', 'inputs'];
/** Is printed now and then, by the clock. */
const PROGRESS = /^\d+\/\d+.*\n/gm;
const PORT = /http:\/\/127\.0\.0\.1:\d+\//g;
/** Tells the browser when the files last changed. */
const TAG = / data-tag="\w+"/;
const LISTED = /^export (?:type )?\{(?<names>[^}]*)\}/gm;
const DECLARED =
  /^export (?:declare )?(?:interface|type|const|class|function|async function|abstract class|enum) (?<name>\w+)/gm;
const ALL_OF = /^export \* from ['"](?<path>\.[^'"]*)['"]/gm;

/** A name for some text. */
export function idOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_LENGTH);
}

/** Writes the files of a commit into a folder. */
export function checkOut(commit: string, tree: string): void {
  mkdirSync(tree, { recursive: true });
  const archive = join(tree, '../tree.tar');
  execFileSync('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  execFileSync('tar', ['-xf', archive, '-C', tree]);
  linkModules(tree);
}

/** Writes the files of the working tree into a folder, those too that are not committed. */
export function copyWorkingTree(tree: string): void {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0')) {
    const from = join(ROOT, file);
    if (file !== '' && existsSync(from) && lstatSync(from).isFile()) cpSync(from, join(tree, file));
  }
  linkModules(tree);
}

/** Lays out the folder in which the commands run: the same files on both sides. */
export function layOut(cwd: string, revision: string, shared: string | undefined): void {
  mkdirSync(cwd, { recursive: true });
  for (const [name, from] of Object.entries(INPUTS)) {
    if (existsSync(join(revision, from))) {
      cpSync(join(revision, from), join(cwd, name), { recursive: true });
    }
  }
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  if (shared === undefined) return;
  for (const part of SHARED_PARTS) {
    cpSync(join(shared, part), join(cwd, 'shared', part), { recursive: true });
  }
}

/** Builds a tree by its own script. */
export async function build({ tree }: Side): Promise<void> {
  const { stdout, stderr, code } = await run(['npm', 'run', '--silent', 'build'], {
    cwd: tree,
    env: process.env,
  });
  if (code !== '0') throw new Error(`cannot build ${tree}\n${stdout}${stderr}`);
}

/** Runs the commands of a case and reads all that they wrote. */
export async function runCase(side: Side, commands: Case): Promise<Outputs> {
  const program = programOf(side);
  const out = `out/${idOf(commands)}`;
  mkdirSync(join(side.cwd, out), { recursive: true });
  const outputs: Record<string, string> = {};
  for (const line of commands) {
    const [typed = '', input] = line.split(' < ');
    const argv = (typed.match(/'[^']*'|\S+/g) ?? []).map((word) =>
      word.replaceAll("'", '').replace(/^OUT/, out),
    );
    const result = await run([process.execPath, program, ...argv], {
      cwd: side.cwd,
      env: environment(side),
      input,
    });
    outputs[`$ ${line}: stdout`] = withoutPlaces(result.stdout, side);
    outputs[`$ ${line}: stderr`] = withoutPlaces(result.stderr.replaceAll(PROGRESS, ''), side);
    outputs[`$ ${line}: exit code`] = result.code;
  }
  return { ...outputs, ...readFolder(join(side.cwd, out), `$ ${commands[0]}: OUT`, side) };
}

/** The page that `serve` shows. */
export async function servedPage(side: Side): Promise<Outputs> {
  const argv = [
    programOf(side),
    'report',
    'serve',
    'fixtures/events/version-2.jsonl',
    '--port',
    '0',
  ];
  const options = { cwd: side.cwd, env: environment(side), timeout: TIMEOUT_MS };
  const child = spawn(process.execPath, argv, options);
  const closed = once(child, 'close');
  let told = '';
  for await (const chunk of child.stderr) {
    told += String(chunk);
    if (told.includes('\n')) break;
  }
  const [url] = told.match(PORT) ?? [];
  const page = Buffer.from(url === undefined ? '' : await (await fetch(url)).text());
  child.kill('SIGINT');
  await closed;
  return {
    'served: stderr': told.replaceAll(PORT, '<url>'),
    'served: page': page.toString('latin1').replace(TAG, ''),
    'served: exit code': String(child.exitCode),
  };
}

/** The JSON schemas as the tree writes them. */
export async function writtenSchemas(side: Side): Promise<Outputs> {
  const { stderr, code } = await run(['npm', 'run', '--silent', 'schemas'], {
    cwd: side.tree,
    env: process.env,
  });
  return {
    'schemas: exit code': `${code}\n${stderr}`,
    ...readFolder(join(side.tree, 'schemas'), 'schemas', side),
  };
}

/** The names of each entry of the package, those of types too. */
export async function publicNames(side: Side): Promise<Outputs> {
  const outputs: Record<string, string> = {};
  for (const [entry, paths] of Object.entries(readPackage(side).exports)) {
    if (typeof paths === 'string') continue;
    const url = JSON.stringify(join(side.tree, paths.default));
    const script = `console.log(Object.keys(await import(${url})).toSorted().join('\\n'))`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const { stdout, stderr } = await run(node, { cwd: side.cwd, env: environment(side) });
    outputs[`${entry}: names`] = withoutPlaces(stdout + stderr, side);
    const types = declaredNames(join(side.tree, paths.types));
    outputs[`${entry}: names with types`] = [...new Set(types)].toSorted().join('\n');
  }
  return outputs;
}

function linkModules(tree: string): void {
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(tree, 'node_modules'), 'junction');
}

function readPackage({ tree }: Side): z.infer<typeof PackageJson> {
  return PackageJson.parse(JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')));
}

function programOf(side: Side): string {
  return join(side.tree, readPackage(side).bin['compaction-bench']);
}

/** Names that a declaration file exports, also by way of others. */
function declaredNames(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const listed = [...text.matchAll(LISTED)].flatMap(({ groups = {} }) =>
    (groups['names'] ?? '').split(',').map((name) => name.trim().split(/\s+/).at(-1) ?? ''),
  );
  const declared = [...text.matchAll(DECLARED)].map(({ groups = {} }) => groups['name'] ?? '');
  const others = [...text.matchAll(ALL_OF)].flatMap(({ groups = {} }) =>
    declaredNames(resolve(dirname(file), (groups['path'] ?? '').replace(/\.js$/, '.d.ts'))),
  );
  return [...listed, ...declared, ...others].filter((name) => name !== '');
}

function readFolder(folder: string, name: string, side: Side): Outputs {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [
      `${name}/${relative(folder, file)}`,
      withoutPlaces(readFileSync(file, 'latin1'), side),
    ]),
  );
}

/** Folders of one run are in no other. */
function withoutPlaces(text: string, { tree, cwd, home }: Side): string {
  const places = { '<package>': tree, '<cwd>': cwd, '<home>': home };
  return Object.entries(places).reduce((all, [name, path]) => all.replaceAll(path, name), text);
}

/** An environment without anything of this machine. */
function environment({ home }: Side): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    COMPACTION_BENCH_CACHE: join(home, 'cache'),
    NO_COLOR: '1',
    TZ: 'UTC',
    LANG: 'C.UTF-8',
  };
}

async function run(
  [program = '', ...argv]: readonly string[],
  { cwd, env, input }: Surroundings,
): Promise<Run> {
  const stdin = input === undefined ? 'ignore' : openSync(join(cwd, input), 'r');
  const child = spawn(program, argv, {
    cwd,
    env,
    stdio: [stdin, 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const closed = new Promise<string>((done, fail) => {
    child.once('error', fail);
    child.once('close', (status, signal) => done(String(status ?? signal)));
  });
  const [code, stdout, stderr] = await Promise.all([
    closed,
    child.stdout ? buffer(child.stdout) : Buffer.of(),
    child.stderr ? buffer(child.stderr) : Buffer.of(),
  ]);
  if (typeof stdin === 'number') closeSync(stdin);
  return { stdout: stdout.toString('latin1'), stderr: stderr.toString('latin1'), code };
}
