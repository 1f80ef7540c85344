import type { Message, Part, ToolPart } from '../../../engine/index.ts';

/**
 * How a step shows that it needs something: a generated session declares it, a reading call gives lines again, an edit stands on
 * lines, a file is opened; or, weaker, the step writes a rare name or a sentence, or copies lines of code.
 */
export type ReferenceKind = 'declared' | 'given-back' | 'anchor' | 'path' | 'name' | 'phrase';

/**
 * A later use of earlier content, by what the recording itself held: it reads the content again though it held it, or because
 * its own compaction had removed it; it goes on from what it held, or from what only its summary can have told; or nobody knows.
 */
export type RecordedUse = 'habit' | 'caused' | 'used' | 'carried' | 'unknown';

/** The kinds of content that a step needs: what was read of a file, another output, or a text or call. */
export type Content = 'file' | 'output' | 'said';

/**
 * One side of a part by number: twice the number of its part is what it says, a text or a call; one more is the
 * output of the call.
 */
export type Side = number;

/** The oldest part of a session has number 0. */
export interface NumberedPart {
  readonly part: Part;
  readonly messageId: string;
  /** Step that wrote it, or that followed the user's message; from 1. */
  readonly step: number;
}

/** A step that needs earlier content. */
export interface Reference {
  readonly step: number;
  readonly messageId: string;
  readonly kind: ReferenceKind;
  /** Number of the content; a file is one content, however often it is read. */
  readonly document: number;
  /** True if an action of the agent brings the content back. */
  readonly isRecoverable: boolean;
  readonly pieces: readonly number[];
  readonly leastMissing: number;
  /** Parts from this number on are not earlier. */
  readonly before: number;
  /** The newest sides that hold most of the pieces, the largest first. */
  readonly sources: readonly Side[];
  readonly isFile: boolean;
  /** The call that brings the content back; absent where the step makes it itself, or where there is none. */
  readonly call?: ToolPart | undefined;
  readonly use: RecordedUse;
  /** Of its largest source. */
  readonly content: Content;
}

/** A read output that a later write made useless. */
export interface StaleOutput {
  readonly side: Side;
  readonly tokens: number;
}

/** Numbers of a session's messages that are not about needs. */
export interface Activity {
  readonly fileReads: number;
  /** Reads of files that give what an earlier read gave, with no write in between. */
  readonly fileRereads: number;
  /** Contents asked for the third time by the same call, and rows of three identical calls that gave anything else. */
  readonly loops: number;
  readonly stale: readonly StaleOutput[];
}

/** A wish of the user, what a generated session declares as one, or a file of the work: they should not get lost. */
export interface StandingItem {
  readonly id: string;
  readonly kind: 'constraint' | 'path';
  /** Stays on this machine: events name it by its id. */
  readonly text: string;
}

/** Standing items, and the sides that name them. */
export interface Standing {
  readonly items: readonly StandingItem[];
  readonly itemsOf: readonly (readonly number[])[];
  /** Indices of the items that a text of the policy's own carries. */
  readonly itemsIn: (text: string) => readonly number[];
}

/** The earlier content that each step of a session needs. */
export interface References {
  /** Of the session, in order. */
  readonly messages: readonly Message[];
  readonly all: readonly Reference[];
  readonly byMessage: ReadonlyMap<string, readonly Reference[]>;
  readonly parts: readonly NumberedPart[];
  readonly partNumbers: ReadonlyMap<string, number>;
  /** Pieces of each side that any step needs, each once. */
  readonly piecesOf: readonly (readonly number[])[];
  /** Sides that hold each piece, oldest first. */
  readonly holders: readonly (readonly Side[])[];
  /** Pieces of a text that any step needs, each once. */
  readonly piecesIn: (text: string) => readonly number[];
  /** The words of a piece; they stay on this machine. */
  readonly wordsOf: (piece: number) => string;
  /** True tokens of a side. */
  readonly tokensOf: (side: Side) => number;
  readonly activity: ReadonlyMap<string, Activity>;
  readonly standing: Standing;
}

/** The number of a side's part. */
export function partOf(side: Side): number {
  return side >> 1;
}

/** The other side of the same part. */
export function otherSide(side: Side): Side {
  return side ^ 1;
}

/** Tests if a side is an output. */
export function isOutput(side: Side): boolean {
  return (side & 1) === 1;
}

/** The side of a part that a model wrote, or its output. */
export function sideOf(part: number, of: 'said' | 'output'): Side {
  return of === 'said' ? 2 * part : 2 * part + 1;
}
