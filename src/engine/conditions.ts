/** Conditions of a trigger: tokens, shares, messages and events, joined by and and or. */

import { foldOver, type List } from './history.ts';
import { isAsked } from './latest.ts';
import { isPrompt, markerOf, type Message } from './message.ts';

/**
 * Messages as a model gets them, where each result of a tool is one of its own; events, where a call and its result
 * are one each, a text alone is one, and the system prompt is the first; or turns, which are prompts of a person.
 */
export type CountUnit = 'messages' | 'events' | 'turns';

/** One condition of a trigger; a number that is reached meets it. */
export type TriggerCondition =
  /** The overflow rule finds its tokens over what is usable. */
  | { readonly unit: 'usable' }
  | { readonly unit: 'tokens' | CountUnit; readonly atLeast: number }
  /** A share of the window. */
  | { readonly unit: 'share'; readonly atLeast: number };

/** A condition of a trigger, and what it was compared with. */
export interface ConditionCheck {
  readonly unit: TriggerCondition['unit'];
  readonly count: number;
  readonly limit: number;
  readonly comparison: '>' | '>=';
  readonly isMet: boolean;
}

/** The facts that conditions are compared with. */
export interface ConditionFacts {
  readonly limits: { readonly contextTokens: number };
  readonly countTokens: number;
  /** The overflow rule's own comparison. */
  readonly usableTokens: number;
  readonly comparison: '>' | '>=';
  /** The rule never finds an overflow, as the window is not known. */
  readonly isUnlimited: boolean;
  /** A share of the window that was set in the place of every number of tokens; 0 is none. */
  readonly windowShare?: number | undefined;
  /** Units of the view; absent where there is none, as in an examination of numbers. */
  readonly counts?: Readonly<Record<CountUnit, number>> | undefined;
}

/** Units of a message; a marker, which no model is shown, has none. */
export function countMessage(message: Message, unit: CountUnit): number {
  if (markerOf(message) !== undefined) return 0;
  if (unit === 'turns') return isPrompt(message) && message.parts.some(isAsked) ? 1 : 0;
  const calls = message.parts.filter(({ type }) => type === 'tool').length;
  return unit === 'messages' ? 1 + calls : Math.max(1, 2 * calls);
}

/** Units of a view, of each kind. */
export function countUnits(view: List<Message>): Readonly<Record<CountUnit, number>> {
  return {
    messages: countView(view, 'messages'),
    events: countView(view, 'events'),
    turns: countView(view, 'turns'),
  };
}

/** Units that stand in front of the first message of a view. */
export function unitsBefore(unit: CountUnit): number {
  return unit === 'events' ? 1 : 0;
}

/** Each list of a trigger's conditions with what came of it. */
export function checkConditions(
  anyOf: readonly (readonly TriggerCondition[])[],
  facts: ConditionFacts,
): readonly (readonly ConditionCheck[])[] {
  return anyOf.map((all) => all.map((condition) => checkCondition(condition, facts)));
}

/** The first list of conditions of which all hold. */
export function firedConditions(
  conditions: readonly (readonly ConditionCheck[])[],
): readonly ConditionCheck[] | undefined {
  return conditions.find((all) => all.length > 0 && all.every(({ isMet }) => isMet));
}

/** Tests if a count is over a limit. */
export function isOver(comparison: '>' | '>=', count: number, limit: number): boolean {
  return comparison === '>' ? count > limit : count >= limit;
}

/** Tests if a condition is about tokens. */
export function isOfTokens({ unit }: Pick<TriggerCondition, 'unit'>): boolean {
  return unit === 'usable' || unit === 'tokens' || unit === 'share';
}

/** Tests if a condition needs to know the window. */
export function needsWindow({ unit }: Pick<TriggerCondition, 'unit'>): boolean {
  return unit === 'usable' || unit === 'share';
}

function countView(view: List<Message>, unit: CountUnit): number {
  return foldOver(view, {
    by: { name: 'units', rules: [unit] },
    start: unitsBefore(unit),
    add: (total, message) => total + countMessage(message, unit),
  });
}

function checkCondition(condition: TriggerCondition, facts: ConditionFacts): ConditionCheck {
  const { unit } = condition;
  const { countTokens, limits, usableTokens, comparison } = facts;
  if (unit === 'usable') {
    const isMet = isOver(comparison, countTokens, usableTokens) && !facts.isUnlimited;
    return { unit, count: countTokens, limit: usableTokens, comparison, isMet };
  }
  const ownShare = unit === 'share' ? condition.atLeast : undefined;
  const isCounted = unit !== 'tokens' && unit !== 'share';
  const share = isCounted ? undefined : facts.windowShare || ownShare;
  const count = isCounted ? (facts.counts?.[unit] ?? 0) : countTokens;
  const limit = share === undefined ? condition.atLeast : share * limits.contextTokens;
  const isMet = count >= limit && (share === undefined || limits.contextTokens > 0);
  return { unit, count, limit, comparison: '>=', isMet };
}
