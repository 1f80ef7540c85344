import { type MadeCall, roomBeside, type Scene, shownPath } from '../scene.ts';
import { lineAt } from '../project/file.ts';
import type { CallPlan } from '../plan.ts';
import { compose } from '../text/compose.ts';
import { lengthen } from '../text/lengthen.ts';
import { sourceOf } from '../text/lines.ts';

/** Lines of a file in which a search may find something. */
const SEARCHED_LINES = 300;
const NOTHING_FOUND = 'No matches found';

/** Looks for a word in the files of the project. */
export function makeGrep(scene: Scene, call: CallPlan): MadeCall {
  const { draw, project } = scene;
  const { words } = project;
  const values = call.arguments.holds.map(({ text }) => text).join('|');
  const path = shownPath(scene, words.path().split('/').slice(0, -1).join('/'));
  const room = roomBeside(call.arguments.characters, { pattern: '', path, output_mode: 'content' });
  const pattern = values || lengthen(words.symbol(), room, (found) => `${found}|${words.type()}`);
  const source = sourceOf(() => {
    const file = draw.one(project.files);
    if (file === undefined) return '';
    const index = draw.whole(0, SEARCHED_LINES);
    const line = lineAt(file, index, words).trim() || words.symbol();
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
  const source = sourceOf(() => shownPath(scene, words.path()));
  const room = roomBeside(call.arguments.characters, { pattern: '' });
  const pattern = lengthen(`**/*${words.noun()}*`, room, (found) => `**/${words.noun()}/${found}`);
  return {
    input: { pattern },
    output: foundText(call, compose(call.output, source)),
  };
}

/** A result that is too short for a line says that there is none. */
function foundText({ output }: CallPlan, text: string): string {
  return output.characters <= NOTHING_FOUND.length
    ? NOTHING_FOUND.slice(0, output.characters)
    : text;
}
