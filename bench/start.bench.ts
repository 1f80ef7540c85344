import { spawnSync } from 'node:child_process';
import type { Suite, SuiteResult } from './suite.ts';
import { measureNode, packageFile, PROGRAM } from './support/program.ts';
import { showRounds, takeTurns } from './support/take-turns.ts';

const ROUNDS = 7;
const COMMANDS = {
  nothing: ['-e', '0'],
  help: [PROGRAM, '--help'],
  run: [PROGRAM, 'run', packageFile('scenarios/recorded/csv-format.json')],
  list: [PROGRAM, 'list', 'policies'],
} satisfies Record<string, readonly string[]>;
type Name = keyof typeof COMMANDS;

/** Has a process tell how many modules it loads. */
const HOOKS = toModule(`import { writeSync } from 'node:fs';
  export function load(url, context, next) {
    if (!url.startsWith('node:')) writeSync(2, '\\nloaded');
    return next(url, context);
  }`);
const TELL_LOADED = toModule(
  `import { register } from 'node:module'; register(${JSON.stringify(HOOKS)});`,
);

/** Processor time of short commands, by that of Node alone. */
export const starting: Suite = { id: 'start', name: 'Start', run: measure };

async function measure(): Promise<SuiteResult> {
  const processorMsOf = (name: Name) => async () =>
    1_000 * (await measureNode(COMMANDS[name])).processorSeconds;
  const times = await takeTurns(ROUNDS, {
    nothing: processorMsOf('nothing'),
    help: processorMsOf('help'),
    run: processorMsOf('run'),
    list: processorMsOf('list'),
  });
  const ratio = (name: Name) => times[name].p50 / times.nothing.p50;
  return {
    notes: Object.entries(times).map(([name, own]) => showRounds(name, own)),
    figures: [
      { name: 'start.ratioOfHelp', value: ratio('help'), unit: '×', atMost: 2.5 },
      { name: 'start.ratioOfRun', value: ratio('run'), unit: '×', atMost: 8 },
      { name: 'start.ratioOfList', value: ratio('list'), unit: '×', atMost: 3 },
      { name: 'start.modulesOfRun', value: countModules('run'), unit: 'modules', atMost: 30 },
      { name: 'start.modulesOfList', value: countModules('list'), unit: 'modules', atMost: 10 },
    ],
  };
}

function countModules(name: Name): number {
  const argv = ['--import', TELL_LOADED, ...COMMANDS[name]];
  const { stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  return stderr.split('\n').filter((line) => line === 'loaded').length;
}

function toModule(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
