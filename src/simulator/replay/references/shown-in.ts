import { isStandIn, isWithout, type Message, type Part } from '../../../engine/index.ts';
import { outputOf } from '../../session/tool-calls.ts';
import type { KnownParts } from './known-parts.ts';
import type { References, StaleOutput, Standing } from './reference.ts';
import { saidTexts } from './texts.ts';

/** An output that is of no use any more, by the number of its part. */
export interface SpoiltOutput {
  readonly part: number;
  readonly tokens: number;
}

/** What a message shows of what a watch looks for. */
export interface Shown {
  readonly messageId: string;
  /** The same list in every run, although each run makes its messages anew. */
  readonly content: readonly Part[];
  /** Numbers of its parts. */
  readonly parts: readonly number[];
  /** Those of them of which it shows what was said or called; nobody refers to others, such as thoughts and marks of steps. */
  readonly said: readonly number[];
  /** Those of them whose output it shows as the tool gave it. */
  readonly wholes: readonly number[];
  /** Those of these that messages before it in the recording showed too; all of a message that is not of it. */
  readonly again: readonly number[];
  /** Indices of standing items. */
  readonly items: readonly number[];
  /** Outputs that it makes useless. */
  readonly stales: readonly SpoiltOutput[];
  /** Calls that read files. */
  readonly reads: number;
  /** Rows of identical calls that end with it. */
  readonly loops: number;
}

/** What messages are looked through with. */
export interface Looking {
  readonly references: Pick<References, 'standing' | 'staleAfter' | 'reads' | 'loops'>;
  readonly known: KnownParts;
}

const NONE: readonly number[] = [];
const NO_OUTPUTS: readonly SpoiltOutput[] = [];

/** Finds what a message shows; of a recorded one that was changed since, it is known what it showed. */
export function findShown(
  message: Message,
  { references, known }: Looking,
  recorded?: Shown,
): Shown {
  const parts = message.parts.map(({ id }, index) => {
    const isSame = recorded?.content[index]?.id === id;
    return (isSame ? recorded.parts[index] : undefined) ?? known.numberOf(id);
  });
  const wholes = parts.filter((part, index) => isWhole(message.parts[index], known.outputOf(part)));
  const hasStandIns = message.parts.some(isStandIn);
  const isSaidAll = message.parts.every(isSaid);
  const { standing, staleAfter, reads, loops } = references;
  const isNamedAsRecorded = !hasStandIns && !standing.isInOutputs;
  return {
    messageId: message.id,
    content: message.parts,
    parts,
    said: isSaidAll ? parts : parts.filter((_, index) => isSaid(message.parts[index])),
    wholes,
    again: wholes,
    items:
      (isNamedAsRecorded ? recorded?.items : undefined) ??
      orNone(itemsIn(message, standing, known)),
    stales: recorded?.stales ?? spoiltBy(staleAfter.get(message.id), known),
    reads: recorded?.reads ?? reads.get(message.id) ?? 0,
    loops: recorded?.loops ?? loops.get(message.id) ?? 0,
  };
}

/** What a message names, and what its whole outputs declare. */
function itemsIn(message: Message, standing: Standing, known: KnownParts): readonly number[] {
  const declared = message.parts.flatMap((part) => {
    const output = part.type === 'tool' ? outputOf(part) : undefined;
    const items = output === undefined ? NONE : standing.itemsOfOutput(output);
    return items.length > 0 && isWhole(part, known.outputOf(known.numberOf(part.id)))
      ? items
      : NONE;
  });
  const named = standing.itemsOf(message);
  return declared.length === 0 ? named : [...new Set([...named, ...declared])];
}

function spoiltBy(
  outputs: readonly StaleOutput[] | undefined,
  known: KnownParts,
): readonly SpoiltOutput[] {
  if (outputs === undefined) return NO_OUTPUTS;
  return outputs.map(({ partId, tokens }) => ({ part: known.numberOf(partId), tokens }));
}

function orNone(numbers: readonly number[]): readonly number[] {
  return numbers.length === 0 ? NONE : numbers;
}

function isSaid(part: Part | undefined): boolean {
  if (part?.type === 'tool') return !isWithout(part, 'input');
  return part !== undefined && !isStandIn(part) && saidTexts(part).some((text) => text !== '');
}

/** Neither cleared nor overwritten; an output that nobody knows cannot be told from another. */
function isWhole(part: Part | undefined, output: string | undefined): boolean {
  if (part?.type !== 'tool') return false;
  const { state } = part;
  if (state.status === 'error') return true;
  if (state.status !== 'completed' || state.compactedAt !== undefined) return false;
  if (isWithout(part, 'media')) return false;
  return output === undefined || state.output === output;
}
