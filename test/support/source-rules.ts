import { posix } from 'node:path';
import { isOfPage, pageViolations } from './page-rules.ts';

/** A part of `src`, with what it may use besides the rooms below it. */
interface Room {
  readonly name: string;
  readonly packages: readonly string[];
  /** Modules of Node may be imported. */
  readonly usesNode: boolean;
}

const MODELS = ['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible'];

/** Rooms from the top down. `simulator` is the files right in that folder, `simulator/index` its entry points. */
const ROOMS: readonly Room[] = [
  {
    name: 'cli',
    packages: ['@bomb.sh/tab', '@commander-js/extra-typings', 'cli-progress', 'commander', 'zod'],
    usesNode: true,
  },
  { name: 'simulator/index', packages: ['ai', 'vitest'], usesNode: true },
  {
    name: 'simulator/sweep',
    packages: ['bullmq', 'hyparquet-writer', 'ioredis', 'simple-statistics', 'zod'],
    usesNode: true,
  },
  {
    name: 'simulator/report',
    packages: ['csv-stringify', 'echarts', 'picocolors', 'string-width', 'zod'],
    usesNode: true,
  },
  { name: 'simulator/metrics', packages: ['simple-statistics'], usesNode: false },
  { name: 'simulator/replay', packages: ['zod'], usesNode: false },
  { name: 'simulator/summarizer', packages: [...MODELS, 'zod'], usesNode: true },
  { name: 'simulator/setup', packages: [], usesNode: false },
  { name: 'simulator/provider', packages: ['zod'], usesNode: true },
  { name: 'simulator/scenario', packages: ['jiti', 'yaml', 'zod'], usesNode: true },
  {
    name: 'simulator/session',
    packages: [
      'hyparquet',
      'hyparquet/src/assemble.js',
      'hyparquet/src/column.js',
      'hyparquet/src/convert.js',
      'hyparquet/src/schema.js',
      'node-sqlite3-wasm',
      'simple-statistics',
      'yaml',
      'zod',
    ],
    usesNode: true,
  },
  { name: 'simulator/tokens', packages: [], usesNode: true },
  { name: 'simulator', packages: ['pure-rand', 'zod'], usesNode: false },
  { name: 'simulator/lib', packages: ['zod'], usesNode: true },
  { name: 'engine', packages: [], usesNode: false },
];
/** Rooms that must not know a room below them: who judges knows neither who is judged nor who writes what is planted. */
const APART: readonly (readonly [room: string, other: string])[] = [
  ['simulator/metrics/', 'simulator/summarizer/'],
  ['simulator/replay/references/', 'simulator/summarizer/'],
  ['simulator/metrics/quality/', 'simulator/scenario/workload/'],
  ['simulator/metrics/probes/', 'simulator/scenario/workload/'],
  ['simulator/summarizer/', 'simulator/scenario/workload/'],
];
const PUBLIC_NAMES = [
  'simulator/index.ts',
  'simulator/testing.ts',
  'simulator/vitest.ts',
  'simulator/ai-sdk.ts',
];
/** Files of the engine that the simulator may import. */
const ENGINE_ENTRIES = ['engine/index.ts', 'engine/internal.ts'];

