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
import { drawnHash, lineSource, sourceOf, startWith } from './lines.ts';
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
import { compose, type TextSource, type Words } from './words.ts';

/** A kind of tools, and what a fact may stand in of its calls. */
interface ToolKind {
  readonly make: MakeCall;
  /** The output can hold a sentence. */
  readonly tellsFacts: boolean;
  /** The arguments can hold a value. */
  readonly takesValues: boolean;
  /** Every call reads a file. */
  readonly isRead: boolean;
  /** A call can be made again, word for word. */
  readonly isRepeatable: boolean;
  /** Its own output says what went wrong. */
  readonly tellsErrors: boolean;
}

/** Something that a shell is asked for. */
interface Command {
  readonly command: string;
  readonly source: TextSource;
}

const NEITHER = {
  tellsFacts: false,
  takesValues: false,
  isRead: false,
  isRepeatable: false,
  tellsErrors: false,
};
const ALL = {
  ...NEITHER,
  tellsFacts: true,
  takesValues: true,
  isRepeatable: true,
  tellsErrors: true,
};

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

/** Kinds of tools by what they do. */
const kinds = {
  read: { ...NEITHER, make: makeRead, tellsFacts: true, isRead: true, isRepeatable: true },
  edit: { ...NEITHER, make: makeEdit, tellsErrors: true },
  patch: { ...NEITHER, make: makePatch, tellsErrors: true },
  write: { ...NEITHER, make: makeWrite },
  shell: { ...ALL, make: makeShell },
  wait: { ...NEITHER, make: makeWait, tellsFacts: true },
  grep: { ...ALL, make: makeGrep, tellsErrors: false },
  glob: { ...NEITHER, make: makeGlob, isRepeatable: true },
  tasks: { ...NEITHER, make: makeTasks },
  words: { ...NEITHER, make: makeWords, tellsFacts: true },
} satisfies Record<string, ToolKind>;

/** Names of tools in lower case and letters only, by kind; any other tool takes and gives words. */
const NAMES: Readonly<Record<keyof typeof kinds, readonly string[]>> = {
  read: ['read', 'readfile', 'readfiles', 'readmanyfiles', 'view', 'viewfile', 'open', 'openfile'],
  edit: ['edit', 'editfile', 'editor', 'multiedit', 'replace', 'strreplace', 'strreplaceeditor'],
  patch: ['applypatch', 'patch', 'applydiff'],
  write: ['write', 'writefile', 'writetofile', 'create', 'createfile'],
  shell: [
    'bash',
    'shell',
    'execcommand',
    'runshellcommand',
    'executecommand',
    'runcommands',
    'run',
    'terminal',
  ],
  wait: ['writestdin', 'bashoutput', 'taskoutput'],
  grep: ['grep', 'searchfiles', 'searchfilecontent', 'codesearch'],
  glob: ['glob', 'findfile', 'ls', 'list', 'listdirectory', 'listfiles'],
  tasks: ['todowrite', 'writetodos', 'updateplan'],
  words: [],
};
const KIND_OF_NAME = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as keyof typeof kinds] as const),
  ),
);

/** Calls of a tool that are kept to be made again. */
const MOST_KEPT = 50;

/** The kind of a tool, by name. */
export function kindOf(tool: string): ToolKind {
  const own = tool.split('__').at(-1) ?? tool;
  const plain = own.toLowerCase().replace(/[^a-z]/g, '');
  return kinds[KIND_OF_NAME.get(plain) ?? 'words'];
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
  const source = lineSource('trace', project.words, [`Not found: ${project.words.noun()}`]);
  return compose({ ...pieceOf(0), characters: output.characters }, source);
}

/** Runs a command of the project. */
function makeShell(scene: Scene, call: CallPlan): MadeCall {
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

function failureSource({ draw, project, problems }: Scene): TextSource {
  return lineSource('trace', project.words, ['Exit code 1', draw.word(problems)]);
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
  while (tasks.length < wanted) tasks.push(newTask(scene));
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

function newTask({ project: { words } }: Scene): Task {
  return { title: `${words.verb()} the ${words.noun()} in ${words.path()}`, state: 'pending' };
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
  const bare = { description: `${project.words.verb()} ${project.words.noun()}`, prompt: '' };
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
