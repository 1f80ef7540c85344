import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const TOOLS = join(ROOT, 'node_modules/.bin');

/** A program of somebody who installed the package and has no types of Node. */
const PROGRAM = `import { estimateTokens, type Policy, policies } from 'compaction-bench/engine';
import { findModel, readCatalog, type RunEvent } from 'compaction-bench/simulator';
const policy: Policy = policies['opencode-1.2.16'];
const events: readonly RunEvent[] = [];
console.log(policy.name, findModel(readCatalog(), 'openai/gpt-4o').id, estimateTokens(4, policy.estimator), events.length);
`;
const COMPILER_OPTIONS = [
  '--module',
  'nodenext',
  '--target',
  'es2020',
  '--strict',
  '--lib',
  'es2020,dom',
];

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-package-'));
try {
  checkPackage();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkPackage(): void {
  const tarball = pack();
  // A link that npx made for an earlier build does not make this one executable.
  step('executable', () => accessSync(join(ROOT, 'dist/cli/main.js'), constants.X_OK));
  step('publint', () => run(join(TOOLS, 'publint'), ['run', '--strict', '--pack', 'false'], ROOT));
  step('attw', () => run(join(TOOLS, 'attw'), [tarball, '--profile', 'esm-only'], ROOT));
  step('install', () => install(tarball));
  step('--help', () => expectIn(bench('--help'), 'Usage: compaction-bench'));
  step('run', () => expectIn(bench('run'), 'completed'));
  step('types', () => run(process.execPath, [COMPILER, 'program.ts', ...COMPILER_OPTIONS], folder));
  step('import', () =>
    expectIn(run(process.execPath, ['program.js'], folder), 'opencode-1.2.16 openai/gpt-4o 1 0'),
  );
}

/** The tarball, built anew; its code has what is made of each source and no other file. */
function pack(): string {
  const argv = ['pack', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(run('npm', argv, ROOT)) as {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
    readonly size: number;
  }[];
  if (packed === undefined) throw new Error('Expected a tarball, got none.');
  const built = packed.files.map(({ path }) => path).filter((path) => path.startsWith('dist/'));
  expectSame(built, expectedFiles());
  console.log(`ok: pack, ${packed.files.length} files, ${packed.size} bytes`);
  return join(folder, packed.filename);
}

function expectedFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `dist/${file.replaceAll('\\', '/')}`)
    .flatMap(builtOf);
}

/** A module has types beside it; scripts and styles of the page are built as they stand. */
function builtOf(path: string): readonly string[] {
  if (/\.(?:js|css)$/.test(path)) return [path];
  const stem = path.slice(0, -'.ts'.length);
  return path.endsWith('.ts') ? [`${stem}.d.ts`, `${stem}.js`] : [];
}

function install(tarball: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  run('npm', ['install', tarball, '--no-package-lock'], folder);
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

function expectSame(files: readonly string[], expected: readonly string[]): void {
  const missing = expected.filter((file) => !files.includes(file));
  const extra = files.filter((file) => !expected.includes(file));
  if (missing.length + extra.length === 0) return;
  throw new Error(
    `Expected what is made of each source. Missing: ${missing.join(', ')}. Extra: ${extra.join(', ')}.`,
  );
}
