import { itemAt, itemsFrom, type List, rewriteFrom, toArray } from '../history.ts';
import { type CompletedPart, isCompleted, type Message, type Part } from '../message.ts';
import type { PrunePlan } from '../state.ts';

/** A plan with where to look for what it chose. */
export interface PlacedPlan {
  readonly plan: PrunePlan;
  /** How many messages there are up to the newest one that may hold a chosen part. */
  readonly length: number;
  /** Changes a chosen part; absent means that its output is cleared. */
  readonly change?: (part: Part, now: number) => Part;
}

/** A part that a pass chooses, with its estimated weight and the place of its message. */
export interface Chosen {
  readonly part: Part;
  readonly index: number;
  readonly tokens: number;
}

type Change = (part: Part) => Part;

const STATES = ['fire', 'below-minimum', 'nothing'] as const;

/** The plan that takes out what a pass chose, that of the newest message first. */
export function planOf(chosen: readonly Chosen[]): PlacedPlan {
  return {
    plan: {
      state: chosen.length === 0 ? 'nothing' : 'fire',
      partIds: chosen.map(({ part }) => part.id),
      estimatedTokens: chosen.reduce((total, { tokens }) => total + tokens, 0),
    },
    length: (chosen[0]?.index ?? -1) + 1,
  };
}

/** Joins the plans of several passes; a single one stays as it is. Where any of them fired, the others are left out. */
export function joinPlans(plans: readonly PrunePlan[]): PrunePlan {
  const [only] = plans;
  if (only !== undefined && plans.length === 1) return only;
  const fired = plans.filter(({ state }) => state === 'fire');
  const joined = fired.length > 0 ? fired : plans;
  return {
    state: STATES.find((name) => plans.some(({ state }) => state === name)) ?? 'nothing',
    partIds: [...new Set(joined.flatMap(({ partIds }) => partIds))],
    estimatedTokens: joined.reduce((total, { estimatedTokens }) => total + estimatedTokens, 0),
  };
}

/** Marks the outputs of a firing plan as cleared. Stored output is kept; other plans change nothing. */
export function applyPrune(
  messages: readonly Message[],
  plan: PrunePlan,
  now: number,
): readonly Message[] {
  return toArray(markOutputs(messages, { plan, length: messages.length }, now));
}

/** Applies a plan of which is known in which messages its outputs lie. */
export function markOutputs(
  messages: List<Message>,
  placed: PlacedPlan,
  now: number,
): List<Message> {
  const { change = clearIfCompleted } = placed;
  return changeParts(messages, placed, (part) => change(part, now));
}

/** Replaces the stored outputs of a firing plan by a sentence; what they said is gone. Source: design document 001. */
export function overwriteOutputs(
  messages: List<Message>,
  plan: PrunePlan,
  sentence: string,
): List<Message> {
  const placed = { plan, length: messages.length };
  return changeParts(messages, placed, (part) =>
    isCompleted(part) ? { ...part, state: { ...part.state, output: sentence } } : part,
  );
}

/**
 * Messages with the parts changed that a firing plan chose, from the newest one that may hold such a part back to the
 * oldest; all the way where one is not found. No two parts have one id.
 */
export function changeParts(
  messages: List<Message>,
  { plan, length }: PlacedPlan,
  change: Change,
): List<Message> {
  if (plan.state !== 'fire') return messages;
  const missing = new Set(plan.partIds);
  const changePart: Change = (part) => (missing.delete(part.id) ? change(part) : part);
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

/** The part with its output cleared at that time. */
export function clearOutput(part: CompletedPart, compactedAt: number): CompletedPart {
  return { ...part, state: { ...part.state, compactedAt } };
}

function clearIfCompleted(part: Part, now: number): Part {
  return isCompleted(part) ? clearOutput(part, now) : part;
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
  return changed === undefined ? message : { ...message, parts: changed };
}
