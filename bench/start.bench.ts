import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Suite, SuiteResult } from './suite.ts';
import { medianOf } from './support/median.ts';

/** The bundled program, which lies beside what is compiled of `src`. */
const PACKAGE = new URL('../../', import.meta.resolve('../src/cli/main.ts'));
const PROGRAM = fileURLToPath(new URL('dist/cli/main.js', PACKAGE));
const SESSION = fileURLToPath(new URL('scenarios/recorded/csv-format.json', PACKAGE));
const ROUNDS = 7;

/** Has a process tell what it took of its processors. */
const TELL_USAGE = toModule(
  "process.on('exit', () => process.stderr.write('\\n' + JSON.stringify(process.cpuUsage())));",
);
/** Has a process tell how many modules it loads. */
const HOOKS = toModule(`import { writeSync } from 'node:fs';
  export function load(url, context, next) {
    if (!url.startsWith('node:')) writeSync(2, '\\nloaded');
    return next(url, context);
  }`);
const TELL_LOADED = toModule(
  `import { register } from 'node:module'; register(${JSON.stringify(HOOKS)});`,
);

/** How much longer the program takes to begin than Node itself. */
export const starting: Suite = { id: 'start', name: 'Start', run: measure };

async function measure(): Promise<SuiteResult> {
  const commands = {
    nothing: ['-e', '0'],
    help: [PROGRAM, '--help'],
    run: [PROGRAM, 'run', SESSION],
    list: [PROGRAM, 'list', 'policies'],
  };
  const times: Record<keyof typeof commands, number[]> = {
    nothing: [],
    help: [],
    run: [],
    list: [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, argv] of Object.entries(commands)) {
      times[name as keyof typeof commands].push(processorTime(argv));
    }
  }
  const ratio = (name: keyof typeof commands) => medianOf(times[name]) / medianOf(times.nothing);
  return {
    notes: [],
    figures: [
      { name: 'start.ratioOfHelp', value: ratio('help'), unit: '×', atMost: 2.5 },
      { name: 'start.ratioOfRun', value: ratio('run'), unit: '×', atMost: 10 },
      {
        name: 'start.modulesOfRun',
        value: countModules(commands.run),
        unit: 'modules',
        atMost: 30,
      },
      {
        name: 'start.modulesOfList',
        value: countModules(commands.list),
        unit: 'modules',
        atMost: 10,
      },
    ],
  };
}

function processorTime(argv: readonly string[]): number {
  const { user, system } = JSON.parse(runWith(TELL_USAGE, argv).split('\n').at(-1) ?? '');
  return user + system;
}

function countModules(argv: readonly string[]): number {
  return runWith(TELL_LOADED, argv)
    .split('\n')
    .filter((line) => line === 'loaded').length;
}

function runWith(module: string, argv: readonly string[]): string {
  return spawnSync(process.execPath, ['--import', module, ...argv], { encoding: 'utf8' }).stderr;
}

function toModule(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
