import { itemAt, type List, rewriteFrom, toArray } from '../history.ts';
import { type CompletedPart, isCompleted, type Message, type Part } from '../message.ts';
import type { PrunePlan } from '../state.ts';
import type { Judgement } from './by-age.ts';

/** A plan with what becomes of the parts that it chose. */
export interface PassResult {
  readonly plan: PrunePlan;
  /** Changes a chosen part; absent means that its output is cleared. */
  readonly change?: (part: Part, now: number) => Part;
  /** Judges every tool output, newest first. */
  readonly judge: () => Iterable<Judgement>;
}

/** A part that a pass chooses, with its estimated weight. */
export interface Chosen {
  readonly part: Part;
  readonly tokens: number;
}

type Change = (part: Part) => Part;

const STATES = ['fire', 'below-minimum', 'nothing'] as const;

/** The plan that takes out what a pass chose, where its weight is enough. */
export function planOf(
  chosen: readonly Chosen[],
  isEnough: (tokens: number) => boolean = () => true,
): PrunePlan {
  const estimatedTokens = chosen.reduce((total, { tokens }) => total + tokens, 0);
  const state = isEnough(estimatedTokens) ? 'fire' : 'below-minimum';
  return {
    state: chosen.length === 0 ? 'nothing' : state,
    partIds: chosen.map(({ part }) => part.id),
    estimatedTokens,
  };
}

/** Joins the plans of several passes, those that fired if any did. */
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
  return toArray(markOutputs(messages, { plan }, now));
}

/** The messages after a pass. */
export function markOutputs(
  messages: List<Message>,
  { plan, change = clearIfCompleted }: Omit<PassResult, 'judge'>,
  now: number,
): List<Message> {
  return changeParts(messages, plan, (part) => change(part, now));
}

/** Replaces the stored outputs of a firing plan by a sentence. Source: design document 001. */
export function overwriteOutputs(
  messages: List<Message>,
  plan: PrunePlan,
  sentence: string,
): List<Message> {
  return changeParts(messages, plan, (part) =>
    isCompleted(part) ? { ...part, state: { ...part.state, output: sentence } } : part,
  );
}

/** Messages with the parts of a firing plan changed; no two parts have one id. */
export function changeParts(
  messages: List<Message>,
  plan: PrunePlan,
  change: Change,
): List<Message> {
  if (plan.state !== 'fire') return messages;
  const missing = new Set(plan.partIds);
  const changePart: Change = (part) => (missing.delete(part.id) ? change(part) : part);
  const changed: Message[] = [];
  let from = messages.length;
  while (from > 0 && missing.size > 0) {
    from -= 1;
    changed.push(changeMessage(itemAt(messages, from) as Message, changePart));
  }
  return rewriteFrom(messages, from, changed.toReversed());
}

/** The part with its output cleared at that time. */
export function clearOutput(part: CompletedPart, compactedAt: number): CompletedPart {
  return { ...part, state: { ...part.state, compactedAt } };
}

function clearIfCompleted(part: Part, now: number): Part {
  return isCompleted(part) ? clearOutput(part, now) : part;
}

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
