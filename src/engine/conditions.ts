/** Conditions of a trigger: tokens, shares, messages and events, joined by and and or. */

import { type Fold, foldOver, type List } from './history.ts';
import { markerOf, type Message } from './message.ts';

/** Messages, with each result as one of its own; or events: each call, each result, each text alone, and the system prompt. */
export type CountUnit = 'messages' | 'events';

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

/** Counts and limits with which the conditions of a trigger are compared. */
export interface ConditionFacts {
  readonly limits: { readonly contextTokens: number };
  readonly countTokens: number;
  /** The overflow rule's own comparison. */
  readonly usableTokens: number;
  readonly comparison: '>' | '>=';
  /** The rule never finds an overflow, as the window is not known. */
  readonly isUnlimited: boolean;
  /** A share of the window that was set in the place of every number of tokens. */
  readonly windowShare?: number | undefined;
  /** Units of the view; absent where there is none, as in an examination of numbers. */
  readonly counts?: Readonly<Record<CountUnit, number>> | undefined;
}

const unitsOf: Readonly<Record<CountUnit, (message: Message) => number>> = {
  messages: (message) => 1 + callsIn(message),
  events: (message) => Math.max(1, 2 * callsIn(message)),
};

const UNITS_BEFORE: Readonly<Record<CountUnit, number>> = { messages: 0, events: 1 };

const totals: Readonly<Record<CountUnit, Fold<Message, number>>> = {
  messages: totalOf('messages'),
  events: totalOf('events'),
};

/** Units of a message; a marker, which no model is shown, has none. */
export function countMessage(message: Message, unit: CountUnit): number {
  return markerOf(message) === undefined ? unitsOf[unit](message) : 0;
}

/** Units of a view, with what stands before its first message. */
export function countView(view: List<Message>, unit: CountUnit): number {
  return foldOver(view, totals[unit]);
}

/** Units that stand in front of the first message of a view. */
export function unitsBefore(unit: CountUnit): number {
  return UNITS_BEFORE[unit];
}

/** Each list of a trigger's conditions with what came of it. */
export function checkConditions(
  anyOf: readonly (readonly TriggerCondition[])[],
  facts: ConditionFacts,
): readonly (readonly ConditionCheck[])[] {
  return anyOf.map((all) => all.map((condition) => checkCondition(condition, facts)));
}

/** The first list of conditions of which all hold; an empty one never does. */
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

/** Tests if a condition is about the window, so that it never holds where that is not known. */
export function needsWindow({ unit }: Pick<TriggerCondition, 'unit'>): boolean {
  return unit === 'usable' || unit === 'share';
}

function totalOf(unit: CountUnit): Fold<Message, number> {
  return {
    start: UNITS_BEFORE[unit],
    add: (total, message) => total + countMessage(message, unit),
  };
}

function callsIn({ parts }: Message): number {
  return parts.filter(({ type }) => type === 'tool').length;
}

function checkCondition(condition: TriggerCondition, facts: ConditionFacts): ConditionCheck {
  const { unit } = condition;
  if (unit === 'messages' || unit === 'events') {
    return compared(unit, { count: facts.counts?.[unit] ?? 0, limit: condition.atLeast });
  }
  const count = facts.countTokens;
  const { contextTokens } = facts.limits;
  if (unit === 'usable') {
    const { usableTokens: limit, comparison } = facts;
    const isMet = isOver(comparison, count, limit) && !facts.isUnlimited;
    return { unit, count, limit, comparison, isMet };
  }
  if (facts.windowShare !== undefined) {
    return ofWindow(unit, { count, limit: facts.windowShare * contextTokens }, contextTokens);
  }
  if (unit === 'tokens') return compared(unit, { count, limit: condition.atLeast });
  return ofWindow(unit, { count, limit: condition.atLeast * contextTokens }, contextTokens);
}

function compared(
  unit: TriggerCondition['unit'],
  { count, limit }: Pick<ConditionCheck, 'count' | 'limit'>,
): ConditionCheck {
  return { unit, count, limit, comparison: '>=', isMet: count >= limit };
}

function ofWindow(
  unit: TriggerCondition['unit'],
  sizes: Pick<ConditionCheck, 'count' | 'limit'>,
  contextTokens: number,
): ConditionCheck {
  const check = compared(unit, sizes);
  return { ...check, isMet: check.isMet && contextTokens > 0 };
}
