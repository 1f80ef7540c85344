/** The pass that takes calls and thoughts out by their model messages. */

import { estimatePart, type Weights } from '../estimate.ts';
import { type Fold, foldOver, itemsFrom, type List } from '../history.ts';
import { isSummary, isWithout, type Message, type Part, standIn, storedPart } from '../message.ts';
import type { ByMessageOptions, CallRule } from '../prune-policy.ts';
import {
  isCheckpoint,
  isInjected,
  isSent,
  renderMessage,
  renderPart,
  splitSteps,
} from '../render.ts';
import { type PassResult, planOf, judgeOutputs } from './plan.ts';

interface ModelPiece {
  /**
   * The parts that it shows, as they were before prunes, in their order; a call and its result are one part, which two
   * messages show.
   */
  readonly parts: readonly Part[];
  readonly isStep: boolean;
}

/** Where a policy does not say what goes. */
export const TAKE_NOTHING: ByMessageOptions = { reasoning: 'none', toolCalls: [] };
const isTakable = (part: Part) =>
  part.type === 'tool' || (part.type === 'reasoning' && part.text !== '');

const oldestTakable: Fold<Message, number | undefined> = {
  by: { name: 'takable', rules: [] },
  start: undefined,
  add: (oldest, message, { index }) => {
    const { role, parts } = message;
    if (isSummary(message)) return undefined;
    const isFirst = oldest === undefined && role === 'assistant' && parts.some(isTakable);
    return isFirst ? index : oldest;
  },
};

/** Chooses calls and thoughts; what was taken out before counts. Source: `pruneMessages` of the AI SDK. */
export function passByMessage(
  messages: List<Message>,
  options: ByMessageOptions,
  policy: Weights,
): PassResult {
  const recent = itemsFrom(messages, foldOver(messages, oldestTakable) ?? messages.length);
  const pieces = recent.flatMap((message) => piecesOf(message, policy));
  const parts = recent.flatMap((message) => message.parts);
  const takenOut = parts.filter((part) => isWithout(part, 'call') || isWithout(part, 'text'));
  const known = new Set(takenOut.map(({ id }) => id));
  const gone = new Set<string>();
  takeReasoning(pieces, options, gone);
  for (const rule of options.toolCalls) takeCalls(pieces, rule, gone);
  const chosen = pieces
    .flatMap(({ parts, isStep }) => (isStep ? parts : []))
    .filter(({ id }) => gone.has(id) && !known.has(id))
    .map((part) => ({ part, tokens: estimatePart(part, 'assistant', policy) }))
    .toReversed();
  const plan = planOf(chosen);
  const judge = () => {
    const ids = new Set(plan.partIds);
    return judgeOutputs(messages, (part) =>
      ids.has(part.id)
        ? { verdict: 'taken-out', tokens: estimatePart(part, 'assistant', policy) }
        : { verdict: 'among-kept' },
    );
  };
  return { plan, change: takeOut, judge };
}

function piecesOf(message: Message, { render }: Weights): readonly ModelPiece[] {
  if (message.role === 'user' || isCheckpoint(message, render))
    return renderMessage(message, render).map(() => ({ parts: [], isStep: false }));
  if (!isSent(message)) return [];
  const isShown = (part: Part) =>
    renderPart(part, isInjected(part) ? 'user' : 'assistant', render).length > 0;
  return splitSteps(message.parts.map(storedPart)).flatMap((step) => {
    const shown = step.filter(isShown);
    const own = shown.filter((part) => !isInjected(part));
    const pieces = [
      { parts: own, isStep: true },
      { parts: own.filter(({ type }) => type === 'tool'), isStep: false },
      { parts: shown.filter(isInjected), isStep: false },
    ];
    return pieces.filter(({ parts }) => parts.length > 0);
  });
}

function takeReasoning(
  pieces: readonly ModelPiece[],
  { reasoning }: ByMessageOptions,
  gone: Set<string>,
): void {
  if (reasoning === 'none') return;
  const before = reasoning === 'all' ? pieces : pieces.slice(0, -1);
  for (const part of before.flatMap(({ parts }) => parts)) {
    if (part.type === 'reasoning') gone.add(part.id);
  }
}

function takeCalls(
  pieces: readonly ModelPiece[],
  { keepMessages, tools }: CallRule,
  gone: Set<string>,
): void {
  if (keepMessages === 0) return;
  const end = Math.max(0, pieces.length - (keepMessages ?? 0));
  const kept = new Set(pieces.slice(end).flatMap(({ parts }) => parts));
  const goes = (part: Part) =>
    part.type === 'tool' && !kept.has(part) && tools?.includes(part.tool) !== false;
  for (const { parts } of pieces) {
    const shown = parts.filter(({ id }) => !gone.has(id));
    const going = new Set(shown.filter(goes));
    for (const { id } of [...going, ...bereftThoughts(shown, going)]) gone.add(id);
  }
}

function bereftThoughts(parts: readonly Part[], going: ReadonlySet<Part>): readonly Part[] {
  const bereft: Part[] = [];
  let thoughts: Part[] = [];
  let following: Part[] = [];
  const close = () => {
    if (following.length > 0 && following.every((part) => going.has(part)))
      bereft.push(...thoughts);
    thoughts = [];
    following = [];
  };
  for (const part of parts) {
    if (part.type !== 'reasoning') following.push(part);
    else {
      if (following.length > 0) close();
      thoughts.push(part);
    }
  }
  close();
  return bereft;
}

function takeOut(part: Part, now: number): Part {
  if (part.type === 'reasoning') return standIn({ ...part, text: '' }, part, { what: 'text', now });
  return standIn({ type: 'text', id: part.id, text: '' }, part, { what: 'call', now });
}
