import type { Part } from '../../../engine/index.ts';
import type { FileTouch } from '../../summarizer/extractive/shell.ts';
import { readTouches } from '../../summarizer/extractive/touches.ts';

/** The files that a call read or changed. */
export type TouchesOf = (part: Part) => readonly FileTouch[];

const NONE: readonly FileTouch[] = [];

/** Reads touches off calls, off each call once. */
export function createTouches(): TouchesOf {
  const known = new Map<Part, readonly FileTouch[]>();
  return (part) => {
    if (part.type !== 'tool') return NONE;
    const touches = known.get(part) ?? readTouches([], [{ part, at: 0 }]).map(plain);
    known.set(part, touches);
    return touches;
  };
}

function plain({ path, operation }: FileTouch): FileTouch {
  return { path: path.replace(/^(?:\.\/)+/, ''), operation };
}
