import type { Usage } from './message.ts';

/** How many tokens of a finished step count against the limit. */
export type CountRule = (usage: Usage) => number;

/** All kinds but reasoning, which no release added. */
export const countAll: CountRule = (usage) =>
  usage.input + usage.cacheRead + usage.cacheWrite + usage.output;

/** Input, cache reads and output; cache writes are left out. */
export const countWithoutCacheWrite: CountRule = (usage) =>
  usage.input + usage.cacheRead + usage.output;

/** All kinds, reasoning too. */
export const countEverything: CountRule = (usage) => countAll(usage) + usage.reasoning;

/** The provider's total, or the sum of all kinds but reasoning where it gives none or 0. */
export const countTotal: CountRule = (usage) => usage.total || countAll(usage);
