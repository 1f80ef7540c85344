/** Conditions of a trigger in words. */

import type { ConditionCheck } from '../../engine/index.ts';
import { firedConditions } from '../../engine/internal.ts';
import { shownTokens } from '../scenario/checkup.ts';

type Lists = readonly (readonly ConditionCheck[])[];

const WORDS: Readonly<Record<ConditionCheck['unit'], string>> = {
  usable: 'tokens',
  tokens: 'tokens',
  share: 'tokens',
  messages: 'messages',
  events: 'events',
};

/** All conditions of a trigger: `4,000 tokens and 10 messages, or 50 messages`. */
export function describeConditions(lists: Lists): string {
  return lists.map((all) => all.map(describeLimit).join(' and ')).join(', or ');
}

/** The first list of conditions that holds, with its counts; absent where none does. */
export function describeFired(lists: Lists): string | undefined {
  const fired = firedConditions(lists);
  return fired && fired.map(describeCheck).join(' and ');
}

/** Each list with its counts, where none holds. */
export function describeUnmet(lists: Lists): readonly string[] {
  return lists.map((all) => all.map(describeCheck).join(' and '));
}

function describeLimit({ unit, limit, comparison }: ConditionCheck): string {
  const amount = `${shownTokens(limit)} ${WORDS[unit]}`;
  return comparison === '>' ? `more than ${amount}` : amount;
}

function describeCheck({ unit, count, limit, comparison, isMet }: ConditionCheck): string {
  const over = comparison === '>' ? '>' : '≥';
  const under = comparison === '>' ? '≤' : '<';
  return `${shownTokens(count)} ${WORDS[unit]} ${isMet ? over : under} ${shownTokens(limit)}`;
}
