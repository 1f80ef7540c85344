import {
  canonicalJson,
  type FilePart,
  type Message,
  type Part,
  type ToolPart,
} from '../../../engine/index.ts';
import { outputOf } from '../../session/tool-calls.ts';

/**
 * How a reference was found: a generated session declares it, the same call is made again and gives the same, or
 * words of a text or an argument stand in one earlier part only.
 */
export type ReferenceKind = 'declared' | 'recalled' | 'quoted';

/** The side of a part that a model reads: its text or call (`said`), or the tool's result (`output`). */
export type Side = 'said' | 'output';

/** The newest part that holds a content at the step that needs it. */
export interface Source {
  /** Number of the content in its session; unchanged content that is read again keeps its number. */
  readonly document: number;
  readonly messageId: string;
  readonly partId: string;
  /** All parts that hold the content, as long as no write makes it useless: also those that are still to come. */
  readonly parts: readonly Part[];
  readonly side: Side;
  /** Step that wrote the part, or that followed the user's message; from 1. */
  readonly step: number;
  /** True tokens of the content. */
  readonly tokens: number;
  /** True tokens of the call that brings it back; 0 where no call does. */
  readonly callTokens: number;
  readonly isFileRead: boolean;
}

/** A step that needs an earlier part. */
export interface Reference {
  readonly step: number;
  /** Of the step. */
  readonly messageId: string;
  readonly kind: ReferenceKind;
  readonly source: Source;
  /** Calls of the step that give the content again; absent where none does. */
  readonly calls?: number | undefined;
}

/** A read output that a later write made useless. */
export interface StaleOutput {
  readonly partId: string;
  readonly tokens: number;
}

/** A wish of the user, what a generated session declares as one, or a file of the work: they should not get lost. */
export interface StandingItem {
  readonly id: string;
  readonly kind: 'constraint' | 'path';
  /** Stays on this machine: events name it by its id. */
  readonly text: string;
}

/** Standing items, by the messages that hold them. */
export interface Standing {
  readonly items: readonly StandingItem[];
  /** Indices of items; of a message of the policy's own, those that its text carries. */
  itemsOf(message: Message): readonly number[];
  /** Of a whole output, those that it declares. */
  itemsOfOutput(output: string): readonly number[];
  /** True if any output declares one. */
  readonly isInOutputs: boolean;
}

/** The earlier content that each step of a session needs. */
export interface References {
  /** Of the session, in order. */
  readonly messages: readonly Message[];
  readonly all: readonly Reference[];
  readonly byMessage: ReadonlyMap<string, readonly Reference[]>;
  /** Numbers of all parts from 0 on, by id. */
  readonly partNumbers: ReadonlyMap<string, number>;
  /** Whole outputs by part id. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Outputs that become useless after a message, by its id. */
  readonly staleAfter: ReadonlyMap<string, readonly StaleOutput[]>;
  /** Calls that read files, by the id of their message. */
  readonly reads: ReadonlyMap<string, number>;
  /** Lengths of rows of identical calls that end with a message, by its id. */
  readonly loops: ReadonlyMap<string, number>;
  readonly standing: Standing;
}

/** The texts of a part that the model or user wrote: its text, or every string in a call's arguments. */
export function saidTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  return part.type === 'tool' ? textsIn(part.state.input) : [];
}

/** Tests if two calls returned the same texts and the same attachments. */
export function givesSame(one: Part, other: Part): boolean {
  if (one.type !== 'tool' || other.type !== 'tool') return false;
  const [files, otherFiles] = [attachmentsOf(one), attachmentsOf(other)];
  return (
    outputOf(one) === outputOf(other) &&
    files.length === otherFiles.length &&
    files.every(({ mime, url }, at) => otherFiles[at]?.mime === mime && otherFiles[at]?.url === url)
  );
}

/** The key of a call: its tool and its arguments, independent of the order of keys. */
export function callKey({ tool, state }: ToolPart): string {
  return `${tool} ${canonicalJson(state.input)}`;
}

/** Every text in a value of unknown shape, however deep. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next)) open.push(inner);
    }
  }
  return texts;
}

function attachmentsOf({ state }: ToolPart): readonly FilePart[] {
  return state.status === 'completed' ? (state.attachments ?? []) : [];
}
