import { type CompletedPart, isCompleted, type Message, type Part } from '../message.ts';
import { itemAt, itemsFrom, lengthOf, rewriteFrom } from '../series/series.ts';

/** What a prune pass decided, before anything is changed. */
export interface PrunePlan {
  /** `below-minimum` names parts that a larger saving would have cleared. */
  readonly state: 'fire' | 'below-minimum' | 'nothing';
  /** Chosen parts, newest first. */
  readonly partIds: readonly string[];
  /** What the policy believes they weigh. */
  readonly estimatedTokens: number;
}

/** A plan with where to look for what it chose. */
export interface PlacedPlan {
  readonly plan: PrunePlan;
  /** How many messages there are up to the newest one that may hold a chosen output. */
  readonly length: number;
}

/** Marks the outputs of a firing plan as cleared. Stored output is kept; other plans change nothing. */
export function applyPrune(
  messages: readonly Message[],
  plan: PrunePlan,
  now: number,
): readonly Message[] {
  return markOutputs(messages, { plan, length: lengthOf(messages) }, now);
}

/** The same for a plan of which is known where it applies. */
export function markOutputs(
  messages: readonly Message[],
  placed: PlacedPlan,
  now: number,
): readonly Message[] {
  return changeOutputs(messages, placed, (part) => clearedAt(part, now));
}

/** Replaces the stored outputs of a firing plan by a sentence; what they said is gone. Source: design document 001. */
export function overwriteOutputs(
  messages: readonly Message[],
  plan: PrunePlan,
  sentence: string,
): readonly Message[] {
  const placed = { plan, length: lengthOf(messages) };
  return changeOutputs(messages, placed, (part) => ({
    ...part,
    state: { ...part.state, output: sentence },
  }));
}

type Change = (part: Part) => Part;

/**
 * From the newest message that may hold a chosen output back to the oldest; all the way where one is not found. No two
 * parts have one id.
 */
function changeOutputs(
  messages: readonly Message[],
  { plan, length }: PlacedPlan,
  change: (part: CompletedPart) => CompletedPart,
): readonly Message[] {
  if (plan.state !== 'fire') return messages;
  const missing = new Set(plan.partIds);
  const changePart: Change = (part) =>
    isCompleted(part) && missing.delete(part.id) ? change(part) : part;
  const changed: Message[] = [];
  let from = length;
  while (from > 0 && missing.size > 0) {
    from -= 1;
    const message = itemAt(messages, from);
    if (message !== undefined) changed.push(changeMessage(message, changePart));
  }
  changed.reverse();
  return rewriteFrom(messages, from, changed.concat(itemsFrom(messages, length)));
}

/** A message with its parts changed; the same one where none of them is. */
function changeMessage(message: Message, change: Change): Message {
  const { parts } = message;
  let changed: Part[] | undefined;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    const other = change(part);
    if (other === part) continue;
    changed ??= parts.slice();
    changed[index] = other;
  }
  return changed === undefined ? message : { ...message, parts: keepList(parts, changed) };
}

/** What lists of parts became when outputs of them were last changed. Runs of one recording share its lists. */
const knownLists = new WeakMap<readonly Part[], readonly Part[]>();

/** The list that a list of parts became last time, where the same parts are in it; else the new one. */
function keepList(parts: readonly Part[], changed: readonly Part[]): readonly Part[] {
  const known = knownLists.get(parts);
  if (known?.every((part, index) => part === changed[index])) return known;
  knownLists.set(parts, changed);
  return changed;
}

/** What parts became when their outputs were last cleared. */
const knownCleared = new WeakMap<Part, CompletedPart>();

/** The part with its output cleared at that time; the same one for the same time. */
function clearedAt(part: CompletedPart, compactedAt: number): CompletedPart {
  const known = knownCleared.get(part);
  if (known?.state.compactedAt === compactedAt) return known;
  // Assigned, so that states that are cleared alike are of one kind for whoever reads them.
  const cleared = { ...part, state: Object.assign({}, part.state, { compactedAt }) };
  knownCleared.set(part, cleared);
  return cleared;
}
