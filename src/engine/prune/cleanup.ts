import { type CleanupPolicy } from '../policy.ts';
import type { List } from '../history.ts';
import type { Message, Part } from '../message.ts';

/** A part that a pass clears, and the index of its message. */
export interface Found {
  readonly part: Part;
  readonly index: number;
}

/** A pass that finds useless what it clears, whatever it weighs. */
export interface Cleanup {
  /** The parts of a history that go, back to the newest summary; one may be named twice. */
  readonly find: (history: List<Message>, rules: CleanupPolicy) => readonly Found[];
  /** What stands in the place of one of them. */
  readonly clear: (part: Part, rules: CleanupPolicy, now: number) => Part;
}

/** Whether a pass leaves a part alone for its tool. */
export function isProtected(part: Part, { protectedTools }: CleanupPolicy): boolean {
  return part.type === 'tool' && protectedTools?.includes(part.tool.toLowerCase()) === true;
}
