import { posix } from 'node:path';
import { isOfPage, pageViolations } from './page-rules.ts';

/** A part of `src` with what it may use beside itself and the rooms below it. */
interface Room {
  readonly name: string;
  readonly packages: readonly string[];
  /** Modules of the platform; without the prefix `node:`. */
  readonly builtins: readonly string[];
}

/** Rooms from the top down. Files right in `simulator` are shared, but for those that list public names. */
const ROOMS: readonly Room[] = [
  {
    name: 'cli',
    packages: ['@bomb.sh/tab', '@commander-js/extra-typings', 'cli-progress', 'commander', 'zod'],
    builtins: ['crypto', 'events', 'fs', 'http', 'os', 'path', 'timers/promises', 'url', 'v8'],
  },
  { name: 'simulator/index', packages: ['vitest'], builtins: ['process'] },
  {
    name: 'simulator/sweep',
    packages: ['bullmq', 'hyparquet-writer', 'ioredis', 'simple-statistics', 'zod'],
    builtins: [
      'child_process',
      'crypto',
      'fs',
      'os',
      'path',
      'process',
      'timers/promises',
      'worker_threads',
      'zlib',
    ],
  },
  {
    name: 'simulator/report',
    packages: ['csv-stringify', 'picocolors', 'string-width', 'zod'],
    builtins: ['crypto', 'path', 'url', 'zlib'],
  },
  { name: 'simulator/metrics', packages: ['simple-statistics'], builtins: [] },
  { name: 'simulator/replay', packages: [], builtins: [] },
  {
    name: 'simulator/summarizer',
    packages: ['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible', 'zod'],
    builtins: ['crypto', 'fs', 'module', 'path', 'url'],
  },
  {
    name: 'simulator/provider',
    packages: ['zod'],
    builtins: ['url'],
  },
  {
    name: 'simulator/scenario',
    packages: ['jiti', 'yaml', 'zod'],
    builtins: ['fs', 'path', 'util'],
  },
  {
    name: 'simulator/session',
    packages: ['simple-statistics', 'zod'],
    builtins: ['fs', 'path'],
  },
  {
    name: 'simulator/tokens',
    packages: ['gpt-tokenizer'],
    builtins: ['buffer', 'crypto', 'fs', 'path'],
  },
  {
    name: 'simulator',
    packages: ['pure-rand'],
    builtins: ['crypto', 'fs', 'path'],
  },
  { name: 'engine', packages: [], builtins: [] },
];
const PUBLIC_NAMES = ['simulator/index.ts', 'simulator/testing.ts', 'simulator/vitest.ts'];
/** What may be imported of the engine: its public names, and what no host needs. */
const ENGINE_ENTRIES = ['engine/index.ts', 'engine/internal.ts'];

/** Where the world may be read without an import. */
const IMPURE_PATHS = [
  'cli/',
  'simulator/summarizer/ai-sdk.ts',
  'simulator/sweep/run-plan.ts',
  'simulator/sweep/plan/plan.ts',
  'simulator/sweep/wait.ts',
];
/** Files that load by a computed name. Why: docs/decisions, 2026-11-22, provider packages by name. */
const COMPUTED_IMPORTS: readonly string[] = [
  'simulator/scenario/gate/read-config.ts',
  'simulator/summarizer/model/provider-package.ts',
];
/** Ways to do that. `Date.parse` and `Date.UTC` depend on their arguments only. */
const IMPURE =
  /(?<![.\w])(?:process|console|performance|fetch|globalThis|setTimeout|setInterval|setImmediate|queueMicrotask|Date(?!\.(?:parse|UTC)\())\b|\bMath\.random\b|\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g;
const COMPUTED = /\bimport\s*\((?!\s*'')|\brequire\s*\(|\bcreateRequire\b/g;
/** What has no place in a synchronous core, and variables that outlive a call. */
const NOT_SYNCHRONOUS =
  /\b(?:async|await|Promise)\b|\bimport\s*\(|\bimport\.meta\b|^(?:export )?(?:let|var)\b/gm;

const MAX_LINES = 300;

/** Declarations of a file, in their order: what is read first stands first. */
const DECLARATION = /^(export )?(?:async )?(interface|type|const|class|function)\b[*]? *(\w+)/gm;

/** What a file of `src` does that it may not, in words. */
export function violationsOf(file: string, source: string): readonly string[] {
  const room = roomOf(file);
  if (room === undefined) return ['is in no room'];
  const code = codeOf(source);
  return [
    ...(isOfPage(file)
      ? pageViolations(source, code)
      : importsOf(source).flatMap((specifier) => forbiddenImport(file, room, specifier))),
    ...(COMPUTED_IMPORTS.includes(file) ? [] : found(code, COMPUTED, 'loads by a computed name')),
    ...found(code, /\bexport\s+default\b|\bas\s+default\b/g, 'has a default export'),
    ...found(code, /\bexport\s*\*/g, 'exports everything of another file'),
    ...(isImpure(file) ? [] : found(code, IMPURE, 'reads the world')),
    ...(room.name === 'engine' ? found(code, NOT_SYNCHRONOUS, 'is not a pure function') : []),
    ...(file.endsWith('.ts') ? misplaced(code) : []),
    ...(source.split('\n').length - 1 > MAX_LINES ? [`is longer than ${MAX_LINES} lines`] : []),
  ];
}

/** What rooms may use and do not, in words; sources are given by their paths in `src`. */
export function unusedPermissions(sources: ReadonlyMap<string, string>): readonly string[] {
  const files = [...sources.keys()];
  return ROOMS.flatMap((room) => {
    const own = files.filter((file) => roomOf(file) === room);
    const used = own.flatMap((file) => importsOf(sources.get(file) ?? ''));
    const { name, packages, builtins } = room;
    const allowed = [...packages, ...builtins.map((builtin) => `node:${builtin}`)];
    return allowed
      .filter((one) => !used.some((specifier) => `${specifier}/`.startsWith(`${one}/`)))
      .map((one) => `${name} may import ${one}`);
  });
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

/** Everything that a file names after `from` or `import`, also for types only. */
function importsOf(source: string): readonly string[] {
  const specifiers = source.matchAll(/\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g);
  return [...specifiers].map(([, , specifier]) => specifier ?? '');
}

function forbiddenImport(file: string, room: Room, specifier: string): readonly string[] {
  if (!specifier.startsWith('.')) {
    return isAllowedOutside(room, specifier) ? [] : [`imports ${specifier}`];
  }
  const target = posix.join(posix.dirname(file), specifier);
  const targetRoom = roomOf(target);
  if (targetRoom === undefined || ROOMS.indexOf(targetRoom) < ROOMS.indexOf(room)) {
    return [`imports ${target}, which is not below ${room.name}`];
  }
  if (isOfPage(target)) return [`imports ${target}, which runs in a browser`];
  if (targetRoom.name !== 'engine' || room.name === 'engine') return [];
  return ENGINE_ENTRIES.includes(target) ? [] : [`imports ${target} past ${ENGINE_ENTRIES[0]}`];
}

function isAllowedOutside({ packages, builtins }: Room, specifier: string): boolean {
  if (specifier.startsWith('node:')) return builtins.includes(specifier.slice('node:'.length));
  const depth = specifier.startsWith('@') ? 2 : 1;
  return packages.includes(specifier.split('/').slice(0, depth).join('/'));
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