/** Paths that may read clocks, chance, the process and the network. */
const IMPURE_PATHS = [
  'cli/',
  'simulator/ai-sdk.ts',
  'simulator/lib/keep.ts',
  'simulator/lib/files.ts',
  'simulator/lib/process-end.ts',
  'simulator/summarizer/ai-sdk.ts',
  'simulator/session/find-copies.ts',
  'simulator/sweep/run-plan.ts',
  'simulator/sweep/pool/scan-files.ts',
  'simulator/sweep/wait.ts',
];
/** Files that load by a computed name. Why: docs/decisions, 2026-11-22, provider packages by name. */
const COMPUTED_IMPORTS: readonly string[] = [
  'simulator/report/html/render-html.ts',
  'simulator/scenario/read-config.ts',
  'simulator/session/files/database.ts',
  'simulator/summarizer/ai-sdk.ts',
];
/** Impure names. `Date.parse`, `Date.UTC` and the date of a time depend on their arguments only. */
const IMPURE =
  /(?<![.\w])(?:process|console|performance|fetch|globalThis|setTimeout|setInterval|setImmediate|queueMicrotask|(?:(?<!new )Date|Date(?!\(\w))(?!\.(?:parse|UTC)\())\b|\bMath\.random\b|\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g;
const COMPUTED = /\bimport\s*\((?!\s*'')|\brequire\s*\(|\bcreateRequire\b/g;
/** Asynchronous code, and variables that outlive a call. */
const NOT_SYNCHRONOUS =
  /\b(?:async|await|Promise)\b|\bimport\s*\(|\bimport\.meta\b|^(?:export )?(?:let|var)\b/gm;
/** Docstrings that ask what a thing is, and do not say it with a noun. */
const ASKING = /^\s*(?:\/\*\*|\*) (?:What|Whether)\b.*/gm;
/** Top-level declarations of a file. */
const DECLARATION = /^(export )?(?:async )?(interface|type|const|class|function)\b[*]? *(\w+)/gm;

/** Violations of the rules by a file of `src`, as sentences without subject. */
export function violationsOf(file: string, source: string): readonly string[] {
  const room = roomOf(file);
  if (room === undefined) return ['is in no room'];
  const code = codeOf(source);
  return [
    ...(isOfPage(file)
      ? pageViolations(source, code)
      : importsOf(source).flatMap((specifier) => forbiddenImport(file, room, specifier))),
    ...(COMPUTED_IMPORTS.includes(file) ? [] : found(code, COMPUTED, 'loads by a computed name')),
    ...found(code, /\bexport\s*\*/g, 'exports everything of another file'),
    ...(isImpure(file) ? [] : found(code, IMPURE, 'reads the world')),
    ...(room.name === 'engine' ? found(code, NOT_SYNCHRONOUS, 'is not a pure function') : []),
    ...found(source, ASKING, 'has a docstring without a noun'),
    ...(file.endsWith('.ts') ? misplaced(code) : []),
  ];
}

/** Packages that rooms may import and do not; sources are given by their paths in `src`. */
export function unusedPermissions(sources: ReadonlyMap<string, string>): readonly string[] {
  const files = [...sources.keys()];
  return ROOMS.flatMap((room) => {
    const own = files.filter((file) => roomOf(file) === room);
    const used = own.flatMap((file) => importsOf(sources.get(file) ?? ''));
    return room.packages
      .filter((one) => !used.some((specifier) => `${specifier}/`.startsWith(`${one}/`)))
      .map((one) => `${room.name} may import ${one}`);
  });
}

/** Lines of each room; sources are given by their paths in `src`. A file of no program, as a style, counts where it lies. */
export function linesByRoom(
  sources: ReadonlyMap<string, string>,
): Readonly<Record<string, number>> {
  const lines = Object.fromEntries(ROOMS.map(({ name }) => [name, 0]));
  for (const [file, source] of sources) {
    const name = roomName(file);
    lines[name] = (lines[name] ?? 0) + source.split('\n').length - 1;
  }
  return lines;
}

function roomOf(file: string): Room | undefined {
  return ROOMS.find(({ name }) => name === roomName(file));
}

function roomName(file: string): string {
  if (PUBLIC_NAMES.includes(file)) return 'simulator/index';
  const folders = file.split('/').slice(0, -1);
  return folders.slice(0, folders[0] === 'simulator' ? 2 : 1).join('/');
}

function isImpure(file: string): boolean {
  return isOfPage(file) || IMPURE_PATHS.some((path) => file.startsWith(path));
}

/** Specifiers after `from` and `import`, type imports included. */
function importsOf(source: string): readonly string[] {
  const specifiers = source.matchAll(/\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g);
  return [...specifiers].map(([, , specifier]) => specifier ?? '');
}

function forbiddenImport(file: string, room: Room, specifier: string): readonly string[] {
  if (!specifier.startsWith('.'))
    return isAllowedOutside(room, specifier) ? [] : [`imports ${specifier}`];
  const target = posix.join(posix.dirname(file), specifier);
  const targetRoom = roomOf(target);
  if (targetRoom === undefined || ROOMS.indexOf(targetRoom) < ROOMS.indexOf(room))
    return [`imports ${target}, which is not below ${room.name}`];
  if (APART.some(([own, other]) => file.startsWith(own) && target.startsWith(other)))
    return [`imports ${target}, which ${room.name} must not know`];
  if (isOfPage(target)) return [`imports ${target}, which runs in a browser`];
  if (targetRoom.name !== 'engine' || room.name === 'engine') return [];
  return ENGINE_ENTRIES.includes(target) ? [] : [`imports ${target} past ${ENGINE_ENTRIES[0]}`];
}

function isAllowedOutside({ packages, usesNode }: Room, specifier: string): boolean {
  if (specifier.startsWith('node:')) return usesNode;
  return packages.some((one) => `${specifier}/`.startsWith(`${one}/`));
}

function found(code: string, pattern: RegExp, what: string): readonly string[] {
  return [...code.matchAll(pattern)].map(([words]) => `${what}: ${words.trim()}`);
}

/** Types and constants stand above functions, and public functions above those that they call. */
function misplaced(code: string): readonly string[] {
  let [hasFunctions, hasPrivate] = [false, false];
  return [...code.matchAll(DECLARATION)].flatMap(([, exported, kind, name]) => {
    const isFunction = kind === 'function';
    const isLate = isFunction ? exported !== undefined && hasPrivate : hasFunctions;
    hasFunctions ||= isFunction;
    hasPrivate ||= isFunction && exported === undefined;
    return isLate ? [`has ${kind} ${name} too far down`] : [];
  });
}

const COMMENT = String.raw`\/\*[\s\S]*?\*\/|\/\/[^\n]*`;
const STRING = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`;
const TEMPLATE = '`(?:\\\\[\\s\\S]|[^`\\\\])*`';
const REGEX = String.raw`(?<=[=(,:[!&|?{};>]\s*|\breturn\s+)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*`;
const NO_CODE = new RegExp([COMMENT, STRING, TEMPLATE, REGEX].join('|'), 'g');

/** A source without its comments and the contents of its literals; templates with code in them stay. */
function codeOf(source: string): string {
  return source.replaceAll(NO_CODE, (literal) => {
    if (literal.startsWith('/*') || literal.startsWith('//')) return ' ';
    return literal.startsWith('`') && /[{}]/.test(literal) ? literal : "''";
  });
}
