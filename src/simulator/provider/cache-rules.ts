import { MINUTE_MS } from '../lib/units.ts';

/** How a provider caches the beginning of requests. */
export interface CacheRules {
  readonly describes: string;
  readonly source: string;
  /** At marks that the client sets, wherever requests begin alike, or never. */
  readonly kind: 'breakpoints' | 'automatic' | 'none';
  /** How long an entry lives after the start of the last request that used it. */
  readonly ttlMs: number;
  /** A beginning that is shorter is neither written nor read. */
  readonly minimumTokens: number;
  /** Whole steps of tokens in which beginnings are known; 1 for any. */
  readonly granularityTokens: number;
  /** How many blocks before a mark an entry may end and still be found; for `breakpoints`. */
  readonly lookBackBlocks: number;
  /** Marks that a request may carry; for `breakpoints`. */
  readonly maxBreakpoints: number;
  /** True if written tokens are billed apart from fresh ones. */
  readonly billsWrites: boolean;
  /** The price of a written token in multiples of fresh input, where no catalog lists it. */
  readonly writeMultiplier?: number;
  /** Catalogs list the price of entries that live shorter, which is another. */
  readonly listsOtherWrites?: boolean;
}

const anthropic: CacheRules = {
  describes: 'At cache breakpoints, for five minutes from the start of the last use',
  source: 'Anthropic, prompt caching',
  kind: 'breakpoints',
  ttlMs: 5 * MINUTE_MS,
  minimumTokens: 1_024,
  granularityTokens: 1,
  lookBackBlocks: 20,
  maxBreakpoints: 4,
  billsWrites: true,
};

const openai: CacheRules = {
  describes: 'Automatic, in steps of 128 tokens, for about ten minutes',
  source: 'OpenAI, prompt caching',
  kind: 'automatic',
  ttlMs: 10 * MINUTE_MS,
  minimumTokens: 1_024,
  granularityTokens: 128,
  lookBackBlocks: 0,
  maxBreakpoints: 0,
  billsWrites: false,
};

/** Cache rules by name. */
export const cacheRules = {
  'anthropic-5m': anthropic,
  'anthropic-1h': {
    ...anthropic,
    describes: 'At cache breakpoints, for an hour from the start of the last use',
    ttlMs: 60 * MINUTE_MS,
    writeMultiplier: 2,
    listsOtherWrites: true,
  },
  openai,
  'openai-5.6': {
    ...openai,
    describes: 'Like openai, but cache writes are billed',
    billsWrites: true,
    // Source: evaluation design, section 5.1.
    writeMultiplier: 1.25,
  },
  gemini: {
    ...openai,
    describes: 'Automatic where requests begin alike, on a best-effort basis',
    source: 'Google, implicit context caching',
    ttlMs: 5 * MINUTE_MS,
    granularityTokens: 1,
  },
  deepseek: {
    ...openai,
    describes: 'Automatic, on disk, in steps of 64 tokens, for hours',
    source: 'DeepSeek, context caching on disk',
    ttlMs: 3 * 60 * MINUTE_MS,
    minimumTokens: 64,
    granularityTokens: 64,
  },
  none: {
    describes: 'Nothing is cached',
    source: 'no provider in particular',
    kind: 'none',
    ttlMs: 0,
    minimumTokens: 0,
    granularityTokens: 1,
    lookBackBlocks: 0,
    maxBreakpoints: 0,
    billsWrites: false,
  },
} satisfies Record<string, CacheRules>;

/** The name of a provider's cache rules. */
export type CacheName = keyof typeof cacheRules;
