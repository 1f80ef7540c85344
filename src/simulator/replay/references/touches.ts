import type { Message, Part, ToolPart } from '../../../engine/index.ts';
import { addToGroup, countEach } from '../../lib/collections.ts';
import type { FileTouch } from '../../session/shell.ts';
import { readTouches } from '../../session/touches.ts';

/** The files of a session, each under one name: the path from its folder, where it lies there. */
export type Touches = ReturnType<typeof createTouches>;

const NONE: readonly FileTouch[] = [];
const NO_READS: readonly ToolPart[] = [];

/** Reads touches off the calls of a session, off each call once. */
export function createTouches(messages: readonly Message[]) {
  const written = new Map<ToolPart, readonly FileTouch[]>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool') written.set(part, readTouches([], [{ part, at: 0 }]));
  }
  const [start, ...others] = findStarts(new Set([...written.values()].flat().flatMap(namesIn)));
  const shorten = (path: string) => withoutStart(plain(path), start);
  const known = new Map<Part, readonly FileTouch[]>(
    [...written].map(([part, touches]) => [
      part,
      touches.map(({ path, operation }) => ({ path: shorten(path), operation })),
    ]),
  );
  const names = new Set([...known.values()].flat().map(({ path }) => path));
  /** The name of the file that a path leads to, be it in short from another folder. */
  const nameOf = (path: string) => {
    const name = shorten(path);
    if (names.has(name) || name.startsWith('/')) return name;
    const folder = others.find((other) => names.has(shorten(other + name)));
    return folder === undefined ? name : shorten(folder + name);
  };
  const reads = readsByFile(known);
  return {
    of: (part: Part) => known.get(part) ?? NONE,
    nameOf,
    /** Oldest first. */
    readsOf: (name: string) => reads.get(name) ?? NO_READS,
  };
}

function readsByFile(touches: ReadonlyMap<Part, readonly FileTouch[]>) {
  const reads = new Map<string, ToolPart[]>();
  for (const [part, touched] of touches) {
    if (part.type !== 'tool') continue;
    for (const { path, operation } of touched) {
      if (operation === 'read') addToGroup(reads, path, part);
    }
  }
  return reads;
}

/** Starts of paths into folders from which files are named in short, the most frequent first. */
function findStarts(paths: ReadonlySet<string>): readonly string[] {
  const counts = countEach([...paths].flatMap((path) => startsOf(path, paths)));
  return [...counts].toSorted(([, some], [, other]) => other - some).map(([start]) => start);
}

/** Full paths whose end is also a path; a bare name is too ambiguous. */
function startsOf(path: string, paths: ReadonlySet<string>): readonly string[] {
  const starts: string[] = [];
  if (!path.startsWith('/')) return starts;
  for (let slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const rest = path.slice(slash + 1);
    if (rest.includes('/') && paths.has(rest)) starts.push(path.slice(0, slash + 1));
  }
  return starts;
}

function namesIn({ path, written = path }: FileTouch): readonly string[] {
  return [plain(path), plain(written)];
}

function plain(path: string): string {
  const own = path.replace(/^(?:\.\/)+/, '');
  return own.includes('/.') ? withoutDetours(own) : own;
}

/** A `..` beyond the start of a relative path stays; at the root it is dropped. */
function withoutDetours(path: string): string {
  const kept: string[] = [];
  for (const step of path.split('/')) {
    const before = kept.at(-1);
    if (step === '.' || (step === '..' && before === '')) continue;
    if (step !== '..' || before === undefined || before === '..') kept.push(step);
    else kept.pop();
  }
  return kept.join('/');
}

function withoutStart(path: string, start: string | undefined): string {
  const isInside = start !== undefined && path.startsWith(start) && path !== start;
  return isInside ? path.slice(start.length) : path;
}
