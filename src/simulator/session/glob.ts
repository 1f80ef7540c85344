import { type FolderEntry, isSkipped, kindOf, pathIn, readFolder, toSlashes } from './folder.ts';

const ANY_DEPTH = '**';
const WILDCARD = /[*?]/;
const SPECIAL = /[\\^$.|+()[\]{}]/g;

/** Whether a path is a pattern: `*` and `?` stand for parts of a name, `**` for any number of folders. */
export function isGlob(path: string): boolean {
  return WILDCARD.test(path);
}

/** The files that match a pattern; one may match in several ways. Wildcards leave out what is hidden, unless the pattern names the dot. */
export function expandGlob(pattern: string): readonly string[] {
  const segments = toSlashes(pattern).split('/');
  const steps = segments.filter((segment, index) => !isRepeat(segment, segments[index - 1]));
  const isAbsolute = steps[0] === '';
  return [...(isAbsolute ? matchIn('/', steps.slice(1)) : matchIn('', steps))];
}

function isRepeat(segment: string, previous: string | undefined): boolean {
  return segment === ANY_DEPTH && previous === ANY_DEPTH;
}

function* matchIn(folder: string, segments: readonly string[]): Generator<string> {
  const [segment = '*', ...rest] = segments;
  if (segment === ANY_DEPTH) yield* matchBelow(folder, rest);
  else if (isGlob(segment)) yield* matchEntries(folder, segment, rest);
  else yield* matchAt(pathIn(folder, segment), rest);
}

function* matchBelow(folder: string, rest: readonly string[]): Generator<string> {
  yield* matchIn(folder, rest);
  for (const entry of readFolder(folder)) {
    if (entry.kind === 'folder' && !isSkipped(entry)) yield* matchBelow(entry.path, rest);
  }
}

function* matchEntries(
  folder: string,
  segment: string,
  rest: readonly string[],
): Generator<string> {
  const name = toNamePattern(segment);
  for (const entry of readFolder(folder)) {
    if (!name.test(entry.name) || (isSkipped(entry) && !segment.startsWith('.'))) continue;
    yield* matchAt(entry.path, rest, entry.kind);
  }
}

/** A path that matched so far is a match if it is a file and nothing more is asked. */
function* matchAt(
  path: string,
  rest: readonly string[],
  kind: FolderEntry['kind'] | undefined = kindOf(path),
): Generator<string> {
  if (kind === 'folder' && rest.length > 0) yield* matchIn(path, rest);
  if (kind === 'file' && rest.length === 0) yield path;
}

function toNamePattern(segment: string): RegExp {
  const source = segment.replaceAll(SPECIAL, '\\$&').replaceAll(/\*+/g, '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}
