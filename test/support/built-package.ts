import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { inject } from 'vitest';

/** The package as somebody has it who installed it, built into a folder of its own. */
export interface BuiltPackage {
  readonly folder: string;
  /** The file that `node` runs as the program. */
  readonly program: string;
  /** Runs a line of a shell in which `npx` knows this package only. */
  runShell(line: string, place?: ShellPlace): Promise<Ended>;
  /** Checks and runs TypeScript that imports the package by its name. */
  runTypeScript(name: string, source: string): Promise<Ended>;
  remove(): void;
}

/** Where a shell runs. */
export interface ShellPlace {
  /** That of the package where absent. */
  readonly folder?: string;
  /** Besides the path, which is always there. */
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of programs that are found before all others. */
  readonly programs?: string;
}

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = 'dist/cli/main.js';
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const BUILD = join(ROOT, 'scripts/build.ts');
const SHIPPED = ['package.json', 'catalog', 'scenarios', 'workloads'];
/** What the pages name besides, for those who have the repository. */
const FIXTURES = 'test/fixtures';
const COMPILER_OPTIONS = '--module nodenext --target es2023 --strict --types node --skipLibCheck';

/** Builds the sources as they are now; nothing is written into the repository. */
export function buildPackage(): BuiltPackage {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  cpSync(findBuild(), join(folder, 'dist'), { recursive: true });
  for (const path of SHIPPED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'test'));
  symlinkSync(join(ROOT, FIXTURES), join(folder, FIXTURES), 'junction');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const path = `${writeNpx(folder)}${delimiter}${process.env['PATH']}`;
  const run = (file: string, argv: readonly string[]) => runProcess(file, argv, { folder, path });
  return {
    folder,
    program: join(folder, PROGRAM),
    runShell: (line, place = {}) => {
      const found = place.programs === undefined ? path : `${place.programs}${delimiter}${path}`;
      return runProcess('/bin/sh', ['-c', line], { folder, ...place, path: found });
    },
    runTypeScript: async (name, source) => {
      writeFileSync(join(folder, `${name}.ts`), source);
      const checked = await run(process.execPath, [
        COMPILER,
        `${name}.ts`,
        ...COMPILER_OPTIONS.split(' '),
      ]);
      return checked.code === 0 ? run(process.execPath, [`${name}.js`]) : checked;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What another test of this run has built, else what is built now; of two that build at once one is kept. */
function findBuild(): string {
  const shared = inject('buildFolder');
  if (shared === undefined) throw new Error('Expected vitest.slow.config.ts, which has a folder.');
  const built = join(shared, 'dist');
  if (existsSync(built)) return built;
  const own = mkdtempSync(join(shared, 'building-'));
  execFileSync(process.execPath, ['--import', 'tsx', BUILD, own], { cwd: ROOT, stdio: 'inherit' });
  try {
    renameSync(own, built);
  } catch (error) {
    if (!existsSync(built)) throw error;
  }
  return built;
}

/** A folder with an `npx` that asks no registry. */
function writeNpx(folder: string): string {
  const bin = join(folder, 'bin');
  const npx = join(bin, 'npx');
  mkdirSync(bin);
  writeFileSync(
    npx,
    `#!/bin/sh
[ "$1" = compaction-bench ] || { echo "Expected compaction-bench, got $1." >&2; exit 127; }
shift
exec '${process.execPath}' '${join(folder, PROGRAM)}' "$@"
`,
  );
  chmodSync(npx, 0o755);
  return bin;
}

function runProcess(
  file: string,
  argv: readonly string[],
  { folder, path, env }: ShellPlace & { readonly folder: string; readonly path: string },
): Promise<Ended> {
  return new Promise((done) => {
    execFile(file, argv, { cwd: folder, env: { ...env, PATH: path } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      done({ code, stdout, stderr });
    });
  });
}
