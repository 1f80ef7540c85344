/** Kinds of tools by the names that agents give them. */

import {
  makeEdit,
  makeGlob,
  makeGrep,
  makePatch,
  makeRead,
  makeWrite,
  spendRepeat,
} from './file-tools.ts';
import { lineSource, type OutputKind, sourceOf, startWith } from './lines.ts';
import { type CallPlan, pieceOf } from './plan.ts';
import {
  lineAt,
  type MadeCall,
  type MakeCall,
  type ProjectFile,
  replaceLines,
  roomBeside,
  type Scene,
  type Task,
} from './project.ts';
import { proseSource, TOOL_VOICE, writeProse } from './prose.ts';
import { compose, type TextSource } from './words.ts';

/** A kind of tools, and what a fact may stand in of its calls. */
interface ToolKind {
  readonly make: MakeCall;
  /** In lower case and letters only. */
  readonly names?: string;
  /** The output can hold a sentence. */
  readonly tellsFacts?: true;
  /** The arguments can hold a value. */
  readonly takesValues?: true;
  /** Every call reads a file. */
  readonly isRead?: true;
  /** A call can be made again, word for word. */
  readonly isRepeatable?: true;
  /** Its own output says what went wrong. */
  readonly tellsErrors?: true;
}

/** Something that a shell is asked for, and what it prints: `show` and `difference` are of a file. */
interface Command {
  readonly weight: number;
  readonly command: string;
  readonly output: OutputKind | 'show' | 'difference';
  readonly first?: readonly string[];
}

const COMMANDS: Readonly<Record<string, Command>> = {
  test: { weight: 5, command: 'npm test -- {path}', output: 'test', first: ['RUN  {noun}', ''] },
  show: { weight: 4, command: "sed -n '1,240p' ", output: 'show' },
  difference: { weight: 3, command: 'git diff -- ', output: 'difference' },
  log: { weight: 2, command: 'tail -n 200 logs/{noun}.log', output: 'log' },
  list: { weight: 2, command: 'ls -la {folder}', output: 'listing', first: ['total {number}'] },
  find: { weight: 2, command: "find . -name '*{noun}*' -newer package.json", output: 'paths' },
  build: { weight: 2, command: 'make build {noun}', output: 'build' },
  history: {
    weight: 1,
    command: 'git log --oneline -n {number} -- {path}',
    output: 'history',
  },
  status: { weight: 1, command: 'git status --short', output: 'status' },
};
const COMMAND_WEIGHTS = Object.fromEntries(
  Object.entries(COMMANDS).map(([name, { weight }]) => [name, weight]),
);

/** How often a command changes files besides. */
const FORMAT_RATE = 0.1;
/** Characters of an output below which it has no header. */
const HEADER_ROOM = 400;
const LAST_DIGIT = 9;
/** Room in a command below which nothing more is worth saying. */
const MIN_ROOM = 12;
/** Between a command and a comment. */
const MARK = '  # ';
const LAST_PROCESS = 99_999;
const WAIT_MS = 1_000;
const WAIT_TOKENS = 10_000;
/** Longest list of tasks. */
const MOST_TASKS = 20;
/** Characters of a task with what stands around it. */
const TASK_CHARACTERS = 90;
const STATES = ['in_progress', 'completed'];

/** Any other tool takes and gives words. */
const WORDS: ToolKind = { make: makeWords, tellsFacts: true };
/** Kinds of tools by the names that agents give them. */
const KINDS: readonly ToolKind[] = [
  {
    names: 'read readfile readfiles readmanyfiles view viewfile open openfile',
    make: makeRead,
    tellsFacts: true,
    isRead: true,
    isRepeatable: true,
  },
  {
    names: 'edit editfile editor multiedit replace strreplace strreplaceeditor',
    make: makeEdit,
    tellsErrors: true,
  },
  { names: 'applypatch patch applydiff', make: makePatch, tellsErrors: true },
  { names: 'write writefile writetofile create createfile', make: makeWrite },
  {
    names: 'bash shell execcommand runshellcommand executecommand runcommands run terminal',
    make: makeShell,
    tellsFacts: true,
    takesValues: true,
    isRepeatable: true,
    tellsErrors: true,
  },
  { names: 'writestdin bashoutput taskoutput', make: makeWait, tellsFacts: true },
  {
    names: 'grep searchfiles searchfilecontent codesearch',
    make: makeGrep,
    tellsFacts: true,
    takesValues: true,
    isRepeatable: true,
  },
  { names: 'glob findfile ls list listdirectory listfiles', make: makeGlob, isRepeatable: true },
  { names: 'todowrite writetodos updateplan', make: makeTasks },
];
const KIND_OF_NAME = new Map(
  KINDS.flatMap((kind) => (kind.names ?? '').split(' ').map((name) => [name, kind] as const)),
);

/** Calls of a tool that are kept to be made again. */
const MOST_KEPT = 50;

/** The kind of a tool, by name. */
export function kindOf(tool: string): ToolKind {
  const own = tool.split('__').at(-1) ?? tool;
  const plain = own.toLowerCase().replace(/[^a-z]/g, '');
  return KIND_OF_NAME.get(plain) ?? WORDS;
}

