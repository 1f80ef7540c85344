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

/** All kinds but reasoning, which no release added. */
export const countAll: CountRule = countRule((usage) => termsOf(usage, ALL));

/** Input, cache reads and output; cache writes are left out. */
export const countWithoutCacheWrite: CountRule = countRule((usage) =>
  termsOf(usage, WITHOUT_CACHE_WRITE),
);

/** All kinds, reasoning too. */
export const countEverything: CountRule = countRule((usage) =>
  termsOf(usage, [...ALL, 'reasoning']),
);

/** The provider's total, or the sum of all kinds but reasoning where it gives none or 0. */
export const countTotal: CountRule = countRule((usage) =>
  termsOf(usage, usage.total ? ['total'] : ALL),
);

function countRule(terms: CountRule['termsOf']): CountRule {
  const count = (usage: Usage) => terms(usage).reduce((sum, { tokens }) => sum + tokens, 0);
  return Object.assign(count, { termsOf: terms });
}

function termsOf(usage: Usage, kinds: readonly UsageKind[]): readonly CountTerm[] {
  return kinds.map((kind) => ({ kind, tokens: usage[kind] ?? 0 }));
}
