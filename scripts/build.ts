import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { build, type Plugin } from 'rolldown';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Modules of the package that are loaded by their paths, below `src` and `dist`. */
const ENTRIES = [
  'cli/main',
  'engine/index',
  'simulator/index',
  'simulator/testing',
  'simulator/vitest',
  'simulator/ai-sdk',
  'simulator/sweep/pool/worker',
  'simulator/sweep/pool/scan-worker',
  'simulator/sweep/queue/thread',
];
/** The page of a report: files that are read as they stand when a report is written. */
const PAGE = 'simulator/report/html/page';
/** The library of its charts, which is loaded when one is drawn, and the packages in it. */
const CHARTS = 'node_modules/echarts/dist/echarts.common.min.js';
const CHART_PACKAGES = [
  'node_modules/echarts',
  'node_modules/echarts/node_modules/tslib',
  'node_modules/zrender',
];
/** Texts of licences of the packages whose code is part of the build. */
const LICENCES = 'THIRD-PARTY-LICENSES';
/** Programs that are to load little, by the modules that they begin with: code is split by which of them need it. */
const PROGRAMS = {
  engine: ['engine/index'],
  simulator: ['simulator/index'],
  main: ['cli/main'],
  list: ['cli/main', 'cli/commands/list'],
  run: ['cli/main', 'cli/commands/run', 'cli/run-report'],
  answer: ['cli/main', 'cli/commands/answer'],
};
/** Modules that one of them loads later, without what others need beside them. */
const LOADED_LATER: Readonly<Record<string, string>> = {
  list: 'simulator/report/describe-policy',
};
/** What is loaded where a real model is named. */
const SDK = {
  name: 'sdk',
  test: /[\\/]node_modules[\\/](?:ai|@ai-sdk|@vercel)[\\/]/,
  priority: 0.5,
};
/** Stands for the path from a chunk to the built folder. */
const BUILT = 'PATH_TO_BUILT_FOLDER';

await buildInto(resolve(process.argv[2] ?? join(ROOT, 'dist')));

/** Builds the package into a folder, which holds nothing else afterwards. */
async function buildInto(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  emitTypes(folder);
  const packages = [...(await bundle(folder)), ...CHART_PACKAGES.map((name) => join(ROOT, name))];
  writeFileSync(join(folder, LICENCES), packages.map(licenceOf).join('\n'));
  cpSync(join(SOURCES, PAGE), join(folder, PAGE), {
    recursive: true,
    filter: (file) => !file.endsWith('.json'),
  });
  cpSync(join(ROOT, CHARTS), join(folder, PAGE, 'echarts.cjs'));
}

/** Writes the types of the public modules and of what those name. */
function emitTypes(folder: string): void {
  const argv = [COMPILER, '-p', 'tsconfig.build.json', '--outDir', folder];
  execFileSync(process.execPath, argv, { cwd: ROOT, stdio: 'inherit' });
  const needed = new Set<string>();
  const visit = (file: string): void => {
    if (needed.has(file)) return;
    needed.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
      /['"](\.\.?\/[^'"]+)\.[jt]s['"]/g,
    )) {
      visit(resolve(dirname(file), `${path}.d.ts`));
    }
  };
  for (const { types } of Object.values(packageJson.exports).filter(
    (entry) => typeof entry === 'object',
  )) {
    visit(resolve(folder, relative('dist', types)));
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path);
    if (file.endsWith('.d.ts') && !needed.has(file)) rmSync(file);
  }
}

/**
 * Bundles all but the dependencies that are installed with the package; gives the folders of packages it took in. Zod is
 * installed for its types, and has too many modules to load. Agents bring an AI SDK of their own; that of the program is part of it.
 */
async function bundle(folder: string): Promise<readonly string[]> {
  const { zod: _, ...dependencies } = packageJson.dependencies;
  const installed = Object.keys({ ...dependencies, ...packageJson.peerDependencies });
  const needs = new Map<string, Set<string>>();
  const { output } = await build({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((entry) => [entry, sourceOf(entry)])),
    platform: 'node',
    external: (id, importer) =>
      id === 'ai'
        ? importer === sourceOf('simulator/ai-sdk')
        : installed.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [keepPlaces(), findNeeds(needs)],
    output: {
      dir: folder,
      chunkFileNames: 'chunks/[name]-[hash].js',
      comments: false,
      codeSplitting: { groups: groupsBy(needs) },
    },
  });
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  const folders = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted();
}

/** Has a module find files beside its source, as if it were built into a file of its own. */
function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(SOURCES + sep) || !code.includes('import.meta.url')) return null;
      const path = relative(SOURCES, id).replaceAll(sep, '/').replace(/ts$/, 'js');
      const place = `new URL('${BUILT}/${path}', import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', place), map: null };
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(BUILT)) return null;
      return { code: code.replaceAll(BUILT, relative(dirname(fileName), '.') || '.'), map: null };
    },
  };
}

/** Finds which programs need a module. */
function findNeeds(needs: Map<string, Set<string>>): Plugin {
  return {
    name: 'find-needs',
    renderStart() {
      const importedIn = (id: string) => this.getModuleInfo(id)?.importedIds ?? [];
      const visit = (program: string, ids: readonly string[]): void => {
        for (const id of ids) {
          const programs = needs.get(id) ?? new Set();
          if (programs.has(program)) continue;
          needs.set(id, programs.add(program));
          visit(program, importedIn(id));
        }
      };
      for (const [program, entries] of Object.entries(PROGRAMS)) {
        const { [program]: later } = LOADED_LATER;
        visit(program, later === undefined ? [] : [sourceOf(later)]);
        for (const entry of entries) visit(program, importedIn(sourceOf(entry)));
      }
    },
  };
}

/**
 * A chunk for each set of programs, and one for what other modules share. What more programs need is taken first, so
 * that no chunk needs one that needs it.
 */
function groupsBy(needs: ReadonlyMap<string, ReadonlySet<string>>) {
  const sets = Object.keys(PROGRAMS).reduce<string[][]>(
    (smaller, program) => [...smaller, ...smaller.map((set) => [...set, program])],
    [[]],
  );
  const groups = sets.slice(1).map((set) => ({
    name: set.join('-'),
    test: (id: string) => [...(needs.get(id) ?? [])].join('-') === set.join('-'),
    priority: set.length,
  }));
  return [...groups, SDK, { name: 'shared', minShareCount: 2, priority: 0 }];
}

function sourceOf(entry: string): string {
  return join(SOURCES, `${entry}.ts`);
}

/** The heading and the licence of a package. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
