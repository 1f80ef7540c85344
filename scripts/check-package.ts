import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const TOOLS = join(ROOT, 'node_modules/.bin');

/** Far below the number of sources: a command loads a few chunks. */
const MOST_PROGRAMS = 80;
/** What an installation in an empty folder may add, the package itself included. Why: docs/decisions/2026-11-28-the-program-is-bundled.md. */
const MOST_PACKAGES = 10;
const MOST_MEGABYTES = 30;

/** A program of somebody who installed the package and has no types of Node. */
const PROGRAM = `import { estimateTokens, type Policy, policies } from 'compaction-bench/engine';
import { findModel, readCatalog, type RunEvent } from 'compaction-bench/simulator';
const policy: Policy = policies['opencode-1.2.16'];
const events: readonly RunEvent[] = [];
console.log(policy.name, findModel(readCatalog(), 'openai/gpt-4o').id, estimateTokens(4, policy.estimator), events.length);
`;
const COMPILER_OPTIONS = '--module nodenext --target es2020 --strict --lib es2020,dom'.split(' ');

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-package-'));
try {
  checkPackage();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkPackage(): void {
  const tarball = pack();
  // A link that npx made for an earlier build does not make this one executable.
  step('executable', () => accessSync(join(ROOT, 'bin/compaction-bench.js'), constants.X_OK));
  step('publint', () => run(join(TOOLS, 'publint'), ['run', '--strict', '--pack', 'false'], ROOT));
  step('attw', () => run(join(TOOLS, 'attw'), [tarball, '--profile', 'esm-only'], ROOT));
  install(tarball);
  step('--help', () => expectIn(bench('--help'), 'Usage: compaction-bench'));
  step('run', () => expectIn(bench('run', '--demo'), 'Sums over 4 sessions'));
  step('types', () => run(process.execPath, [COMPILER, 'program.ts', ...COMPILER_OPTIONS], folder));
  step('import', () =>
    expectIn(run(process.execPath, ['program.js'], folder), 'opencode-1.2.16 openai/gpt-4o 1 0'),
  );
}

/** The tarball, built anew. */
function pack(): string {
  const argv = ['pack', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(run('npm', argv, ROOT)) as {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
    readonly size: number;
  }[];
  if (packed === undefined) throw new Error('Expected a tarball, got none.');
  const programs = packed.files.filter(({ path }) => /^dist\/(?!.*\/page\/).*\.js$/.test(path));
  if (programs.length > MOST_PROGRAMS) {
    throw new Error(`Expected at most ${MOST_PROGRAMS} program files, got ${programs.length}.`);
  }
  const counts = `${packed.files.length} files, of these ${programs.length} of the program`;
  console.log(`ok: pack, ${counts}, ${packed.size} bytes`);
  return join(folder, packed.filename);
}

function install(tarball: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  run('npm', ['install', tarball, '--no-package-lock'], folder);
  const installed = join(folder, 'node_modules');
  const files = readdirSync(installed, { recursive: true, withFileTypes: true });
  const sizes = files.map((file) => lstatSync(join(file.parentPath, file.name)).size);
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  const lines = run('npm', ['ls', '--all', '--parseable'], folder).trim().split('\n');
  const packages = new Set(lines.slice(1)).size;
  if (packages > MOST_PACKAGES || megabytes > MOST_MEGABYTES) {
    const most = `at most ${MOST_PACKAGES} packages and ${MOST_MEGABYTES} MB`;
    throw new Error(`Expected ${most} to be installed, got ${packages} and ${megabytes} MB.`);
  }
  console.log(`ok: install, ${packages} packages, ${megabytes.toFixed(1)} MB`);
}

function bench(...argv: readonly string[]): string {
  return run('npx', ['--no-install', 'compaction-bench', ...argv], folder);
}

function step(name: string, check: () => unknown): void {
  check();
  console.log(`ok: ${name}`);
}

function run(file: string, argv: readonly string[], cwd: string): string {
  const ended = spawnSync(file, argv, { cwd, encoding: 'utf8' });
  if (ended.status === 0) return ended.stdout;
  const printed = `${ended.stdout ?? ''}${ended.stderr ?? ''}`;
  throw new Error(`'${[file, ...argv].join(' ')}' failed:\n${printed}`, { cause: ended.error });
}

function expectIn(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`Expected '${part}', got:\n${text}`);
}
