import { type Draw, valueAt } from './draw.ts';
import { sourceOf } from './lines.ts';
import { type CallPlan, CHARACTERS_PER_TOKEN, type Piece, pieceOf } from './plan.ts';
import {
  createFile,
  lineAt,
  type MadeCall,
  type ProjectFile,
  type ReadBudget,
  replaceLines,
  roomBeside,
  type Scene,
  shownPath,
} from './project.ts';
import { compose, lengthen, type TextSource } from './words.ts';
import type { AgentStyle } from './workload.ts';

interface Shown {
  readonly file: ProjectFile;
  readonly from: number;
  readonly style: AgentStyle['lines'];
}

/** A change of some lines of a file. */
interface Change {
  readonly file: ProjectFile;
  readonly from: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const NUMBER_WIDTH = 6;
const BAR_WIDTH = 5;
/** How often a file that was read is read from its start again, and not from where the last read ended. */
const FROM_START_RATE = 0.5;
/** Mean characters that a range adds to the arguments of a read. */
const MEAN_RANGE_CHARACTERS = 6;
/** Lines that fit in the shortest range that is worth naming. */
const LINES_OF_WHOLE = 2_000;

/** Lines around a change that an acknowledgement shows. */
const SHOWN_BEFORE = 4;
/** Lines of a change that a patch does not show beyond. */
const PATCH_FRAME = 80;

/** Lines of a file in which a search may find something. */
const SEARCHED_LINES = 300;
const NOTHING_FOUND = 'No matches found';

/** Reads a file, often one that was read before; its lines are those that it has now. */
export function makeRead(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = fileToRead(scene, call);
  if (file.wasRead) spendRepeat(scene.reads);
  else spendRead(scene.reads);
  const isAgain = file.wasRead && !scene.draw.isTrue(FROM_START_RATE);
  const from = isAgain ? file.nextLine : 0;
  const output = showLines(scene, call, { file, from });
  const shown = output.split('\n').length;
  file.nextLine = from + shown;
  file.wasRead = true;
  file.touchedAt = scene.position + output.length / CHARACTERS_PER_TOKEN;
  const isWhole = from === 0 && shown < LINES_OF_WHOLE;
  const { version } = file;
  return {
    input: {
      [keys.path]: shownPath(scene, file.path),
      ...(!isWhole && { offset: from + 1, limit: shown }),
    },
    output,
    isCurrent: () => file.version === version,
  };
}

/** Replaces lines of a file by others. */
export function makeEdit(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = fileToChange(scene);
  const path = { [keys.path]: shownPath(scene, file.path) };
  const room = roomBeside(call.arguments.characters, {
    ...path,
    [keys.before]: '',
    [keys.after]: '',
  });
  const change = planChange(scene, file, room);
  const input = {
    ...path,
    [keys.before]: change.before.join('\n'),
    [keys.after]: change.after.join('\n'),
  };
  if (call.isError) return { input, output: missingText(call, change) };
  applyChange(change);
  return { input, output: acknowledge(scene, call, change) };
}

/** The same as one patch. */
export function makePatch(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = fileToChange(scene);
  const change = planChange(scene, file, Math.max(1, call.arguments.characters - PATCH_FRAME));
  if (!call.isError) applyChange(change);
  const lines = [
    '*** Begin Patch',
    `*** Update File: ${file.path}`,
    '@@',
    ...change.before.map((line) => `-${line}`),
    ...change.after.map((line) => `+${line}`),
    '*** End Patch',
  ];
  const output = call.isError ? missingText(call, change) : acknowledgePatch(scene, call, file);
  return { input: { [keys.patch]: lines.join('\n') }, output };
}

/** Makes a file, or all of it anew. */
export function makeWrite(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = scene.project.fresh();
  const path = { [keys.path]: shownPath(scene, file.path) };
  const characters = roomBeside(call.arguments.characters, { ...path, content: '' });
  const content = newLines(scene, file, { characters, holds: call.arguments.holds });
  if (!call.isError) replaceLines(file, { from: 0, count: file.lines.length }, content);
  const change = { file, from: 0, before: [], after: content };
  return {
    input: { ...path, content: content.join('\n') },
    output: acknowledge(scene, call, change),
  };
}

/** Looks for a word in the files of the project. */
export function makeGrep(scene: Scene, call: CallPlan): MadeCall {
  const { draw, project } = scene;
  const { words } = project;
  const values = call.arguments.holds.map(({ text }) => text).join('|');
  const path = shownPath(scene, words.fill('{folder}'));
  const room = roomBeside(call.arguments.characters, { pattern: '', path, output_mode: 'content' });
  const pattern =
    values || lengthen(words.fill('{symbol}'), room, (found) => words.fill(`${found}|{type}`));
  const source = sourceOf(() => {
    const file = draw.one(project.files);
    if (file === undefined) return '';
    const index = draw.whole(0, SEARCHED_LINES);
    const line = lineAt(file, index, words).trim() || words.fill('{symbol}');
    return `${shownPath(scene, file.path)}:${index + 1}:${line}`;
  });
  return {
    input: {
      pattern,
      path,
      output_mode: 'content',
    },
    output: foundText(call, compose(call.output, source)),
  };
}

/** Looks for files. */
export function makeGlob(scene: Scene, call: CallPlan): MadeCall {
  const { project } = scene;
  const { words } = project;
  const source = sourceOf(() => shownPath(scene, words.fill('{path}')));
  const room = roomBeside(call.arguments.characters, { pattern: '' });
  const pattern = lengthen(words.fill('**/*{noun}*'), room, (found) =>
    words.fill(`**/{noun}/${found}`),
  );
  return {
    input: { pattern },
    output: foundText(call, compose(call.output, source)),
  };
}

/** As many reads, of which such a share is to be of files that were read before. */
export function createReadBudget(left: number, rereadShare: number): ReadBudget {
  return { left, repeats: Math.min(Math.round(rereadShare * left), Math.max(0, left - 1)) };
}

/** Takes a read of a file that was read before off what is still to come. */
export function spendRepeat(reads: ReadBudget): void {
  spendRead(reads);
  reads.repeats = Math.max(0, reads.repeats - 1);
}

/** A file read before, about as far back as files usually are, or one whose path is as long as the arguments are to be. */
function fileToRead(scene: Scene, call: CallPlan): ProjectFile {
  const { workload, draw, project, position, reads } = scene;
  const { keys } = workload.style;
  const bare = { [keys.path]: shownPath(scene, '') };
  const room = roomBeside(call.arguments.characters - MEAN_RANGE_CHARACTERS, bare);
  if (!isRepeat(reads, draw)) return project.fresh(room);
  const distance = valueAt(workload.reuse.rereadTokens, draw.share());
  return project.touched({ position, distance, wasRead: true }) ?? project.fresh(room);
}

/** True if the next read is a repeat; all remaining reads are equally likely. */
function isRepeat({ left, repeats }: ReadBudget, draw: Draw): boolean {
  return draw.isTrue(repeats / Math.max(1, left));
}

/** Takes a read off what is still to come. */
function spendRead(reads: ReadBudget): void {
  reads.left -= 1;
}

/** The lines of a file from one on, as the agent sees them. */
function showLines(
  scene: Scene,
  call: CallPlan,
  { file, from }: { readonly file: ProjectFile; readonly from: number },
): string {
  const { workload } = scene;
  return compose(call.output, fileSource(scene, { file, from, style: workload.style.lines }));
}

function fileSource({ project }: Scene, { file, from, style }: Shown): TextSource {
  let index = from;
  const line = () => `${prefixOf(style, index + 1)}${lineAt(file, index, project.words)}\n`;
  return {
    peek: line,
    take: () => {
      index += 1;
    },
    hold: (sentence) => {
      replaceLines(file, { from: index, count: 0 }, [`${file.language.comment}${sentence}`]);
      const text = line();
      index += 1;
      return text;
    },
  };
}

function prefixOf(style: AgentStyle['lines'], number: number): string {
  if (style === 'arrow') return `${String(number).padStart(NUMBER_WIDTH)}→`;
  return style === 'bar' ? `${String(number).padStart(BAR_WIDTH, '0')}| ` : '';
}

/** A file to change, touched about as long ago as usual. */
function fileToChange(scene: Scene): ProjectFile {
  const { workload, draw, project, position } = scene;
  const distance = valueAt(workload.reuse.changeTokens, draw.share());
  const file = project.touched({ position, distance, wasRead: false }) ?? project.fresh();
  return file;
}

/** Old lines of about half of the room, and new ones for the rest. */
function planChange(scene: Scene, file: ProjectFile, room: number): Change {
  const { draw, project } = scene;
  const from = draw.whole(0, Math.max(0, file.lines.length - 1));
  const before = [lineAt(file, from, project.words)];
  let characters = textLength(before);
  for (;;) {
    const next = lineAt(file, from + before.length, project.words);
    if (2 * (characters + next.length) > room) break;
    before.push(next);
    characters += next.length + 1;
  }
  const after = newLines(scene, file, { characters: Math.max(1, room - characters), holds: [] });
  return { file, from, before, after };
}

function textLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function newLines(scene: Scene, file: ProjectFile, piece: Piece): readonly string[] {
  const { project } = scene;
  const fresh = createFile(file.path, file.language);
  let index = 0;
  const source = sourceOf(() => lineAt(fresh, index++, project.words));
  return compose(piece, source).split('\n');
}

function missingText(call: CallPlan, { file, before }: Change): string {
  const first = `The text to replace is not in ${file.path}, which was changed since it was read:`;
  let index = 0;
  const source = sourceOf(() => before[index++ % before.length] ?? '', [first]);
  return compose(call.output, source);
}

function applyChange({ file, from, before, after }: Change): void {
  replaceLines(file, { from, count: before.length }, after);
}

/** A short sentence, and where there is more room, the lines as they are now. */
function acknowledge(scene: Scene, call: CallPlan, change: Change): string {
  change.file.touchedAt = scene.position + call.output.characters / CHARACTERS_PER_TOKEN;
  const path = shownPath(scene, change.file.path);
  const { characters } = call.output;
  const sentences = [`${path} has been updated; it now reads:\n`, `Updated ${path}`, 'Updated.'];
  const sentence = sentences.find(({ length }) => length <= characters) ?? 'ok';
  const rest = pieceOf(0);
  const shown = showLines(
    scene,
    { ...call, output: { ...rest, characters: Math.max(0, characters - sentence.length) } },
    { file: change.file, from: Math.max(0, change.from - SHOWN_BEFORE) },
  );
  return `${sentence}${shown}`.slice(0, characters);
}

function acknowledgePatch(scene: Scene, { output }: CallPlan, file: ProjectFile): string {
  const { position, project } = scene;
  file.touchedAt = position + output.characters / CHARACTERS_PER_TOKEN;
  const first = ['Done. Changed:', `M ${file.path}`];
  return compose(
    output,
    sourceOf(() => project.words.fill('M {path}'), first),
  );
}

/** A result that is too short for a line says that there is none. */
function foundText({ output }: CallPlan, text: string): string {
  return output.characters <= NOTHING_FOUND.length
    ? NOTHING_FOUND.slice(0, output.characters)
    : text;
}
