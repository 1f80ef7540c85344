import * as z from 'zod';
import { keepIn } from '../../lib/collections.ts';
import { valueAt } from './draw.ts';
import { type CallPlan, CHARACTERS_PER_TOKEN, type Piece } from './plan.ts';
import { createFile, type MadeCall, type ProjectFile, type Scene } from './project.ts';
import {
  compose,
  lengthen,
  lineSource,
  OUTPUTS,
  outputSource,
  proseSource,
  type TextSource,
  writeProse,
  type Words,
} from './words.ts';
import { shippedTexts } from './workload.ts';

interface ToolKind {
  readonly make: (scene: Scene, call: CallPlan) => MadeCall;
  readonly tellsFacts?: true;
  readonly takesValues?: true;
  readonly isRead?: true;
  readonly isRepeatable?: true;
}

interface Change {
  readonly file: ProjectFile;
  readonly from: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const BODY = { least: 2, most: 9 } as const;

/** A command of a shell, and its output: `show` and `difference` are of a file. */
const Command = z.strictObject({
  weight: z.number(),
  command: z.string(),
  output: z.enum([...OUTPUTS, 'show', 'difference']),
  first: z.array(z.string()).default([]),
});
const commands = shippedTexts('commands', z.record(z.string(), Command));
/** Least room in a command for words. */
const MIN_ROOM = 12;
const MARK = '  # ';
const MOST_TASKS = 20;
const TASK_CHARACTERS = 90;
const MOST_KEPT = 50;
/** Share of rereads from the start, not from where the last read ended. */
const FROM_START_RATE = 0.5;
const MEAN_RANGE_CHARACTERS = 6;
/** Lines that fit in the shortest range that is worth naming. */
const LINES_OF_WHOLE = 2_000;
const SHOWN_BEFORE = 4;
const PATCH_FRAME = 80;
const SEARCHED_LINES = 300;
const NOTHING_FOUND = 'No matches found';
/** Few files lie as near as the nearest ones are wanted. */
const FARTHER_WEIGHT = 3;

/** Kinds of tools by their names, in lower case and letters only. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  'read readfile readfiles readmanyfiles view viewfile open openfile': {
    make: makeRead,
    tellsFacts: true,
    isRead: true,
    isRepeatable: true,
  },
  'edit editfile editor multiedit replace strreplace strreplaceeditor': { make: makeEdit },
  'applypatch patch applydiff': { make: makePatch },
  'write writefile writetofile create createfile': { make: makeWrite },
  'bash shell execcommand runshellcommand executecommand runcommands run terminal': {
    make: makeShell,
    tellsFacts: true,
    takesValues: true,
    isRepeatable: true,
  },
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
  const { draw, words, problems } = scene;
  const kind = kindOf(call.tool);
  const made = keepIn(scene.made, call.tool, () => []);
  const again = made.filter(({ isCurrent }) => isCurrent?.() ?? true);
  const repeated = call.isRepeat && !call.isError ? draw.one(again) : undefined;
  if (repeated !== undefined) {
    if (kind.isRead) spendRepeat(scene);
    return repeated;
  }
  const own = kind.make(scene, call);
  if (call.isError) {
    const failure = outputSource('trace', words, ['Exit code 1', draw.word(problems)]);
    return { ...own, output: compose({ ...call.output, holds: [] }, failure) };
  }
  const holdsNothing = call.arguments.holds.length === 0 && call.output.holds.length === 0;
  if (kind.isRepeatable && holdsNothing && made.length < MOST_KEPT) made.push(own);
  return own;
}

/** Reads a file as it is now, often again. */
function makeRead(scene: Scene, call: CallPlan): MadeCall {
  const file = fileToRead(scene, call);
  if (file.wasRead) spendRepeat(scene);
  else scene.reads.left -= 1;
  const from = file.wasRead && !scene.draw.isTrue(FROM_START_RATE) ? file.nextLine : 0;
  const output = compose(call.output, fileSource(scene, file, from));
  const shown = output.split('\n').length;
  file.nextLine = from + shown;
  file.wasRead = true;
  touch(scene, file, call);
  const isWhole = from === 0 && shown < LINES_OF_WHOLE;
  const { version } = file;
  return {
    input: { ...pathOf(scene, file), ...(!isWhole && { offset: from + 1, limit: shown }) },
    output,
    isCurrent: () => file.version === version,
  };
}

function makeEdit(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = fileToChange(scene);
  const inputOf = (before: readonly string[], after: readonly string[]) => ({
    ...pathOf(scene, file),
    [keys.before]: before.join('\n'),
    [keys.after]: after.join('\n'),
  });
  const change = planChange(scene, file, roomBeside(call, inputOf([], [])));
  return { input: inputOf(change.before, change.after), output: apply(scene, call, change) };
}

function makePatch(scene: Scene, call: CallPlan): MadeCall {
  const file = fileToChange(scene);
  const change = planChange(scene, file, Math.max(1, call.arguments.characters - PATCH_FRAME));
  const lines = [
    '*** Begin Patch',
    `*** Update File: ${file.path}`,
    '@@',
    ...change.before.map((line) => `-${line}`),
    ...change.after.map((line) => `+${line}`),
    '*** End Patch',
  ];
  const input = { [scene.workload.style.keys.patch]: lines.join('\n') };
  return { input, output: apply(scene, call, change) };
}

function makeWrite(scene: Scene, call: CallPlan): MadeCall {
  const file = scene.fresh();
  const path = pathOf(scene, file);
  const characters = roomBeside(call, { ...path, content: '' });
  const after = newLines(scene, file, { characters, holds: call.arguments.holds });
  const change = { file, from: 0, before: file.lines.slice(), after };
  return { input: { ...path, content: after.join('\n') }, output: apply(scene, call, change) };
}

function makeShell(scene: Scene, call: CallPlan): MadeCall {
  const { draw, words, workload, files, fresh } = scene;
  const { command: key, description = '' } = workload.style.keys;
  const all = commands();
  const weights = Object.entries(all).map(([name, { weight }]) => [name, weight]);
  const run = all[draw.weighted(Object.fromEntries(weights))];
  if (run === undefined) throw new RangeError('Expected commands to come with the package.');
  const { output: kind, first } = run;
  const isOfFile = kind === 'show' || kind === 'difference';
  const touched = files.filter(({ touchedAt }) => touchedAt !== undefined);
  const file = isOfFile ? (draw.one(touched) ?? fresh()) : undefined;
  const source = file
    ? lineSource(linesOf(scene, file, kind === 'difference' ? [' ', ' ', '+', '-'] : ['']))
    : outputSource(kind as (typeof OUTPUTS)[number], words, first.map(words.fill));
  const searches = call.arguments.holds.map(({ text }) => `grep -rnF '${text}' .`);
  const own = [...searches, words.fill(run.command) + (file?.path ?? '')].join(' && ');
  const room = roomBeside(call, { [key]: own, ...(description !== '' && { [description]: '' }) });
  const output = compose(call.output, source);
  if (room < MIN_ROOM) return { input: { [key]: own }, output };
  const prose = proseSource(words, { language: 'english' });
  const piece = { characters: room - MARK.length, holds: [] };
  const told = compose(piece, prose).replaceAll('\n', ' ');
  const input =
    description === '' ? { [key]: `${own}${MARK}${told}` } : { [key]: own, [description]: told };
  return { input, output };
}

function makeGrep(scene: Scene, call: CallPlan): MadeCall {
  const { draw, files, words } = scene;
  const values = call.arguments.holds.map(({ text }) => text).join('|');
  const path = shownPath(scene, words.fill('{folder}'));
  const room = roomBeside(call, { pattern: '', path, output_mode: 'content' });
  const pattern =
    values || lengthen(words.fill('{symbol}'), room, (found) => words.fill(`${found}|{type}`));
  const output = findLines(call, () => {
    const file = draw.one(files);
    if (file === undefined) return '';
    const index = draw.whole(0, SEARCHED_LINES);
    const line = lineAt(file, index, words).trim() || words.fill('{symbol}');
    return `${shownPath(scene, file.path)}:${index + 1}:${line}`;
  });
  return { input: { pattern, path, output_mode: 'content' }, output };
}

function makeGlob(scene: Scene, call: CallPlan): MadeCall {
  const { fill } = scene.words;
  const room = roomBeside(call, { pattern: '' });
  const pattern = lengthen(fill('**/*{noun}*'), room, (found) => fill(`**/{noun}/${found}`));
  return { input: { pattern }, output: findLines(call, () => shownPath(scene, fill('{path}'))) };
}

function makeTasks({ tasks, words }: Scene, call: CallPlan): MadeCall {
  const wanted = Math.min(MOST_TASKS, Math.ceil(call.arguments.characters / TASK_CHARACTERS));
  while (tasks.length < wanted)
    tasks.push({ content: words.fill('{verb} the {noun} in {path}'), status: 'pending' });
  const running = tasks.find(({ status }) => status === 'in_progress');
  if (running !== undefined) running.status = 'completed';
  const next = tasks.find(({ status }) => status === 'pending');
  if (next !== undefined) next.status = 'in_progress';
  const todos = tasks.slice(-wanted).map((task) => ({ ...task }));
  const saved = proseSource(words, { language: 'english' });
  return { input: { todos }, output: compose(call.output, saved) };
}

function makeWords({ draw, language, words }: Scene, call: CallPlan): MadeCall {
  const bare = { description: words.fill('{verb} {noun}'), prompt: '' };
  const characters = roomBeside(call, bare);
  const prompt = writeProse({ ...call.arguments, characters }, words, { language });
  const taskId = String(draw.whole(1, MOST_TASKS));
  const input = characters > 1 ? { ...bare, prompt } : { taskId, status: 'in_progress' };
  return { input, output: writeProse(call.output, words, { language }) };
}

function spendRepeat({ reads }: Scene) {
  reads.left -= 1;
  reads.repeats = Math.max(0, reads.repeats - 1);
}

/** A file read before, or a new one whose path fills the arguments. */
function fileToRead(scene: Scene, call: CallPlan) {
  const { workload, draw, reads, fresh } = scene;
  const bare = { [workload.style.keys.path]: shownPath(scene, '') };
  const room = Math.max(1, roomBeside(call, bare) - MEAN_RANGE_CHARACTERS);
  // All remaining reads are equally likely to be repeats.
  if (!draw.isTrue(reads.repeats / Math.max(1, reads.left))) return fresh(room);
  const distance = valueAt(workload.reuse.rereadTokens, draw.share());
  return findTouched(scene, distance, [true]) ?? fresh(room);
}

function fileToChange(scene: Scene) {
  const distance = valueAt(scene.workload.reuse.changeTokens, scene.draw.share());
  return findTouched(scene, distance, [true, false]) ?? scene.fresh();
}

/** The file last touched about that many tokens ago; absent before the first touch. */
function findTouched({ files, position }: Scene, wanted: number, wereRead: readonly boolean[]) {
  let nearest: ProjectFile | undefined;
  let least = Infinity;
  for (const file of files) {
    if (file.touchedAt === undefined || !wereRead.includes(file.wasRead)) continue;
    const difference = Math.log1p(position - file.touchedAt) - Math.log1p(wanted);
    const distance = difference > 0 ? FARTHER_WEIGHT * difference : -difference;
    if (distance < least) [nearest, least] = [file, distance];
  }
  return nearest;
}

function touch({ position }: Scene, file: ProjectFile, { output }: CallPlan) {
  file.touchedAt = position + output.characters / CHARACTERS_PER_TOKEN;
}

function pathOf(scene: Scene, { path }: ProjectFile) {
  return { [scene.workload.style.keys.path]: shownPath(scene, path) };
}

function shownPath({ root, workload }: Scene, path: string) {
  return workload.style.hasAbsolutePaths ? `${root}/${path}` : path;
}

/** Characters that are left for a text beside arguments in JSON. */
function roomBeside(call: CallPlan, input: object) {
  return Math.max(1, call.arguments.characters - JSON.stringify(input).length);
}

function linesOf({ words }: Scene, file: ProjectFile, marks: readonly string[]) {
  let index = 0;
  return () => `${words.draw.word(marks)}${lineAt(file, index++, words)}`;
}

function fileSource({ words }: Scene, file: ProjectFile, from: number): TextSource {
  let index = from;
  return {
    next: () => `${lineAt(file, index++, words)}\n`,
    // A line was taken that stands behind the sentence.
    hold: (sentence) => {
      const line = `${file.language.comment}${sentence}`;
      replaceLines(file, { from: index - 1, count: 0 }, [line]);
      index += 1;
      return `${line}\n`;
    },
  };
}

function planChange(scene: Scene, file: ProjectFile, room: number): Change {
  const { draw, words } = scene;
  const from = draw.whole(0, Math.max(0, file.lines.length - 1));
  const before = [lineAt(file, from, words)];
  let characters = (before[0]?.length ?? 0) + 1;
  for (;;) {
    const next = lineAt(file, from + before.length, words);
    if (2 * (characters + next.length) > room) break;
    before.push(next);
    characters += next.length + 1;
  }
  const after = newLines(scene, file, { characters: Math.max(1, room - characters), holds: [] });
  return { file, from, before, after };
}

function newLines(scene: Scene, { path, language }: ProjectFile, piece: Piece) {
  return compose(piece, lineSource(linesOf(scene, createFile(path, language), ['']))).split('\n');
}

/** Changes a file unless the call failed, and shows what it has become. */
function apply(scene: Scene, call: CallPlan, { file, from, before, after }: Change) {
  if (call.isError) return '';
  const { characters } = call.output;
  replaceLines(file, { from, count: before.length }, after);
  touch(scene, file, call);
  const path = shownPath(scene, file.path);
  const sentences = [`${path} has been updated; it now reads:\n`, `Updated ${path}`, 'Updated.'];
  const sentence = sentences.find(({ length }) => length <= characters) ?? 'ok';
  const rest = { characters: Math.max(0, characters - sentence.length), holds: [] };
  const shown = compose(rest, fileSource(scene, file, Math.max(0, from - SHOWN_BEFORE)));
  return `${sentence}${shown}`.slice(0, characters);
}

/** A result that is too short for a line says that there is none. */
function findLines({ output }: CallPlan, nextLine: () => string) {
  const isEmpty = output.characters <= NOTHING_FOUND.length;
  return isEmpty
    ? NOTHING_FOUND.slice(0, output.characters)
    : compose(output, lineSource(nextLine));
}

function lineAt({ lines, language }: ProjectFile, index: number, words: Words) {
  const { before, statements = [], after = [] } = language;
  const { draw, fill } = words;
  while (lines.length <= index) {
    lines.push(...before.map(fill));
    const count = statements.length === 0 ? 0 : draw.whole(BODY.least, BODY.most);
    for (let line = 0; line < count; line++) lines.push(fill(draw.word(statements)));
    lines.push(...after.map(fill));
  }
  return lines[index] ?? '';
}

function replaceLines(
  file: ProjectFile,
  range: { readonly from: number; readonly count: number },
  lines: readonly string[],
): void {
  file.lines.splice(range.from, range.count, ...lines);
  file.version += 1;
}
