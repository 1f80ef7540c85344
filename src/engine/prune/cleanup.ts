import type { List } from '../history.ts';
import type { Message, Part } from '../message.ts';
import type { Age } from './aged.ts';

/** Which pass clears what it finds useless, and when. */
export interface CleanupPolicy {
  readonly pass: CleanupName;
  /** At the end of each turn, before each request, or after a pause. */
  readonly when: 'turn-end' | 'before-request' | 'idle';
  /** Names in lower case of tools that it never touches; absent means none. */
  readonly protectedTools?: readonly string[];
  /** How old a part must be, of passes that go by that; absent means that the newest ones go as well. */
  readonly olderThan?: Age;
  /** Stands for each text of an input that goes; absent means that nothing does. */
  readonly inputText?: string;
}

/** The names of passes that find useless what they clear. */
export type CleanupName = 'duplicates' | 'superseded' | 'failed-inputs' | 'media' | 'reasoning';

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
