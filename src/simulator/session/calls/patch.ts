import type { FileTouch } from './shell.ts';
import type { Span } from './span.ts';
import type { FileOperation } from './tool-calls.ts';

const OPERATION_OF_MARK = new Map<string, FileOperation>([
  ['Add File', 'created'],
  ['Update File', 'edited'],
  ['Delete File', 'deleted'],
  ['Move to', 'created'],
]);
const FILE_MARKS = [...OPERATION_OF_MARK.keys()];
/** Words after the stars at the beginning of a line of a patch. */
export const PATCH_MARKS: readonly string[] = [
  ...FILE_MARKS,
  'Begin Patch',
  'End Patch',
  'End of File',
];
/** The program that is given a patch. */
export const PATCH_PROGRAM = 'apply_patch';

const STARS = '*** ';
const FILE_LINE = new RegExp(`^\\*\\*\\* (${FILE_MARKS.join('|')}): (.+)$`);
const MARK = new RegExp(`^\\*\\*\\* (?:${PATCH_MARKS.join('|')})`, 'gm');
/** A patch that is given as an argument; its lines are no commands. */
const BARE_PATCH = new RegExp(`^${PATCH_PROGRAM} \\*{3} `);

/** Whether a command is a patch and nothing else. */
export function isBarePatch(command: string): boolean {
  return BARE_PATCH.test(command);
}

/** The files that a patch names, with what it does to them; none of another text. */
export function patchedFiles(patch: string): readonly FileTouch[] {
  if (!patch.includes(STARS)) return [];
  return patch.split(/\r\n?|\n/).flatMap((line) => {
    const [, mark = '', path = ''] = FILE_LINE.exec(line) ?? [];
    const operation = OPERATION_OF_MARK.get(mark);
    return operation === undefined ? [] : [{ path, operation }];
  });
}

/** Where the marks of a patch stand. */
export function findPatchMarks(patch: string): readonly Span[] {
  if (!patch.includes(STARS)) return [];
  return Array.from(patch.matchAll(MARK), ({ 0: mark, index }) => ({
    start: index + STARS.length,
    end: index + mark.length,
  }));
}
