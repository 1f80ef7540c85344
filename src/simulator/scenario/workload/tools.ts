import * as z from 'zod';
import { keepIn } from '../../lib/collections.ts';
import {
  makeEdit,
  makeGlob,
  makeGrep,
  makePatch,
  makeRead,
  makeWrite,
  spendRepeat,
} from './file-tools.ts';
import type { CallPlan } from './plan.ts';
import {
  lineAt,
  type MadeCall,
  type MakeCall,
  type ProjectFile,
  replaceLines,
  roomBeside,
  type Scene,
} from './project.ts';
import {
  compose,
  lineSource,
  OUTPUTS,
  outputSource,
  proseSource,
  startWith,
  type TextSource,
  writeProse,
} from './words.ts';
import { shippedTexts } from './workload.ts';

interface ToolKind {
  readonly make: MakeCall;
  readonly tellsFacts?: true;
  readonly takesValues?: true;
  readonly isRead?: true;
  readonly isRepeatable?: true;
  readonly tellsErrors?: true;
}

/** A command of a shell, and its output: `show` and `difference` are of a file. */
const Command = z.strictObject({
  weight: z.number(),
  command: z.string(),
  output: z.enum([...OUTPUTS, 'show', 'difference']),
  first: z.array(z.string()).default([]),
});
const commands = shippedTexts('commands', z.record(z.string(), Command));
const FORMAT_RATE = 0.1;
const HEADER_ROOM = 400;
/** Least room in a command for words. */
const MIN_ROOM = 12;
const MARK = '  # ';
const LAST_PROCESS = 99_999;
const MOST_TASKS = 20;
const TASK_CHARACTERS = 90;
const TOOL_VOICE = { language: 'english' } as const;
const MOST_KEPT = 50;

/** Kinds of tools by their names, in lower case and letters only. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  'read readfile readfiles readmanyfiles view viewfile open openfile': {
    make: makeRead,
    tellsFacts: true,
    isRead: true,
    isRepeatable: true,
  },
  'edit editfile editor multiedit replace strreplace strreplaceeditor': {
    make: makeEdit,
    tellsErrors: true,
  },
  'applypatch patch applydiff': { make: makePatch, tellsErrors: true },
  'write writefile writetofile create createfile': { make: makeWrite },
  'bash shell execcommand runshellcommand executecommand runcommands run terminal': {
    make: makeShell,
    tellsFacts: true,
    takesValues: true,
    isRepeatable: true,
    tellsErrors: true,
  },
  'writestdin bashoutput taskoutput': { make: makeWait, tellsFacts: true },
  'grep searchfiles searchfilecontent codesearch': {
    make: makeGrep,
    tellsFacts: true,
    takesValues: true,
    isRepeatable: true,
  },
  'glob findfile ls list listdirectory listfiles': { make: makeGlob, isRepeatable: true },
  'todowrite writetodos updateplan': { make: makeTasks },
};
const KIND_OF_NAME = new Map(
  Object.entries(KINDS).flatMap(([names, kind]) =>
    names.split(' ').map((name) => [name, kind] as const),
  ),
);
/** Any other tool takes and gives words. */
const WORDS: ToolKind = { make: makeWords, tellsFacts: true };

export function kindOf(tool: string): ToolKind {
  const own = tool.split('__').at(-1) ?? tool;
  return KIND_OF_NAME.get(own.toLowerCase().replace(/[^a-z]/g, '')) ?? WORDS;
}

/** A call with what it is given and what it gives, or an earlier one of the tool again. */
export function makeCall(scene: Scene, call: CallPlan): MadeCall {
  const { isError, output } = call;
  const kind = kindOf(call.tool);
  const made = keepIn(scene.made, call.tool, () => []);
  const current = () => made.filter(({ isCurrent }) => isCurrent?.() ?? true);
  const again = call.isRepeat && !isError ? scene.draw.one(current()) : undefined;
  if (again !== undefined) {
    if (kind.isRead) spendRepeat(scene);
    return again;
  }
  const own = kind.make(scene, call);
  const holdsNothing = call.arguments.holds.length === 0 && output.holds.length === 0;
  const isKept = kind.isRepeatable && !isError && holdsNothing;
  if (isKept && made.length < MOST_KEPT) made.push(own);
  if (!isError || kind.tellsErrors) return own;
  const failure = outputSource('trace', scene.words, [scene.words.fill('Not found: {noun}')]);
  return { ...own, output: compose({ ...output, holds: [] }, failure) };
}

function makeShell(scene: Scene, call: CallPlan) {
  const { draw, problems, words } = scene;
  const all = Object.entries(commands()).map(([name, { weight }]) => [name, weight]);
  const { command, source } = startCommand(scene, draw.weighted(Object.fromEntries(all)));
  if (draw.isTrue(FORMAT_RATE)) format(scene);
  const shown = call.isError
    ? outputSource('trace', words, ['Exit code 1', draw.word(problems)])
    : source;
  const output = headed(scene, call, shown);
  return { input: inputOf(scene, call, command), output: compose(call.output, output) };
}

