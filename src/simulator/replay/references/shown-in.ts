import type { Message, Part } from '../../../engine/index.ts';
import { contentOf } from '../content.ts';
import type { References, StaleOutput } from './reference.ts';

/** What a message shows of what a watch looks for. */
export interface Shown {
  readonly messageId: string;
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

/** What numbers the parts of a run, and knows the outputs that its recording does not have. */
export interface RunParts {
  readonly numberOf: (partId: string) => number;
  readonly outputOf: (partId: string) => string | undefined;
}

/** Runs of a trace see the same messages, so that each is looked through once. */
const kept = new WeakMap<References, WeakMap<object, Shown>>();

const NO_OUTPUTS: readonly StaleOutput[] = [];

/** Gives what messages show in a run over these references. */
export function createShownIn(
  references: References,
  parts: RunParts,
): (message: Message) => Shown {
  const known = kept.get(references) ?? new WeakMap<object, Shown>();
  kept.set(references, known);
  return (message) => {
    const content = contentOf(message);
    const shown = known.get(content);
    if (shown?.messageId === message.id) return shown;
    const found = lookThrough(message, references, parts);
    // Numbers of parts that the recording does not have are those of one run.
    if (message.parts.every(({ id }) => references.partNumbers.has(id))) known.set(content, found);
    return found;
  };
}

function lookThrough(
  message: Message,
  { standing, staleAfter, reads }: References,
  { numberOf, outputOf }: RunParts,
): Shown {
  return {
    messageId: message.id,
    parts: message.parts.map(({ id }) => numberOf(id)),
    wholes: message.parts
      .filter((part) => isWhole(part, outputOf(part.id)))
      .map(({ id }) => numberOf(id)),
    items: standing.itemsOf(message),
    stales: staleAfter.get(message.id) ?? NO_OUTPUTS,
    reads: reads.get(message.id) ?? 0,
  };
}

/** Neither cleared nor overwritten; an output that nobody knows cannot be told from another. */
function isWhole(part: Part, output: string | undefined): boolean {
  if (part.type !== 'tool') return false;
  const { state } = part;
  if (state.status === 'error') return true;
  if (state.status !== 'completed' || state.compactedAt !== undefined) return false;
  return output === undefined || state.output === output;
}
