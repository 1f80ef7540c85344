import type { Message, Part, ToolPart, ToolState } from '../message.ts';
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
  return changeOutputs(messages, plan, (part) => clearedAt(part, now));
}

/** Replaces the stored outputs of a firing plan by a sentence; what they said is gone. Source: design document 001. */
export function overwriteOutputs(
  messages: readonly Message[],
  plan: PrunePlan,
  sentence: string,
): readonly Message[] {
  return changeOutputs(messages, plan, (part) => ({
    ...part,
    state: { ...part.state, output: sentence },
  }));
}

type CompletedPart = ToolPart & { readonly state: ToolState & { readonly status: 'completed' } };

/** Only from the oldest chosen output on are messages looked at. */
function changeOutputs(
  messages: readonly Message[],
  { state, partIds }: PrunePlan,
  change: (part: CompletedPart) => Part,
): readonly Message[] {
  if (state !== 'fire') return messages;
  const chosen = new Set(partIds);
  const from = Math.max(0, findOldest(messages, chosen));
  const changed = itemsFrom(messages, from).map((message) =>
    message.parts.some(({ id }) => chosen.has(id))
      ? { ...message, parts: changeParts(message.parts, chosen, change) }
      : message,
  );
  return rewriteFrom(messages, from, changed);
}

/** What lists of parts became when outputs of them were last changed. Runs of one recording share its lists. */
const knownChanges = new WeakMap<readonly Part[], readonly Part[]>();

/** The parts with the chosen ones changed; the same list as last time where the same parts came of it. */
function changeParts(
  parts: readonly Part[],
  chosen: ReadonlySet<string>,
  change: (part: CompletedPart) => Part,
): readonly Part[] {
  const changed = parts.map((part) =>
    isCompleted(part) && chosen.has(part.id) ? change(part) : part,
  );
  const known = knownChanges.get(parts);
  if (known?.every((part, index) => part === changed[index])) return known;
  knownChanges.set(parts, changed);
  return changed;
}

/** What parts became when their outputs were last cleared. */
const knownCleared = new WeakMap<Part, CompletedPart>();

/** The part with its output cleared at that time; the same one for the same time. */
function clearedAt(part: CompletedPart, compactedAt: number): CompletedPart {
  const known = knownCleared.get(part);
  if (known?.state.compactedAt === compactedAt) return known;
  const cleared = { ...part, state: { ...part.state, compactedAt } };
  knownCleared.set(part, cleared);
  return cleared;
}

function isCompleted(part: Part): part is CompletedPart {
  return part.type === 'tool' && part.state.status === 'completed';
}

/** Where the oldest message with one of the parts stands; -1 where not all of them are found. */
function findOldest(messages: readonly Message[], partIds: ReadonlySet<string>): number {
  const missing = new Set(partIds);
  return findNewest(messages, ({ parts }) => {
    for (const { id } of parts) missing.delete(id);
    return missing.size === 0;
  });
}
