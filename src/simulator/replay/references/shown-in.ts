import type { Message, Part, ToolPart } from '../../../engine/index.ts';
import type { References, StaleOutput } from './reference.ts';

/** What a message shows of what a watch looks for. */
export interface Shown {
  readonly messageId: string;
  /** The same list in every run, although each run makes its messages anew. */
  readonly content: readonly Part[];
  /** Numbers of its parts. */
  readonly parts: readonly number[];
  /** Those of them whose output it shows as the tool gave it. */
  readonly wholes: readonly number[];
  /** Indices of standing items. */
  readonly items: readonly number[];
  /** Outputs that it makes useless. */
  readonly stales: readonly StaleOutput[];
  /** Calls that read files. */
  readonly reads: number;
}

/** What numbers parts, and knows their outputs. */
export interface KnownParts {
  readonly numberOf: (partId: string) => number;
  readonly outputOf: (partId: string) => string | undefined;
}

const NO_OUTPUTS: readonly StaleOutput[] = [];

/** Finds what a message shows. */
export function findShown(
  message: Message,
  { standing, staleAfter, reads }: References,
  { numberOf, outputOf }: KnownParts,
): Shown {
  const parts: number[] = [];
  const wholes: number[] = [];
  for (const part of message.parts) {
    const number = numberOf(part.id);
    parts.push(number);
    if (part.type === 'tool' && isWhole(part, outputOf(part.id))) wholes.push(number);
  }
  return {
    messageId: message.id,
    content: message.parts,
    parts,
    wholes,
    items: standing.itemsOf(message),
    stales: staleAfter.get(message.id) ?? NO_OUTPUTS,
    reads: reads.get(message.id) ?? 0,
  };
}

/** Neither cleared nor overwritten; an output that nobody knows cannot be told from another. */
function isWhole({ state }: ToolPart, output: string | undefined): boolean {
  if (state.status === 'error') return true;
  if (state.status !== 'completed' || state.compactedAt !== undefined) return false;
  return output === undefined || state.output === output;
}
