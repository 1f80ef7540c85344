import type { Message, Part } from '../../../engine/index.ts';
import { countEach } from '../../lib/collections.ts';
import type { FileTouch } from '../../session/shell.ts';
import { readTouches } from '../../summarizer/extractive/touches.ts';

/** The files of a session, each under one name: the path from the folder that it works in, where it lies there. */
export interface Touches {
  /** The files that a call read or changed. */
  readonly of: (part: Part) => readonly FileTouch[];
  /** The name of the file that a path leads to, be it in short from another folder. */
  readonly nameOf: (path: string) => string;
}

const NONE: readonly FileTouch[] = [];

/** Reads touches off the calls of a session, off each call once. */
export function createTouches(messages: readonly Message[]): Touches {
  const written = new Map<Part, readonly FileTouch[]>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === 'tool') written.set(part, readTouches([], [{ part, at: 0 }]));
  }
  const [start, ...others] = findStarts(new Set([...written.values()].flat().flatMap(namesIn)));
  const shorten = (path: string) => withoutStart(plain(path), start);
  const known = new Map(
    [...written].map(([part, touches]) => [
      part,
      touches.map(({ path, operation }) => ({ path: shorten(path), operation })),
    ]),
  );
  const names = new Set([...known.values()].flat().map(({ path }) => path));
  const nameOf = (path: string) => {
    const name = shorten(path);
    if (names.has(name) || name.startsWith('/')) return name;
    const folder = others.find((other) => names.has(shorten(other + name)));
    return folder === undefined ? name : shorten(folder + name);
  };
  return { of: (part) => known.get(part) ?? NONE, nameOf };
}

/** A file in full, and in short where a command has it so. */
function namesIn({ path, written = path }: FileTouch): readonly string[] {
  return [plain(path), plain(written)];
}

/** Without steps that lead nowhere or back. */
function plain(path: string): string {
  const own = path.replace(/^(?:\.\/)+/, '');
  return own.includes('/.') ? withoutDetours(own) : own;
}

/** What leads back beyond the beginning of a path stays; above the root there is nothing. */
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

/** How paths begin that lead into folders from which files are named in short that are named in full elsewhere; first that of most files. */
function findStarts(paths: ReadonlySet<string>): readonly string[] {
  const counts = countEach([...paths].flatMap((path) => startsOf(path, paths)));
  return [...counts].toSorted(([, some], [, other]) => other - some).map(([start]) => start);
}

/** Beginnings of a path in full whose rest is a path too; a bare name tells too little. */
function startsOf(path: string, paths: ReadonlySet<string>): readonly string[] {
  const starts: string[] = [];
  if (!path.startsWith('/')) return starts;
  for (let slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const rest = path.slice(slash + 1);
    if (rest.includes('/') && paths.has(rest)) starts.push(path.slice(0, slash + 1));
  }
  return starts;
}
