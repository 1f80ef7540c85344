import type { Message, Part, ToolState } from '../message.ts';
import { findNewest, itemsFrom, rewriteFrom } from '../series/series.ts';

/** What a prune pass decided, before anything is changed. */
export interface PrunePlan {
  /** `below-minimum` names parts that a larger saving would have cleared. */
  readonly state: 'fire' | 'below-minimum' | 'nothing';
  /** Chosen parts, newest first. */
  readonly partIds: readonly string[];
  /** What the policy believes they weigh. */
  readonly estimatedTokens: number;
}

/** Marks the outputs of a firing plan as cleared. Stored output is kept; other plans change nothing. */
export function applyPrune(
  messages: readonly Message[],
  plan: PrunePlan,
  now: number,
): readonly Message[] {
  return changeOutputs(messages, plan, (state) => ({ ...state, compactedAt: now }));
}

/** Replaces the stored outputs of a firing plan by a sentence; what they said is gone. Source: design document 001. */
export function overwriteOutputs(
  messages: readonly Message[],
  plan: PrunePlan,
  sentence: string,
): readonly Message[] {
  return changeOutputs(messages, plan, (state) => ({ ...state, output: sentence }));
}

type CompletedState = ToolState & { readonly status: 'completed' };

/** Only from the oldest chosen output on are messages looked at. */
function changeOutputs(
  messages: readonly Message[],
  { state, partIds }: PrunePlan,
  change: (state: CompletedState) => CompletedState,
): readonly Message[] {
  if (state !== 'fire') return messages;
  const chosen = new Set(partIds);
  const from = Math.max(0, findOldest(messages, chosen));
  const changed = itemsFrom(messages, from).map((message) =>
    message.parts.some(({ id }) => chosen.has(id))
      ? { ...message, parts: message.parts.map((part) => changePart(part, chosen, change)) }
      : message,
  );
  return rewriteFrom(messages, from, changed);
}

/** Where the oldest message with one of the parts stands; -1 where not all of them are found. */
function findOldest(messages: readonly Message[], partIds: ReadonlySet<string>): number {
  const missing = new Set(partIds);
  return findNewest(messages, ({ parts }) => {
    for (const { id } of parts) missing.delete(id);
    return missing.size === 0;
  });
}

function changePart(
  part: Part,
  chosen: ReadonlySet<string>,
  change: (state: CompletedState) => CompletedState,
): Part {
  if (part.type !== 'tool' || part.state.status !== 'completed' || !chosen.has(part.id)) {
    return part;
  }
  return { ...part, state: change(part.state) };
}