/** A call with what it is given and what it gives, or an earlier one of the tool again. */
export function makeCall(scene: Scene, call: CallPlan): MadeCall {
  const kind = kindOf(call.tool);
  const made = scene.made.get(call.tool) ?? [];
  const again = call.isRepeat && !call.isError ? findCurrent(scene, made) : undefined;
  if (again !== undefined) {
    if (kind.isRead) spendRepeat(scene.reads);
    return again;
  }
  const own = kind.make(scene, call);
  const isKept = kind.isRepeatable && !call.isError && holdsNothing(call);
  if (isKept && made.length < MOST_KEPT) scene.made.set(call.tool, [...made, own]);
  return call.isError && !kind.tellsErrors ? { ...own, output: failure(scene, call) } : own;
}

function findCurrent({ draw }: Scene, made: readonly MadeCall[]): MadeCall | undefined {
  return draw.one(made.filter(({ isCurrent }) => isCurrent?.() ?? true));
}

/** True for a call without a planted fact, which may be repeated. */
function holdsNothing({ arguments: given, output }: CallPlan): boolean {
  return given.holds.length === 0 && output.holds.length === 0;
}

function failure({ project }: Scene, { output }: CallPlan): string {
  const source = lineSource('trace', project.words, [project.words.fill('Not found: {noun}')]);
  return compose({ ...pieceOf(0), characters: output.characters }, source);
}

/** Runs a command of the project. */
function makeShell(scene: Scene, call: CallPlan): MadeCall {
  const { draw, project, problems } = scene;
  const { words } = project;
  const run = COMMANDS[draw.weighted(COMMAND_WEIGHTS)];
  const { command, source } = run === undefined ? { command: 'true' } : startCommand(scene, run);
  if (draw.isTrue(FORMAT_RATE)) format(scene);
  const shown = call.isError
    ? lineSource('trace', words, ['Exit code 1', draw.word(problems)])
    : (source ?? lineSource('log', words));
  const output = headed(scene, call, shown);
  return { input: inputOf(scene, call, command), output: compose(call.output, output) };
}

function startCommand(scene: Scene, { command, output, first = [] }: Command) {
  const { words } = scene.project;
  if (output !== 'show' && output !== 'difference') {
    const filled = words.fill(command);
    return { command: filled, source: lineSource(output, words, first.map(words.fill)) };
  }
  const file = fileOf(scene);
  let index = 0;
  const nextLine = () => lineAt(file, index++, words);
  const source =
    output === 'show'
      ? sourceOf(nextLine)
      : sourceOf(
          () => `${words.draw.word([' ', ' ', '+', '-'])}${nextLine()}`,
          [
            `diff --git a/${file.path} b/${file.path}`,
            words.fill('index {hash}..{hash} 100644'),
            `--- a/${file.path}`,
            `+++ b/${file.path}`,
            words.fill('@@ -1,{number} +1,{number} @@'),
          ],
        );
  return { command: `${command}${file.path}`, source };
}

/** Something other than an edit changes a file: what was read of it is stale from then on. */
function format(scene: Scene): void {
  const { draw, project } = scene;
  const file = fileOf(scene);
  const from = draw.whole(0, Math.max(0, file.lines.length - 1));
  replaceLines(file, { from, count: 1 }, [lineAt(file, from, project.words).trimEnd(), '']);
}

function fileOf({ project, draw }: Scene): ProjectFile {
  const touched = project.files.filter(({ touchedAt }) => touchedAt !== undefined);
  return draw.one(touched) ?? project.fresh();
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
    project.words.fill('Chunk ID: {hash}'),
    `Wall time: ${seconds} seconds`,
    `Process exited with code ${call.isError ? 1 : 0}`,
    'Output:',
  ];
  return startWith(`${lines.join('\n')}\n`, source);
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

/** Looks at a command that still runs. */
function makeWait(scene: Scene, call: CallPlan): MadeCall {
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

/** Brings the list of tasks up to date: one goes on, one is done. */
function makeTasks(scene: Scene, call: CallPlan): MadeCall {
  const { tasks, project } = scene;
  const wanted = Math.min(MOST_TASKS, Math.ceil(call.arguments.characters / TASK_CHARACTERS));
  while (tasks.length < wanted) {
    tasks.push({ title: project.words.fill('{verb} the {noun} in {path}'), state: 'pending' });
  }
  advance(tasks);
  const shown = tasks.slice(-wanted);
  return {
    input: { todos: shown.map(({ title, state }) => ({ content: title, status: state })) },
    output: compose(
      call.output,
      startWith('The list is saved. ', proseSource(TOOL_VOICE, project.words)),
    ),
  };
}

function advance(tasks: readonly Task[]): void {
  const running = tasks.find(({ state }) => state === 'in_progress');
  if (running !== undefined) running.state = 'completed';
  const next = tasks.find(({ state }) => state === 'pending');
  if (next !== undefined) next.state = 'in_progress';
}

/** Hands a task to another agent, or asks somebody something: words in, words out. */
function makeWords(scene: Scene, call: CallPlan): MadeCall {
  const { draw, language, project } = scene;
  const bare = { description: project.words.fill('{verb} {noun}'), prompt: '' };
  const characters = roomBeside(call.arguments.characters, bare);
  const prompt = writeProse(
    { ...call.arguments, characters },
    { language, speaker: 'model' },
    project.words,
  );
  return {
    input:
      characters > 1
        ? { ...bare, prompt }
        : { taskId: String(draw.whole(1, MOST_TASKS)), status: draw.word(STATES) },
    output: writeProse(call.output, { language, speaker: 'model' }, project.words),
  };
}
