/** Token usage of one request, and how releases add it up. */

import type { Usage } from './message.ts';

/** A kind of tokens that a provider reports, or its own sum of them. */
export type UsageKind = keyof Usage;

/** Tokens of one kind. */
export interface CountTerm {
  readonly kind: UsageKind;
  readonly tokens: number;
}

/** How many tokens of a finished step count against the limit. */
export interface CountRule {
  (usage: Usage): number;
  /** What the count is the sum of. */
  readonly termsOf: (usage: Usage) => readonly CountTerm[];
}

const WITHOUT_CACHE_WRITE = ['input', 'cacheRead', 'output'] as const;
const ALL = ['input', 'cacheRead', 'cacheWrite', 'output'] as const;
const EVERYTHING = [...ALL, 'reasoning'] as const;
const TOTAL = ['total'] as const;
const PROMPT = ['input', 'cacheRead', 'cacheWrite'] as const;

/** All kinds but reasoning, which no release added. */
export const countAll: CountRule = countRule(() => ALL);

/** Input, cache reads and output; cache writes are left out. */
export const countWithoutCacheWrite: CountRule = countRule(() => WITHOUT_CACHE_WRITE);

/** All kinds, reasoning too. */
export const countEverything: CountRule = countRule(() => EVERYTHING);

/** The provider's total, or the sum of all kinds but reasoning where it gives none or 0. */
export const countTotal: CountRule = countRule((usage) => (usage.total ? TOTAL : ALL));

/** What was sent, cached or not, without the answer. */
export const countPrompt: CountRule = countRule(() => PROMPT);

/** A rule by the kinds that it adds. */
function countRule(kindsIn: (usage: Usage) => readonly UsageKind[]): CountRule {
  const count = (usage: Usage) => {
    let sum = 0;
    for (const kind of kindsIn(usage)) sum += usage[kind] ?? 0;
    return sum;
  };
  const termsOf = (usage: Usage) =>
    kindsIn(usage).map((kind) => ({ kind, tokens: usage[kind] ?? 0 }));
  return Object.assign(count, { termsOf });
}
