import { entryAt, type FoundEntry, isSkipped, openFolder, pathIn, toSlashes } from './folder.ts';

const ANY_DEPTH = '**';
const WILDCARD = /[*?]/;
const SPECIAL = /[\\^$.|+()[\]{}]/g;

/** Whether a path is a pattern: `*` and `?` stand for parts of a name, `**` for any number of folders. */
export function isGlob(path: string): boolean {
  return WILDCARD.test(path);
}

/**
 * The files that match a pattern, and what may not be looked at where they are searched; one may match in several ways.
 * Wildcards leave out what is hidden, unless the pattern names the dot.
 */
export function expandGlob(pattern: string): readonly FoundEntry[] {
  const segments = toSlashes(pattern).split('/');
  const steps = segments.filter((segment, index) => !isRepeat(segment, segments[index - 1]));
  const isAbsolute = steps[0] === '';
  return [...(isAbsolute ? matchIn('/', steps.slice(1)) : matchIn('', steps))];
}

function isRepeat(segment: string, previous: string | undefined): boolean {
  return segment === ANY_DEPTH && previous === ANY_DEPTH;
}

function* matchIn(folder: string, segments: readonly string[]): Generator<FoundEntry> {
  const [segment = '*', ...rest] = segments;
  if (!isGlob(segment)) {
    yield* matchEntry(entryAt(pathIn(folder, segment)), rest);
    return;
  }
  const entries = openFolder(folder);
  if ('reason' in entries) yield entries;
  else if (segment === ANY_DEPTH) yield* matchBelow({ folder, entries }, rest);
  else yield* matchEntries(entries, segment, rest);
}

/** A folder that was read. */
interface OpenFolder {
  readonly folder: string;
  readonly entries: readonly FoundEntry[];
}

function* matchBelow(
  { folder, entries }: OpenFolder,
  rest: readonly string[],
): Generator<FoundEntry> {
  yield* matchIn(folder, rest);
  for (const entry of entries) {
    if (entry.kind === 'folder' && !isSkipped(entry)) {
      yield* matchIn(entry.path, [ANY_DEPTH, ...rest]);
    }
  }
}

function* matchEntries(
  entries: readonly FoundEntry[],
  segment: string,
  rest: readonly string[],
): Generator<FoundEntry> {
  const name = toNamePattern(segment);
  for (const entry of entries) {
    if (!name.test(entry.name) || (isSkipped(entry) && !segment.startsWith('.'))) continue;
    yield* matchEntry(entry, rest);
  }
}

/** What matched so far is a match if it is a file and nothing more is asked. */
function* matchEntry(
  entry: FoundEntry | undefined,
  rest: readonly string[],
): Generator<FoundEntry> {
  if (entry?.kind === 'unreadable') yield entry;
  if (entry?.kind === 'folder' && rest.length > 0) yield* matchIn(entry.path, rest);
  if (entry?.kind === 'file' && rest.length === 0) yield entry;
}

function toNamePattern(segment: string): RegExp {
  const source = segment.replaceAll(SPECIAL, '\\$&').replaceAll(/\*+/g, '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}
