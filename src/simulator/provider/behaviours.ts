import * as z from 'zod';
import { amount, Tokens } from '../lib/expect.ts';
import type { Immutable } from '../lib/json.ts';
import { MINUTE_MS } from '../lib/units.ts';
import { checks } from './checks.ts';
import { refusals } from './refusals.ts';
import { dialects } from './usage.ts';

/** The behaviour of a provider: reported tokens, caching, refusals and demands. */
export type ProviderBehaviour = Immutable<z.infer<typeof BehaviourSchema>>;

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

/** The name of a provider's cache rules. */
export type CacheName = keyof typeof cacheRules;

const atMarks: CacheRules = {
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

const automatic: CacheRules = {
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
  'anthropic-5m': atMarks,
  'anthropic-1h': {
    ...atMarks,
    describes: 'At cache breakpoints, for an hour from the start of the last use',
    ttlMs: 60 * MINUTE_MS,
    writeMultiplier: 2,
    listsOtherWrites: true,
  },
  openai: automatic,
  'openai-5.6': {
    ...automatic,
    describes: 'Like openai, but cache writes are billed',
    billsWrites: true,
    // Source: evaluation design, section 5.1.
    writeMultiplier: 1.25,
  },
  gemini: {
    ...automatic,
    describes: 'Automatic where requests begin alike, on a best-effort basis',
    source: 'Google, implicit context caching',
    ttlMs: 5 * MINUTE_MS,
    granularityTokens: 1,
  },
  deepseek: {
    ...automatic,
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

/** Bytes of a request. */
export const Bytes = amount('a finite number of bytes, 0 or more');

/** The schema of `ProviderBehaviour`. */
export const BehaviourSchema = z.strictObject({
  dialect: oneOf(dialects),
  cache: oneOf(cacheRules),
  /** The shortest beginning that is cached at marks, where the model has one of its own. */
  cacheMinimumTokens: Tokens.exactOptional(),
  refusal: oneOf(refusals),
  checks: z.array(oneOf(checks)),
  /** Absent where nothing but tokens is limited. */
  maxRequestBytes: Bytes.exactOptional(),
  npm: z.string(),
});

/** 32 MiB. Source: Anthropic, Messages API. */
const ANTHROPIC_MAX_BYTES = 32 * 1_024 * 1_024;
const CHAT_CHECKS = ['calls-paired', 'ids-unique', 'text-well-formed'] as const;
/** Since October 2024 the Messages API takes turns in any order. */
const BLOCK_CHECKS = [...CHAT_CHECKS, 'text-not-empty'] as const;
/** A local server leaves the form to the model's chat template. */
const TEMPLATE_CHECKS = ['system-first', 'user-first', 'text-well-formed'] as const;

/** A provider of which nothing is known: it talks like OpenAI, refuses like the server most used, and caches nothing. */
const UNKNOWN_PROVIDER: ProviderBehaviour = {
  dialect: 'openai-compatible',
  cache: 'none',
  refusal: 'vllm',
  checks: CHAT_CHECKS,
  npm: '@ai-sdk/openai-compatible',
};

const anthropic: ProviderBehaviour = {
  dialect: 'anthropic',
  cache: 'anthropic-5m',
  refusal: 'anthropic',
  checks: BLOCK_CHECKS,
  maxRequestBytes: ANTHROPIC_MAX_BYTES,
  npm: '@ai-sdk/anthropic',
};

const openai: ProviderBehaviour = {
  dialect: 'openai',
  cache: 'openai',
  refusal: 'openai',
  checks: [...CHAT_CHECKS, 'reasoning-followed'],
  npm: '@ai-sdk/openai',
};

const google: ProviderBehaviour = {
  dialect: 'google',
  cache: 'gemini',
  refusal: 'google',
  checks: [...CHAT_CHECKS, 'user-first'],
  npm: '@ai-sdk/google',
};

const cachingChat: ProviderBehaviour = { ...UNKNOWN_PROVIDER, cache: 'openai' };
const local: ProviderBehaviour = { ...UNKNOWN_PROVIDER, checks: TEMPLATE_CHECKS };

const behaviours: ReadonlyMap<string, ProviderBehaviour> = new Map(
  Object.entries<ProviderBehaviour>({
    anthropic,
    openai,
    // Azure OpenAI, prompt caching: as OpenAI's own.
    azure: { ...openai, npm: '@ai-sdk/azure' },
    google,
    'google-vertex': { ...google, npm: '@ai-sdk/google-vertex' },
    'google-vertex-anthropic': { ...anthropic, npm: '@ai-sdk/google-vertex/anthropic' },
    'amazon-bedrock': {
      dialect: 'bedrock',
      cache: 'anthropic-5m',
      refusal: 'bedrock',
      checks: [...BLOCK_CHECKS, 'user-first'],
      npm: '@ai-sdk/amazon-bedrock',
    },
    deepseek: { ...cachingChat, cache: 'deepseek', refusal: 'deepseek' },
    xai: { ...cachingChat, refusal: 'xai', npm: '@ai-sdk/xai' },
    mistral: {
      ...UNKNOWN_PROVIDER,
      refusal: 'mistral',
      checks: [...CHAT_CHECKS, 'roles-alternate'],
      npm: '@ai-sdk/mistral',
    },
    moonshotai: { ...cachingChat, refusal: 'kimi' },
    zai: { ...cachingChat, refusal: 'zai' },
    alibaba: { ...cachingChat, refusal: 'dashscope' },
    // Its endpoint imitates Anthropic's.
    minimax: { ...anthropic, refusal: 'minimax' },
    groq: { ...cachingChat, refusal: 'groq', npm: '@ai-sdk/groq' },
    cerebras: { ...UNKNOWN_PROVIDER, refusal: 'cerebras', npm: '@ai-sdk/cerebras' },
    'github-copilot': { ...cachingChat, refusal: 'copilot' },
    openrouter: { ...cachingChat, refusal: 'openrouter', npm: '@openrouter/ai-sdk-provider' },
    ollama: { ...local, dialect: 'ollama', refusal: 'ollama-silent', checks: ['text-well-formed'] },
    lmstudio: { ...local, refusal: 'lm-studio' },
    'llama.cpp': { ...local, refusal: 'llama.cpp' },
    vllm: local,
  }),
);

const exceptions: readonly {
  /** Absent where it is the same for every provider of the model. */
  readonly provider?: string;
  readonly models: RegExp;
  readonly changes: Partial<ProviderBehaviour>;
}[] = [
  { provider: 'openai', models: /^gpt-5\.6/, changes: { cache: 'openai-5.6' } },
  { provider: 'azure', models: /^gpt-5\.6/, changes: { cache: 'openai-5.6' } },
  {
    provider: 'amazon-bedrock',
    models: /openai\.gpt-5\.6/,
    changes: { dialect: 'total-counts-cache-twice', cache: 'openai-5.6' },
  },
  { provider: 'openrouter', models: /^anthropic\//, changes: { cache: 'anthropic-5m' } },
  // Anthropic, prompt caching: the minimum by model.
  { models: /claude-(?:opus-4[-.][56]|haiku-4[-.]5)/, changes: { cacheMinimumTokens: 4_096 } },
];

/** How the provider of a `provider/model` talks; one that is not known does as most who imitate OpenAI. */
export function behaviourOf(modelId: string): ProviderBehaviour {
  const provider = providerOf(modelId);
  const model = modelId.slice(provider.length + 1);
  let behaviour = behaviours.get(provider) ?? UNKNOWN_PROVIDER;
  for (const each of exceptions) {
    const isProvider = each.provider === undefined || each.provider === provider;
    if (isProvider && each.models.test(model)) behaviour = { ...behaviour, ...each.changes };
  }
  return behaviour;
}

/** Tests if anything is known of the provider of a `provider/model`. */
export function isKnownProvider(modelId: string): boolean {
  return behaviours.has(providerOf(modelId));
}

function providerOf(modelId: string): string {
  return modelId.split('/', 1)[0] ?? '';
}

function oneOf<Name extends string>(table: Readonly<Record<Name, unknown>>) {
  return z.enum(Object.keys(table) as [Name, ...Name[]]);
}
