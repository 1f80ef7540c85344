import {
  entryAt,
  type FoundEntry,
  isSkipped,
  openFolder,
  pathIn,
  realPathOf,
  toSlashes,
} from './folder.ts';

/** What is to be matched below a folder. */
interface Place {
  readonly folder: string;
  readonly segments: readonly string[];
}

/** A search that goes on. */
interface Search {
  /** Where any depth was looked into, with how much of the pattern: folders may be linked in a ring. */
  readonly seen: Set<string>;
  /** Where it is yet to go: what wildcards find in linked folders comes after what lies here, which has the shorter names. */
  readonly places: Place[];
}

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
  const written = toSlashes(pattern).split('/');
  const steps = written.filter((segment, index) => !isRepeat(segment, written[index - 1]));
  const isAbsolute = steps[0] === '';
  const start = { folder: isAbsolute ? '/' : '', segments: isAbsolute ? steps.slice(1) : steps };
  const search: Search = { seen: new Set(), places: [start] };
  const found: FoundEntry[] = [];
  // More may come while they are gone through.
  for (const place of search.places) found.push(...matchIn(place, search));
  return found;
}

function isRepeat(segment: string, previous: string | undefined): boolean {
  return segment === ANY_DEPTH && previous === ANY_DEPTH;
}

function* matchIn(place: Place, search: Search): Generator<FoundEntry> {
  const { folder, segments } = place;
  const [segment = '*', ...rest] = segments;
  if (!isGlob(segment)) {
    yield* matchEntry(entryAt(pathIn(folder, segment)), rest, search);
    return;
  }
  if (segment === ANY_DEPTH && !isNew(place, search)) return;
  const entries = openFolder(folder);
  if ('reason' in entries) yield entries;
  else if (segment === ANY_DEPTH) yield* matchBelow(place, entries, search);
  else yield* matchEntries(place, entries, search);
}

function isNew({ folder, segments }: Place, { seen }: Search): boolean {
  const key = `${segments.length} ${realPathOf(folder)}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** In the folder itself, and at any depth below it. */
function* matchBelow(
  { folder, segments }: Place,
  entries: readonly FoundEntry[],
  search: Search,
): Generator<FoundEntry> {
  yield* matchIn({ folder, segments: segments.slice(1) }, search);
  for (const entry of entries) {
    if (entry.kind === 'folder' && !isSkipped(entry)) yield* matchEntry(entry, segments, search);
  }
}

function* matchEntries(
  { segments: [segment = '*', ...rest] }: Place,
  entries: readonly FoundEntry[],
  search: Search,
): Generator<FoundEntry> {
  const name = toNamePattern(segment);
  for (const entry of entries) {
    if (!name.test(entry.name) || (isSkipped(entry) && !segment.startsWith('.'))) continue;
    yield* matchEntry(entry, rest, search);
  }
}

/** What matched so far is a match if it is a file and nothing more is asked. */
function* matchEntry(
  entry: FoundEntry | undefined,
  rest: readonly string[],
  search: Search,
): Generator<FoundEntry> {
  if (entry?.kind === 'unreadable') yield entry;
  if (entry?.kind === 'file' && rest.length === 0) yield entry;
  if (entry?.kind !== 'folder' || rest.length === 0) return;
  const place = { folder: entry.path, segments: rest };
  if (entry.isLinked) search.places.push(place);
  else yield* matchIn(place, search);
}

function toNamePattern(segment: string): RegExp {
  const source = segment.replaceAll(SPECIAL, '\\$&').replaceAll(/\*+/g, '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}
