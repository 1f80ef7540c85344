import type { SummaryRequest } from '../../../engine/index.ts';
import type { Call } from './head.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { toLine } from './plain-text.ts';
import { type FileTouch, findTouches } from './shell.ts';
import { commandOf, type FileOperation, operationOf, pathOf, textField } from './tool-calls.ts';

type DatedTouch = FileTouch & { readonly at: number };

/** Longest path that is listed; a longer one is left out, since half a path leads nowhere. */
const LONGEST_PATH = 260;
const PATCH_LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/;
const OPERATION_OF_PATCH_LINE = new Map<string, FileOperation>([
  ['Add File', 'created'],
  ['Update File', 'edited'],
  ['Delete File', 'deleted'],
  ['Move to', 'created'],
]);
const PATCH_KEYS = ['patchText', 'patch', 'input', 'command', 'cmd'];
const LISTED = /^(.+) \((created|edited|deleted|read|searched)\)$/;
const OPERATIONS: readonly FileOperation[] = ['created', 'edited', 'deleted', 'read', 'searched'];

/** Files and folders that calls read, changed, created or searched, each with the one thing to know of it. */
export function findFiles(
  messages: SummaryRequest['messages'],
  calls: readonly Call[],
  previous: readonly string[],
): readonly Item[] {
  const earlier = previous.map(readListed);
  const later = [...attachedFiles(messages), ...calls.flatMap(touchesOf)];
  const merged = mergeTouches([...earlier.filter((entry) => typeof entry !== 'string'), ...later]);
  return [
    ...earlier
      .filter((entry) => typeof entry === 'string')
      .map((text) => ({ text, weight: WEIGHTS.useful, at: BEFORE_HEAD })),
    ...merged.toSorted((a, b) => importanceOf(b) - importanceOf(a)).map(toFileItem),
  ];
}

/** An entry of an earlier summary: a file with its operation, or a line in words of its own. */
function readListed(line: string): DatedTouch | string {
  const [, path, name] = LISTED.exec(line) ?? [];
  const operation = OPERATIONS.find((known) => known === name);
  return path === undefined || operation === undefined
    ? line
    : { path, operation, at: BEFORE_HEAD };
}

function attachedFiles(messages: SummaryRequest['messages']): readonly DatedTouch[] {
  return messages.flatMap(({ role, parts }, at) =>
    parts.flatMap((part) =>
      role === 'user' && part.type === 'file' && part.filename !== undefined
        ? [{ path: part.filename, operation: 'read' as const, at }]
        : [],
    ),
  );
}

/** A call that failed or never ended touched nothing. */
function touchesOf({ part, at }: Call): readonly DatedTouch[] {
  if (part.state.status !== 'completed') return [];
  const operation = operationOf(part);
  const path = operation === undefined ? undefined : pathOf(part);
  const own = operation === undefined || path === undefined ? [] : [{ path, operation }];
  const command = commandOf(part);
  const inShell = command === undefined ? [] : findTouches(command);
  return [...own, ...patched(part.state.input), ...inShell].map((touch) => ({ ...touch, at }));
}

function patched(input: unknown): readonly FileTouch[] {
  const patch = typeof input === 'string' ? input : (textField(input, PATCH_KEYS) ?? '');
  if (!patch.includes('*** ')) return [];
  return patch.split(/\r\n?|\n/).flatMap((line) => {
    const [, verb = '', path = ''] = PATCH_LINE.exec(line) ?? [];
    const operation = OPERATION_OF_PATCH_LINE.get(verb);
    return operation === undefined ? [] : [{ path, operation }];
  });
}

function mergeTouches(touches: readonly DatedTouch[]): readonly DatedTouch[] {
  const byPath = new Map<string, DatedTouch>();
  for (const touch of touches) {
    const path = toLine(touch.path);
    if (path === '' || path.length > LONGEST_PATH) continue;
    const operation = mergeOperation(byPath.get(path)?.operation, touch.operation);
    byPath.set(path, { path, operation, at: touch.at });
  }
  return [...byPath.values()];
}

/** A change outweighs a look; writing a file that was there is an edit; a file made here stays so. */
function mergeOperation(before: FileOperation | undefined, now: FileOperation): FileOperation {
  if (before === undefined || before === 'searched') return now;
  if (now === 'deleted') return now;
  if (now === 'read' || now === 'searched') return before;
  return before === 'created' || before === 'deleted' ? 'created' : 'edited';
}

function importanceOf({ operation }: FileTouch): number {
  if (operation === 'searched') return WEIGHTS.spare;
  return operation === 'read' ? WEIGHTS.useful : WEIGHTS.important;
}

function toFileItem(touch: DatedTouch): Item {
  const { path, operation, at } = touch;
  return { text: `${path} (${operation})`, weight: importanceOf(touch), at, key: path };
}
