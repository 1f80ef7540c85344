import type { FileOperation } from '../../session/tool-calls.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { type DatedTouch, isChange } from './touches.ts';

const LISTED = /^(.+) \((created|edited|deleted|read|searched)\)$/;
const OPERATIONS: readonly FileOperation[] = ['created', 'edited', 'deleted', 'read', 'searched'];

/** Files and folders that were read, changed, created or searched, each with the one thing to know of it. */
export function findFiles(
  touches: readonly DatedTouch[],
  previous: readonly string[],
): readonly Item[] {
  const earlier = previous.map(readListed);
  const listed = earlier.filter((entry) => typeof entry !== 'string');
  const merged = mergeTouches([...listed, ...touches]);
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

function mergeTouches(touches: readonly DatedTouch[]): readonly DatedTouch[] {
  const byPath = new Map<string, DatedTouch>();
  for (const touch of touches) {
    const operation = mergeOperation(byPath.get(touch.path)?.operation, touch.operation);
    byPath.set(touch.path, { ...touch, operation });
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

function importanceOf(touch: DatedTouch): number {
  if (touch.operation === 'searched') return WEIGHTS.spare;
  return isChange(touch) ? WEIGHTS.important : WEIGHTS.useful;
}

function toFileItem(touch: DatedTouch): Item {
  const { path, operation, at } = touch;
  return { text: `${path} (${operation})`, weight: importanceOf(touch), at, key: path };
}
