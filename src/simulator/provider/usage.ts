import {
  createUsageReader,
  type ReportedUsage,
  type Usage,
  type UsageProvider,
  type UsageRuleName,
} from '../../engine/index.ts';
import type { CacheSplit } from './prompt.ts';

/** The name of a usage dialect. */
export type DialectName = keyof typeof dialects;

interface UsageDialect {
  readonly describes: string;
  readonly source: string;
  readonly client: ClientName;
  readonly presence: 'reported' | 'none' | 'zero';
  /** `sent` if the input counts the request as sent, `kept` if it counts what a silent cut left. */
  readonly counts: 'sent' | 'kept';
  /** Position of the cached tokens relative to the input; `untold` if they are inside it and have no number of their own. */
  readonly cache: 'inside' | 'outside' | 'untold';
  /** `told` if written tokens have a number of their own; else they count as fresh. */
  readonly writes: 'told' | 'untold';
  /** Position of the reasoning relative to the output; `untold` if it is inside it and has no number of its own. */
  readonly reasoning: 'inside' | 'outside' | 'untold';
  /** `cache-twice` adds cached tokens to an input that has them already. */
  readonly total: 'sum' | 'none' | 'cache-twice';
  /** `step` if the numbers are of the step, `turn` if they are sums since the turn began. */
  readonly scope: 'step' | 'turn';
  readonly spike?: { readonly everySteps: number; readonly factor: number };
}

/** The usage that a provider reports for one request; numbers that it does not report are absent. */
export interface ProviderReport {
  readonly client: ClientName;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
}

type ReportedKind = Exclude<keyof ProviderReport, 'client'>;

/** A major version of the AI SDK. Up to 5 the numbers are the provider's own; 6 makes them alike. */
type SdkGeneration = 5 | 6;

interface UsageClient {
  readonly npm: string;
  /** From generation 6 on, it takes the input to be without the cached tokens, and adds them. */
  readonly addsCache?: true;
  /** From generation 6 on, it takes the output to be without the reasoning, and adds it. */
  readonly addsReasoning?: true;
  readonly metadataOf?: (writeTokens: number) => NonNullable<UsageProvider['metadata']>;
}

type ClientName = keyof typeof clients;

/** The true tokens of a request, whatever its provider reports. */
export interface ServedTokens {
  readonly split: CacheSplit;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly sentTokens: number;
  /** Those that the model was given; fewer than were sent where it was cut silently. */
  readonly keptTokens: number;
  readonly opensTurn: boolean;
}

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

const RULES_OF_SDK_5: readonly UsageRuleName[] = ['v1.0.61', 'v1.0.62', 'v1.1.37', 'v1.1.57'];

/** Packages of the AI SDK by the name of their provider. */
export const clients = {
  anthropic: {
    npm: '@ai-sdk/anthropic',
    addsCache: true,
    metadataOf: (writeTokens) => ({ anthropic: { cacheCreationInputTokens: writeTokens } }),
  },
  bedrock: {
    npm: '@ai-sdk/amazon-bedrock',
    addsCache: true,
    metadataOf: (writeTokens) => ({ bedrock: { usage: { cacheWriteInputTokens: writeTokens } } }),
  },
  openai: { npm: '@ai-sdk/openai' },
  google: { npm: '@ai-sdk/google', addsReasoning: true },
  'openai-compatible': { npm: '@ai-sdk/openai-compatible' },
} satisfies Record<string, UsageClient>;

/** The accounts of one session: the report of each request in turn, where the provider reports any. */
export function createReporter(dialect: UsageDialect) {
  const { presence, spike, scope } = dialect;
  let steps = 0;
  let ofTurn: ProviderReport | undefined;
  const report = (served: ServedTokens): ProviderReport | undefined => {
    if (presence === 'none') return undefined;
    steps++;
    const isSpike = spike !== undefined && steps % spike.everySteps === 0;
    const ofStep = countStep(served, dialect, isSpike ? spike.factor : 1);
    const isSummed = scope === 'turn' && !served.opensTurn;
    ofTurn = isSummed
      ? mapCounts(ofStep, (tokens, kind) => tokens + (ofTurn?.[kind] ?? 0))
      : ofStep;
    return presence === 'zero' ? mapCounts(ofTurn, () => 0) : ofTurn;
  };
  return { report };
}

/** The generation of the AI SDK on which a usage rule's releases stand. */
export function sdkOf(rule: UsageRuleName): SdkGeneration {
  return RULES_OF_SDK_5.includes(rule) ? 5 : 6;
}

/** Creates a reader that turns reports of a dialect into the usage that a release stores. */
export function createReportReader(
  { client, writes }: UsageDialect,
  rule: UsageRuleName,
): (report: ProviderReport) => Usage {
  const generation = sdkOf(rule);
  const provider = toSdkProvider(client, writes === 'told' ? 0 : undefined);
  const read = createUsageReader(provider, rule);
  return (report) => read(toSdkUsage(report, generation), report.cacheWriteTokens);
}

/** The AI SDK's usage for a report: generation 6 includes cached tokens in the input and reasoning in the output, and adds the total itself. */
export function toSdkUsage(report: ProviderReport, generation: SdkGeneration): ReportedUsage {
  if (generation === 5) return report;
  const client: UsageClient = clients[report.client];
  const { cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = report;
  const cachedTokens = client.addsCache ? cacheReadTokens + cacheWriteTokens : 0;
  const inputTokens = report.inputTokens + cachedTokens;
  const outputTokens = report.outputTokens + (client.addsReasoning ? reasoningTokens : 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    reasoningTokens: report.reasoningTokens,
    cacheReadTokens: report.cacheReadTokens,
  };
}

/** The provider that the AI SDK names; cache writes are in its metadata where they are reported. */
export function toSdkProvider(name: ClientName, cacheWriteTokens?: number): UsageProvider {
  const { npm, metadataOf }: UsageClient = clients[name];
  return cacheWriteTokens === undefined
    ? { npm }
    : { npm, metadata: metadataOf?.(cacheWriteTokens) };
}

function countStep(served: ServedTokens, dialect: UsageDialect, factor: number): ProviderReport {
  const { split, sentTokens, keptTokens, outputTokens, reasoningTokens } = served;
  const requestTokens = factor * (dialect.counts === 'kept' ? keptTokens : sentTokens);
  const cacheReadTokens = dialect.cache === 'untold' ? undefined : factor * split.readTokens;
  const cacheWriteTokens = dialect.writes === 'told' ? factor * split.writeTokens : undefined;
  const cachedTokens = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    client: dialect.client,
    inputTokens: requestTokens - (dialect.cache === 'outside' ? cachedTokens : 0),
    outputTokens: outputTokens - (dialect.reasoning === 'outside' ? reasoningTokens : 0),
    reasoningTokens: dialect.reasoning === 'untold' ? undefined : reasoningTokens,
    cacheReadTokens,
    cacheWriteTokens,
    totalTokens:
      dialect.total === 'none'
        ? undefined
        : requestTokens + outputTokens + (dialect.total === 'sum' ? 0 : cachedTokens),
  };
}

function mapCounts(
  { client, inputTokens, outputTokens, ...rest }: ProviderReport,
  change: (tokens: number, kind: ReportedKind) => number,
): ProviderReport {
  const optional = Object.entries(rest).map(([kind, tokens]) => [
    kind,
    tokens === undefined ? undefined : change(tokens, kind as ReportedKind),
  ]);
  return {
    client,
    inputTokens: change(inputTokens, 'inputTokens'),
    outputTokens: change(outputTokens, 'outputTokens'),
    ...Object.fromEntries(optional),
  };
}
