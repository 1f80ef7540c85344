import { createFile, lineAt, type ProjectFile, replaceLines } from '../project/file.ts';
import { type MadeCall, roomBeside, type Scene, shownPath } from '../scene.ts';
import { type CallPlan, CHARACTERS_PER_TOKEN, type Piece, pieceOf } from '../plan.ts';
import { compose } from '../text/compose.ts';
import { sourceOf } from '../text/lines.ts';
import { valueAt } from '../spread.ts';
import { codeLanguages } from '../text/code.ts';
import { showLines } from './read.ts';

/** A change of some lines of a file. */
interface Change {
  readonly file: ProjectFile;
  readonly from: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Lines around a change that an acknowledgement shows. */
const SHOWN_BEFORE = 4;
/** Lines of a change that a patch does not show beyond. */
const PATCH_FRAME = 80;

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

function acknowledgePatch(scene: Scene, { output }: CallPlan, file: ProjectFile): string {
  const { position, project } = scene;
  file.touchedAt = position + output.characters / CHARACTERS_PER_TOKEN;
  const first = ['Done. Changed:', `M ${file.path}`];
  return compose(
    output,
    sourceOf(() => `M ${project.words.path()}`, first),
  );
}

/** What is changed, about as far back as changed files usually are. */
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
  const fresh = createFile(file.path, file.language ?? codeLanguages.typescript);
  let index = 0;
  const source = sourceOf(() => lineAt(fresh, index++, project.words));
  return compose(piece, source).split('\n');
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

function missingText(call: CallPlan, { file, before }: Change): string {
  const first = `The text to replace is not in ${file.path}, which was changed since it was read:`;
  let index = 0;
  const source = sourceOf(() => before[index++ % before.length] ?? '', [first]);
  return compose(call.output, source);
}
