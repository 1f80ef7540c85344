import { valueAt } from './draw.ts';
import { type CallPlan, CHARACTERS_PER_TOKEN, type Piece } from './plan.ts';
import {
  createFile,
  lineAt,
  type MadeCall,
  type ProjectFile,
  replaceLines,
  roomBeside,
  type Scene,
  shownPath,
} from './project.ts';
import { compose, lengthen, lineSource, type TextSource } from './words.ts';

interface Change {
  readonly file: ProjectFile;
  readonly from: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

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

/** Reads a file as it is now, often again. */
export function makeRead(scene: Scene, call: CallPlan): MadeCall {
  const file = fileToRead(scene, call);
  if (file.wasRead) spendRepeat(scene);
  else scene.reads.left -= 1;
  const from = file.wasRead && !scene.draw.isTrue(FROM_START_RATE) ? file.nextLine : 0;
  const output = compose(call.output, fileSource(scene, file, from));
  const shown = output.split('\n').length;
  file.nextLine = from + shown;
  file.wasRead = true;
  touch(scene, file, output.length);
  const isWhole = from === 0 && shown < LINES_OF_WHOLE;
  const { version } = file;
  return {
    input: { ...pathOf(scene, file), ...(!isWhole && { offset: from + 1, limit: shown }) },
    output,
    isCurrent: () => file.version === version,
  };
}

export function spendRepeat({ reads }: Scene): void {
  reads.left -= 1;
  reads.repeats = Math.max(0, reads.repeats - 1);
}

export function makeEdit(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = fileToChange(scene);
  const inputOf = (before: readonly string[], after: readonly string[]) => ({
    ...pathOf(scene, file),
    [keys.before]: before.join('\n'),
    [keys.after]: after.join('\n'),
  });
  const room = roomBeside(call.arguments.characters, inputOf([], []));
  const change = planChange(scene, file, room);
  const input = inputOf(change.before, change.after);
  if (call.isError) return { input, output: missingText(call, change) };
  applyChange(change);
  return { input, output: acknowledge(scene, call, change) };
}

export function makePatch(scene: Scene, call: CallPlan): MadeCall {
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
  const input = { [scene.workload.style.keys.patch]: lines.join('\n') };
  if (call.isError) return { input, output: missingText(call, change) };
  touch(scene, file, call.output.characters);
  const done = lineSource(() => scene.words.fill('M {path}'), ['Done. Changed:', `M ${file.path}`]);
  return { input, output: compose(call.output, done) };
}

export function makeWrite(scene: Scene, call: CallPlan): MadeCall {
  const file = scene.fresh();
  const path = pathOf(scene, file);
  const characters = roomBeside(call.arguments.characters, { ...path, content: '' });
  const after = newLines(scene, file, { characters, holds: call.arguments.holds });
  if (!call.isError) replaceLines(file, { from: 0, count: file.lines.length }, after);
  return {
    input: { ...path, content: after.join('\n') },
    output: acknowledge(scene, call, { file, from: 0, before: [], after }),
  };
}

export function makeGrep(scene: Scene, call: CallPlan): MadeCall {
  const { draw, files, words } = scene;
  const values = call.arguments.holds.map(({ text }) => text).join('|');
  const path = shownPath(scene, words.fill('{folder}'));
  const room = roomBeside(call.arguments.characters, { pattern: '', path, output_mode: 'content' });
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

export function makeGlob(scene: Scene, call: CallPlan): MadeCall {
  const { fill } = scene.words;
  const room = roomBeside(call.arguments.characters, { pattern: '' });
  const pattern = lengthen(fill('**/*{noun}*'), room, (found) => fill(`**/{noun}/${found}`));
  const output = findLines(call, () => shownPath(scene, fill('{path}')));
  return { input: { pattern }, output };
}

/** A file read before, or a new one whose path fills the arguments. */
function fileToRead(scene: Scene, call: CallPlan) {
  const { workload, draw, reads, fresh } = scene;
  const bare = { [workload.style.keys.path]: shownPath(scene, '') };
  const room = roomBeside(call.arguments.characters - MEAN_RANGE_CHARACTERS, bare);
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

function touch({ position }: Scene, file: ProjectFile, characters: number) {
  file.touchedAt = position + characters / CHARACTERS_PER_TOKEN;
}

function pathOf(scene: Scene, { path }: ProjectFile) {
  return { [scene.workload.style.keys.path]: shownPath(scene, path) };
}

function fileSource({ words, workload }: Scene, file: ProjectFile, from: number): TextSource {
  const prefixes = {
    arrow: (number: number) => `${String(number).padStart(6)}→`,
    bar: (number: number) => `${String(number).padStart(5, '0')}| `,
    plain: () => '',
  };
  const prefixOf = prefixes[workload.style.lines];
  let index = from;
  const line = () => `${prefixOf(index + 1)}${lineAt(file, index, words)}\n`;
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

function planChange(scene: Scene, file: ProjectFile, room: number) {
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

function newLines({ words }: Scene, { path, language }: ProjectFile, piece: Piece) {
  const fresh = createFile(path, language);
  let index = 0;
  return compose(
    piece,
    lineSource(() => lineAt(fresh, index++, words)),
  ).split('\n');
}

function applyChange({ file, from, before, after }: Change) {
  replaceLines(file, { from, count: before.length }, after);
}

function missingText(call: CallPlan, { file, before }: Change) {
  const first = `The text to replace is not in ${file.path}, which was changed since it was read:`;
  let index = 0;
  return compose(
    call.output,
    lineSource(() => before[index++ % before.length] ?? '', [first]),
  );
}

function acknowledge(scene: Scene, call: CallPlan, { file, from }: Change) {
  const { characters } = call.output;
  touch(scene, file, characters);
  const path = shownPath(scene, file.path);
  const sentences = [`${path} has been updated; it now reads:\n`, `Updated ${path}`, 'Updated.'];
  const sentence = sentences.find(({ length }) => length <= characters) ?? 'ok';
  const rest = { characters: Math.max(0, characters - sentence.length), holds: [] };
  const shown = compose(rest, fileSource(scene, file, Math.max(0, from - SHOWN_BEFORE)));
  return `${sentence}${shown}`.slice(0, characters);
}

/** A result that is too short for a line says that there is none. */
function findLines({ output }: CallPlan, nextLine: () => string) {
  const text = compose(output, lineSource(nextLine));
  const isEmpty = output.characters <= NOTHING_FOUND.length;
  return isEmpty ? NOTHING_FOUND.slice(0, output.characters) : text;
}
