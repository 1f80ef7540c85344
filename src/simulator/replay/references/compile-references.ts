import type { Message, Part, RenderPolicy } from '../../../engine/index.ts';
import type { TokenBasis } from '../../events.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { type CountText, countPart, countWritten } from '../count.ts';
import type { Weigh } from './documents.ts';
import { findReferences } from './find-references.ts';
import type { References } from './reference.ts';

/** What the references of a trace are found in, and what weighs them. */
export interface CompileReferencesOptions {
  /** Of the trace, in order. */
  readonly messages: () => readonly Message[];
  readonly facts: readonly PlantedFact[];
  /** The system prompt, where the recording has it. */
  readonly system: string | undefined;
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

/** Finds the references of a trace when they are asked for, once. */
export function compileReferences(options: CompileReferencesOptions): () => References {
  let known: References | undefined;
  return () => {
    const { messages, facts, system } = options;
    known ??= findReferences({ messages: messages(), facts, system, weigh: createWeigh(options) });
    return known;
  };
}

function createWeigh({ basis, count, render }: CompileReferencesOptions): Weigh {
  const scaled = (tokens: number) => Math.round(basis.factor * tokens);
  const saidTokens = (part: Part) => scaled(countWritten(part, { render, count }));
  return (part, side) => {
    if (part.type !== 'tool') return scaled(countPart(part, 'user', { render, count }));
    if (side === 'said') return saidTokens(part);
    return Math.max(0, scaled(countPart(part, 'assistant', { render, count })) - saidTokens(part));
  };
}
