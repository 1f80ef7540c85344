import type { Usage } from './message.ts';
import { readField } from './read-field.ts';

/** Tokens of one request as the AI SDK reports them; absent where a provider gives none. */
export interface ReportedUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
}

/** Who reported a usage, and what else it said. */
export interface UsageProvider {
  /** The provider's package, such as `@ai-sdk/anthropic`. */
  readonly npm?: string | undefined;
  /** The provider's own metadata, by the provider's key. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** One version of the reading of a usage. */
interface UsageRule {
  /** Keys that lead to the cache writes in the metadata, tried in order. */
  readonly cacheWriteAt: readonly (readonly string[])[];
  /** Tokens that are not fresh input, to be taken off. */
  readonly notFresh: (cacheRead: number, cacheWrite: number, provider: UsageProvider) => number;
  readonly outputHasReasoning: boolean;
  readonly total: 'unknown' | 'reported' | 'sum-for-anthropic';
  /** What is done to a number that no count can be. */
  readonly clean: (tokens: number) => number;
}

const anthropicWrites = ['anthropic', 'cacheCreationInputTokens'];
const vertexWrites = ['vertex', 'cacheCreationInputTokens'];
const bedrockWrites = ['bedrock', 'usage', 'cacheWriteInputTokens'];
const veniceWrites = ['venice', 'usage', 'cacheCreationInputTokens'];
/** Packages whose own total is not taken where a rule sums for Anthropic. */
const SUMMED_PACKAGES = new Set([
  '@ai-sdk/anthropic',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/google-vertex/anthropic',
]);

const asIs = (tokens: number) => tokens;
const finite = (tokens: number) => (Number.isFinite(tokens) ? tokens : 0);
const notNegative = (tokens: number) => Math.max(0, finite(tokens));
const cached = (cacheRead: number, cacheWrite: number) => cacheRead + cacheWrite;
/** Anthropic and Bedrock are known by their metadata, and are taken to leave cached tokens out by themselves. */
const leavesCacheOut = ({ metadata }: UsageProvider) =>
  Boolean(metadata?.['anthropic'] || metadata?.['bedrock']);

const upTo1061: UsageRule = {
  cacheWriteAt: [anthropicWrites, bedrockWrites],
  notFresh: () => 0,
  outputHasReasoning: true,
  total: 'unknown',
  clean: asIs,
};
const from1062: UsageRule = {
  ...upTo1061,
  notFresh: (cacheRead, _, provider) => (leavesCacheOut(provider) ? 0 : cacheRead),
};
const from1137: UsageRule = {
  ...from1062,
  cacheWriteAt: [anthropicWrites, bedrockWrites, veniceWrites],
  notFresh: (cacheRead, cacheWrite, provider) =>
    leavesCacheOut(provider) ? 0 : cached(cacheRead, cacheWrite),
  clean: finite,
};
const from1157: UsageRule = { ...from1137, total: 'sum-for-anthropic' };
const from136: UsageRule = { ...from1137, notFresh: cached, total: 'reported' };
const from1312: UsageRule = {
  ...from136,
  cacheWriteAt: [anthropicWrites, vertexWrites, bedrockWrites, veniceWrites],
};
const from1316: UsageRule = { ...from1312, outputHasReasoning: false };
const from11446: UsageRule = { ...from1316, clean: notNegative };

/** Usage rules by the release from which each holds. Source: OpenCode release history (section 9). */
export const usageRules = {
  /** Up to this release: numbers as reported, so that cached input may count twice. */
  'v1.0.61': upTo1061,
  /** Cache reads taken off, except from Anthropic and Bedrock. */
  'v1.0.62': from1062,
  /** Cache writes too; what is no number is 0. */
  'v1.1.37': from1137,
  /** With a total, summed for Anthropic's packages. */
  'v1.1.57': from1157,
  /** The same on a newer SDK, whose input has the cached tokens already: they count twice. */
  'v1.3.4-bug': from1157,
  /** The cache taken off for every provider, and the provider's own total. */
  'v1.3.6': from136,
  /** With the cache writes of Vertex. */
  'v1.3.12': from1312,
  /** Reasoning taken off the output, which may fall below 0. */
  'v1.3.16': from1316,
  /** Never below 0. */
  'v1.14.46': from11446,
} satisfies Record<string, UsageRule>;

/** The name of a usage rule. */
export type UsageRuleName = keyof typeof usageRules;

/** A reported usage as a release stores it with the message. */
export function normaliseUsage(
  reported: ReportedUsage,
  provider: UsageProvider,
  ruleName: UsageRuleName,
): Usage {
  const rule: UsageRule = usageRules[ruleName];
  const { clean } = rule;
  const reasoning = clean(reported.reasoningTokens ?? 0);
  const cacheRead = clean(reported.cacheReadTokens ?? 0);
  const cacheWrite = clean(readFirst(provider.metadata, rule.cacheWriteAt));
  const notFresh = rule.notFresh(cacheRead, cacheWrite, provider);
  const input = clean(clean(reported.inputTokens ?? 0) - notFresh);
  const thought = rule.outputHasReasoning ? 0 : reasoning;
  const output = clean(clean(reported.outputTokens ?? 0) - thought);
  const total = sumsItself(rule, provider)
    ? input + output + cached(cacheRead, cacheWrite)
    : reported.totalTokens;
  return rule.total === 'unknown' || total === undefined
    ? { input, output, reasoning, cacheRead, cacheWrite }
    : { input, output, reasoning, cacheRead, cacheWrite, total };
}

function sumsItself({ total }: UsageRule, { npm = '' }: UsageProvider): boolean {
  return total === 'sum-for-anthropic' && SUMMED_PACKAGES.has(npm);
}

/** The first number that one of the paths leads to; 0 where none does. */
function readFirst(metadata: unknown, paths: UsageRule['cacheWriteAt']): number {
  if (metadata === undefined) return 0;
  for (const keys of paths) {
    let found: unknown = metadata;
    for (const key of keys) found = readField(found, key);
    if (typeof found === 'number') return found;
  }
  return 0;
}
