import type { Message, Part } from '../../../engine/index.ts';
import type { FileTouch } from '../../session/calls/shell.ts';
import { readTouches } from '../../summarizer/extractive/touches.ts';

/** The files of a session, each under one name: the path from the folder that it works in, where it lies there. */
export interface Touches {
  /** The files that a call read or changed. */
  readonly of: (part: Part) => readonly FileTouch[];
  /** The name of the file that a path leads to. */
  readonly nameOf: (path: string) => string;
}

const NONE: readonly FileTouch[] = [];

/** Reads touches off the calls of a session, off each call once. */
export function createTouches(messages: readonly Message[]): Touches {
  const written = new Map<Part, readonly FileTouch[]>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === 'tool') written.set(part, readTouches([], [{ part, at: 0 }]));
  }
  const paths = [...written.values()].flatMap((touches) => touches.map(({ path }) => plain(path)));
  const start = findStart(new Set(paths));
  const nameOf = (path: string) => {
    const name = plain(path);
    const isInside = start !== undefined && name.startsWith(start) && name !== start;
    return isInside ? name.slice(start.length) : name;
  };
  const known = new Map(
    [...written].map(([part, touches]) => [
      part,
      touches.map(({ path, operation }) => ({ path: nameOf(path), operation })),
    ]),
  );
  return { of: (part) => known.get(part) ?? NONE, nameOf };
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

/** How the paths begin that lead into the folder from which most files are named in short that are named in full elsewhere. */
function findStart(paths: ReadonlySet<string>): string | undefined {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (const start of startsOf(path, paths)) counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  let found: string | undefined;
  for (const [start, count] of counts) if (count > (counts.get(found ?? '') ?? 0)) found = start;
  return found;
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
