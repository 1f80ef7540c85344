import { lineAt, type ProjectFile, replaceLines } from '../project/file.ts';
import { type MadeCall, roomBeside, type Scene } from '../scene.ts';
import type { CallPlan } from '../plan.ts';
import { compose, type TextSource } from '../text/compose.ts';
import { drawnHash, lineSource, sourceOf, startWith } from '../text/lines.ts';
import { proseSource, TOOL_VOICE } from '../text/prose.ts';
import type { Words } from '../text/words.ts';

/** Something that a shell is asked for. */
interface Command {
  readonly command: string;
  readonly source: TextSource;
}

/** Room in a command below which nothing more is worth saying. */
const MIN_ROOM = 12;
/** How often a command changes files besides. */
const FORMAT_RATE = 0.1;
/** Characters of an output below which it has no header. */
const HEADER_ROOM = 400;
const LAST_DIGIT = 9;
const LAST_PROCESS = 99_999;
const WAIT_MS = 1_000;
const WAIT_TOKENS = 10_000;
/** Between a command and a comment. */
const MARK = '  # ';

const commands: Readonly<Record<string, (scene: Scene) => Command>> = {
  test: ({ project: { words } }) => ({
    command: `npm test -- ${words.path()}`,
    source: lineSource('test', words, [`RUN  ${words.noun()}`, '']),
  }),
  build: ({ project: { words } }) => ({
    command: `make build ${words.noun()}`,
    source: lineSource('build', words),
  }),
  log: ({ project: { words } }) => ({
    command: `tail -n 200 logs/${words.noun()}.log`,
    source: lineSource('log', words),
  }),
  list: ({ project: { words } }) => ({
    command: `ls -la ${words.path().split('/').slice(0, -1).join('/')}`,
    source: lineSource('listing', words, [`total ${words.number()}`]),
  }),
  find: ({ project: { words } }) => ({
    command: `find . -name '*${words.noun()}*' -newer package.json`,
    source: lineSource('paths', words),
  }),
  history: ({ project: { words } }) => ({
    command: `git log --oneline -n ${words.number()} -- ${words.path()}`,
    source: lineSource('history', words),
  }),
  status: ({ project: { words } }) => ({
    command: 'git status --short',
    source: lineSource('status', words),
  }),
  difference: (scene) => {
    const file = fileOf(scene);
    return {
      command: `git diff -- ${file.path}`,
      source: diffSource(file, scene.project.words),
    };
  },
  show: (scene) => {
    const file = fileOf(scene);
    let index = 0;
    return {
      command: `sed -n '1,240p' ${file.path}`,
      source: sourceOf(() => lineAt(file, index++, scene.project.words)),
    };
  },
};
const COMMAND_WEIGHTS = {
  test: 5,
  show: 4,
  difference: 3,
  log: 2,
  list: 2,
  find: 2,
  build: 2,
  history: 1,
  status: 1,
} as const;

/** Runs a command of the project. */
export function makeShell(scene: Scene, call: CallPlan): MadeCall {
  const { draw, project } = scene;
  const command = commands[draw.weighted(COMMAND_WEIGHTS)]?.(scene);
  if (draw.isTrue(FORMAT_RATE)) format(scene);
  const source = call.isError ? failureSource(scene) : command?.source;
  const shown = headed(scene, call, source ?? lineSource('log', project.words));
  return {
    input: inputOf(scene, call, command?.command ?? 'true'),
    output: compose(call.output, shown),
  };
}

/** Looks at a command that still runs. */
export function makeWait(scene: Scene, call: CallPlan): MadeCall {
  const { draw, project } = scene;
  const input = {
    session_id: draw.whole(1, LAST_PROCESS),
    chars: '',
    yield_time_ms: WAIT_MS,
    max_output_tokens: WAIT_TOKENS,
  };
  const source = headed(scene, call, lineSource('log', project.words));
  return { input, output: compose(call.output, source) };
}

/** The command with what else is to be in it, and words to the size that it is to have. */
function inputOf(scene: Scene, call: CallPlan, first: string): MadeCall['input'] {
  const { keys } = scene.workload.style;
  const { description = '' } = keys;
  const searches = call.arguments.holds.map(({ text }) => `grep -rnF '${text}' .`);
  const command = [...searches, first].join(' && ');
  const bare = { [keys.command]: command, ...(description !== '' && { [description]: '' }) };
  const room = roomBeside(call.arguments.characters, bare);
  if (room < MIN_ROOM) return { [keys.command]: command };
  const words = compose(
    { characters: room - MARK.length, holds: [] },
    proseSource(TOOL_VOICE, scene.project.words),
  ).replaceAll('\n', ' ');
  return description === ''
    ? { [keys.command]: `${command}${MARK}${words}` }
    : { [keys.command]: command, [description]: words };
}

/** Begins as the outputs of the agent do, where it is long enough for that. */
function headed(
  { workload, draw, project }: Scene,
  call: CallPlan,
  source: TextSource,
): TextSource {
  if (workload.style.shell === 'bare' || call.output.characters < HEADER_ROOM) return source;
  const seconds = `0.${draw.whole(0, LAST_DIGIT)}`;
  const lines = [
    `Chunk ID: ${drawnHash(project.words)}`,
    `Wall time: ${seconds} seconds`,
    `Process exited with code ${call.isError ? 1 : 0}`,
    'Output:',
  ];
  return startWith(`${lines.join('\n')}\n`, source);
}

function failureSource({ draw, project, problems }: Scene): TextSource {
  return lineSource('trace', project.words, ['Exit code 1', draw.word(problems)]);
}

function fileOf({ project, draw }: Scene): ProjectFile {
  const touched = project.files.filter(({ touchedAt }) => touchedAt !== undefined);
  return draw.one(touched) ?? project.fresh();
}

/** Something other than an edit changes a file: what was read of it is stale from then on. */
function format(scene: Scene): void {
  const { draw, project } = scene;
  const file = fileOf(scene);
  const from = draw.whole(0, Math.max(0, file.lines.length - 1));
  replaceLines(file, { from, count: 1 }, [lineAt(file, from, project.words).trimEnd(), '']);
}

function diffSource(file: ProjectFile, words: Words): TextSource {
  let index = 0;
  const header = [
    `diff --git a/${file.path} b/${file.path}`,
    `index ${drawnHash(words)}..${drawnHash(words)} 100644`,
    `--- a/${file.path}`,
    `+++ b/${file.path}`,
    `@@ -1,${words.number()} +1,${words.number()} @@`,
  ];
  return sourceOf(
    () => `${words.draw.word([' ', ' ', '+', '-'])}${lineAt(file, index++, words)}`,
    header,
  );
}
