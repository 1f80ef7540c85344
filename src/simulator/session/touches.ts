import type { Message, ToolPart } from '../../engine/index.ts';
import { readField } from '../../engine/internal.ts';
import { toLine } from '../lib/lines.ts';
import { type FileTouch, findTouches, isBarePatch, patchedFiles } from './shell.ts';
import { commandOf, operationOf, PATCH_KEYS, pathsOf, textField } from './tool-calls.ts';

/** A call, and the index of the message that it stands in. */
export interface Call {
  readonly part: ToolPart;
  readonly at: number;
}

/** A file, its operation, and the index of the message that did it. */
export type DatedTouch = FileTouch & { readonly at: number };

/** Longest path that is believed to be one; half a path would lead nowhere. */
const LONGEST_PATH = 260;

/** Every touch of a file or folder by calls, after the files that the user attached. */
export function readTouches(messages: readonly Message[], calls: readonly Call[]) {
  const attached = messages.flatMap(({ role, parts }, at) =>
    parts.flatMap((part) =>
      role === 'user' && part.type === 'file' && part.filename !== undefined
        ? [{ path: part.filename, operation: 'read' as const, at }]
        : [],
    ),
  );
  return [...attached, ...calls.flatMap(touchesOfCall)]
    .map((touch) => ({ ...touch, path: toLine(touch.path) }))
    .filter(({ path }) => path !== '' && path.length <= LONGEST_PATH);
}

/** Tests if a touch changed the file. */
export function isChange({ operation }: FileTouch): boolean {
  return operation !== 'read' && operation !== 'searched';
}

/** The files that a call reads or changes; searching touches none. */
export function touchesOf(part: ToolPart) {
  const operation = operationOf(part);
  if (operation === undefined || operation === 'searched') return [];
  return pathsOf(part).map((path) => ({ path, isChange: operation !== 'read' }));
}

function touchesOfCall({ part, at }: Call): readonly DatedTouch[] {
  if (part.state.status !== 'completed') return [];
  const { input } = part.state;
  const operation = operationOf(part);
  const own = operation === undefined ? [] : pathsOf(part).map((path) => ({ path, operation }));
  const command = commandOf(part);
  const inShell = command === undefined || isBarePatch(command) ? [] : findTouches(command);
  const patch =
    typeof input === 'string' ? input : (textField(input, PATCH_KEYS) ?? wordsOf(input));
  return [...own, ...patchedFiles(patch), ...inShell].map((touch) => ({ at, ...touch }));
}

function wordsOf(input: unknown): string {
  const fields = PATCH_KEYS.map((key) => readField(input, key));
  const words = fields.find((value) => Array.isArray(value)) ?? [];
  return words.filter((word) => typeof word === 'string').join('\n');
}
