import * as fc from 'fast-check';
import { type CacheRules, cacheRules } from '../../../src/simulator/provider/behaviours.ts';
import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
  type PromptBlock,
  type toPrompt,
} from '../../../src/simulator/provider/prompt.ts';

/** A request, written out. */
export interface Sent {
  readonly blocks: readonly PromptBlock[];
  readonly breakpoints: readonly number[];
  readonly startMs: number;
}

const BLOCKS: readonly PromptBlock[] = [7, 12, 12, 5, 30].map((tokens) => ({ tokens }));
/** After which entries of these rules have run out. */
export const TTL_MS = 50;

/** Rules of either kind that small requests reach. */
export const rulesOf: Record<'breakpoints' | 'automatic', CacheRules> = {
  breakpoints: {
    ...cacheRules['anthropic-5m'],
    ttlMs: TTL_MS,
    minimumTokens: 12,
    lookBackBlocks: 2,
    maxBreakpoints: 3,
  },
  automatic: {
    ...cacheRules['openai-5.6'],
    ttlMs: TTL_MS,
    minimumTokens: 12,
    granularityTokens: 4,
  },
};

/** Requests that often begin alike, at most as many as branches are remembered. */
export const requests: fc.Arbitrary<readonly Sent[]> = fc
  .array(
    fc.record({
      from: fc.nat({ max: 7 }),
      keep: fc.nat({ max: 12 }),
      added: fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 4 }),
      marks: fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 4 }),
      marksEnd: fc.boolean(),
      waitMs: fc.oneof(fc.constant(1), fc.constant(TTL_MS), fc.nat({ max: 2 * TTL_MS })),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((drafts) => {
    const sent: Sent[] = [];
    let startMs = 0;
    for (const { from, keep, added, marks, marksEnd, waitMs } of drafts) {
      const before = sent.at(-1 - (from % Math.max(1, sent.length)))?.blocks ?? [];
      const blocks = [...before.slice(0, keep), ...added];
      const inside = [...marks, ...(marksEnd ? [blocks.length] : [])];
      const breakpoints = [...new Set(inside)]
        .filter((mark) => mark > 0 && mark <= blocks.length)
        .toSorted((some, other) => some - other);
      startMs += waitMs;
      sent.push({ blocks, breakpoints, startMs });
    }
    return sent;
  });

/** The names of these rules. */
export const kinds = fc.constantFrom('breakpoints' as const, 'automatic' as const);

/** Writes prompts that go on from one another as far as they begin alike. */
export function createSharing(): typeof toPrompt {
  const longer = new Map<Prefix, Map<PromptBlock, Prefix>>();
  const extend = (prefix: Prefix, block: PromptBlock): Prefix => {
    const known = longer.get(prefix) ?? new Map<PromptBlock, Prefix>();
    const next = known.get(block) ?? extendPrefix(prefix, [block]);
    longer.set(prefix, known.set(block, next));
    return next;
  };
  return (blocks, breakpoints): Prompt => {
    const prefixes = [NO_BLOCKS];
    for (const block of blocks) prefixes.push(extend(prefixes.at(-1)!, block));
    return { whole: prefixes.at(-1)!, marks: breakpoints.map((length) => prefixes[length]!) };
  };
}