function startCommand(scene: Scene, name: string) {
  const { words } = scene;
  const run = commands()[name];
  if (run === undefined) throw new RangeError(`Expected a command, got '${name}'.`);
  const { command, output, first } = run;
  if (output !== 'show' && output !== 'difference') {
    const filled = words.fill(command);
    return { command: filled, source: outputSource(output, words, first.map(words.fill)) };
  }
  const file = fileOf(scene);
  let index = 0;
  const nextLine = () => lineAt(file, index++, words);
  const whole = { command: `${command}${file.path}`, source: lineSource(nextLine) };
  if (output === 'show') return whole;
  const header = [
    `diff --git a/${file.path} b/${file.path}`,
    words.fill('index {hash}..{hash} 100644'),
    `--- a/${file.path}`,
    `+++ b/${file.path}`,
    words.fill('@@ -1,{number} +1,{number} @@'),
  ];
  const changed = () => `${words.draw.word([' ', ' ', '+', '-'])}${nextLine()}`;
  return { ...whole, source: lineSource(changed, header) };
}

/** A change besides edits, after which reads are stale. */
function format(scene: Scene): void {
  const file = fileOf(scene);
  const from = scene.draw.whole(0, Math.max(0, file.lines.length - 1));
  replaceLines(file, { from, count: 1 }, [lineAt(file, from, scene.words).trimEnd(), '']);
}

function fileOf({ files, fresh, draw }: Scene): ProjectFile {
  return draw.one(files.filter(({ touchedAt }) => touchedAt !== undefined)) ?? fresh();
}

/** Begins as the outputs of the agent do, where there is room. */
function headed({ workload, draw, words }: Scene, call: CallPlan, source: TextSource): TextSource {
  if (workload.style.shell === 'bare' || call.output.characters < HEADER_ROOM) return source;
  const seconds = `0.${draw.whole(0, 9)}`;
  const lines = [
    words.fill('Chunk ID: {hash}'),
    `Wall time: ${seconds} seconds`,
    `Process exited with code ${call.isError ? 1 : 0}`,
    'Output:',
  ];
  return startWith(`${lines.join('\n')}\n`, source);
}

function inputOf(scene: Scene, call: CallPlan, first: string): MadeCall['input'] {
  const { keys } = scene.workload.style;
  const { description = '' } = keys;
  const searches = call.arguments.holds.map(({ text }) => `grep -rnF '${text}' .`);
  const command = [...searches, first].join(' && ');
  const bare = { [keys.command]: command, ...(description !== '' && { [description]: '' }) };
  const room = roomBeside(call.arguments.characters, bare);
  if (room < MIN_ROOM) return { [keys.command]: command };
  const piece = { characters: room - MARK.length, holds: [] };
  const words = compose(piece, proseSource(scene.words, TOOL_VOICE)).replaceAll('\n', ' ');
  return description === ''
    ? { [keys.command]: `${command}${MARK}${words}` }
    : { [keys.command]: command, [description]: words };
}

function makeWait(scene: Scene, call: CallPlan) {
  const session_id = scene.draw.whole(1, LAST_PROCESS);
  const source = headed(scene, call, outputSource('log', scene.words));
  return {
    input: { session_id, chars: '', yield_time_ms: 1_000, max_output_tokens: 10_000 },
    output: compose(call.output, source),
  };
}

function makeTasks({ tasks, words }: Scene, call: CallPlan) {
  const wanted = Math.min(MOST_TASKS, Math.ceil(call.arguments.characters / TASK_CHARACTERS));
  while (tasks.length < wanted)
    tasks.push({ title: words.fill('{verb} the {noun} in {path}'), state: 'pending' });
  const running = tasks.find(({ state }) => state === 'in_progress');
  if (running !== undefined) running.state = 'completed';
  const next = tasks.find(({ state }) => state === 'pending');
  if (next !== undefined) next.state = 'in_progress';
  const todos = tasks.slice(-wanted).map(({ title, state }) => ({ content: title, status: state }));
  const saved = startWith('The list is saved. ', proseSource(words, TOOL_VOICE));
  return { input: { todos }, output: compose(call.output, saved) };
}

function makeWords({ draw, language, words }: Scene, call: CallPlan) {
  const bare = { description: words.fill('{verb} {noun}'), prompt: '' };
  const characters = roomBeside(call.arguments.characters, bare);
  const prompt = writeProse({ ...call.arguments, characters }, words, { language });
  const input =
    characters > 1
      ? { ...bare, prompt }
      : {
          taskId: String(draw.whole(1, MOST_TASKS)),
          status: draw.word(['in_progress', 'completed']),
        };
  return { input, output: writeProse(call.output, words, { language }) };
}
