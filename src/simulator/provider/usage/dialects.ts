import type { UsageDialect } from './dialect.ts';

const anthropic: UsageDialect = {
  describes:
    'Input without cached tokens, which are reported separately; output with thinking; no total',
  source: 'Anthropic, Messages API',
  client: 'anthropic',
  presence: 'reported',
  counts: 'sent',
  cache: 'outside',
  writes: 'told',
  reasoning: 'untold',
  total: 'none',
  scope: 'step',
};

const openai: UsageDialect = {
  describes: 'Input with cached tokens, output with reasoning, and the sum of both',
  source: 'OpenAI, Responses API',
  client: 'openai',
  presence: 'reported',
  counts: 'sent',
  cache: 'inside',
  writes: 'untold',
  reasoning: 'inside',
  total: 'sum',
  scope: 'step',
};

const compatible: UsageDialect = {
  ...openai,
  describes: 'Like OpenAI, from one of its many imitators',
  source: 'OpenAI, Chat Completions API',
  client: 'openai-compatible',
};

/** Usage dialects by name. */
export const dialects = {
  none: {
    ...compatible,
    describes: 'No usage at all',
    source: 'openclaude#2136',
    presence: 'none',
  },
  zero: {
    ...compatible,
    describes: 'Every number is 0',
    source: 'openclaw#56670',
    presence: 'zero',
  },
  anthropic,
  bedrock: {
    ...anthropic,
    describes: 'Like Anthropic, with a total',
    source: 'Amazon Bedrock, Converse API',
    client: 'bedrock',
    total: 'sum',
  },
  openai,
  google: {
    ...openai,
    describes: 'Input with cached tokens; thoughts separate from output; the sum of all',
    source: 'Google, Gemini API',
    client: 'google',
    reasoning: 'outside',
  },
  'openai-compatible': compatible,
  'openai-compatible-cache-outside': {
    ...compatible,
    describes: 'Like OpenAI in form, but the input leaves out cached tokens, unknown to the client',
    source: 'no server in particular; those of open-webui#28593 the other way round',
    cache: 'outside',
    total: 'none',
  },
  ollama: {
    ...compatible,
    describes: 'Only what a silent cut left of the request; nothing about the cache',
    source: 'little-coder#128, ollama#17427',
    counts: 'kept',
    cache: 'untold',
    reasoning: 'untold',
  },
  'turn-cumulative': {
    ...anthropic,
    describes: 'Like Anthropic, but every number is the sum since the turn began',
    source: 'openclaw#99863',
    scope: 'turn',
  },
  spikes: {
    ...anthropic,
    describes: 'Like Anthropic, but every tenth step reports twice the input',
    source: 'claude-code#82863',
    spike: { everySteps: 10, factor: 2 },
  },
  'total-counts-cache-twice': {
    ...anthropic,
    describes: 'Like Bedrock, but for a model whose input already includes the cached tokens',
    source: 'opencode#47296, GPT-5.6 on Amazon Bedrock',
    client: 'bedrock',
    cache: 'inside',
    total: 'cache-twice',
  },
} satisfies Record<string, UsageDialect>;

/** The name of a usage dialect. */
export type DialectName = keyof typeof dialects;
