/** Token usage of one request, and how releases add it up. */

import { expectKind, expectNamed, refuse } from './expect.ts';
import type { Usage } from './message.ts';
import { readField } from './values.ts';

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
  /** The terms of the sum. */
  readonly termsOf: (usage: Usage) => readonly CountTerm[];
}

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

/** Reads usages of one provider; cache writes are those that it was known by, unless others are given. */
export type UsageReader = (reported: ReportedUsage, cacheWriteTokens?: number) => Usage;

type NotFresh = (cacheRead: number, cacheWrite: number) => number;

/** One version of the reading of a usage. */
export interface UsageRule {
  /** Keys that lead to the cache writes in the metadata, tried in order. */
  readonly cacheWriteAt: readonly (readonly string[])[];
  /** The tokens that are subtracted from the input of a provider. */
  readonly notFreshOf: (provider: UsageProvider) => NotFresh;
  readonly outputHasReasoning: boolean;
  readonly total: 'unknown' | 'reported' | 'sum-for-anthropic';
  /** Corrects a number that no count can be. */
  readonly clean: (tokens: number) => number;
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

/** The provider's total, or the sum of all kinds where it gives none or 0. */
export const countTotalOrEverything: CountRule = countRule(({ total }) =>
  total ? TOTAL : EVERYTHING,
);

/** The same, but never less than the prompt alone. */
export const countTotalOrPrompt: CountRule = countRule((usage) =>
  usage.total && usage.total < countPrompt(usage) ? PROMPT : usage.total ? TOTAL : EVERYTHING,
);

/** The provider's total without reasoning, or the sum of all kinds but reasoning where it gives none or 0. */
export const countTotalLessReasoning: CountRule = Object.assign(
  (usage: Usage) => countTotal(usage) - (usage.total ? usage.reasoning : 0),
  { termsOf: (usage: Usage) => [...countTotal.termsOf(usage), ...lessReasoning(usage)] },
);

/** The prompt, cached or not, without the answer. */
export const countPrompt: CountRule = countRule(() => PROMPT);

/** The input alone, as it is stored. */
export const countInput: CountRule = countRule(() => ['input']);

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

const lessReasoning = ({ total, reasoning }: Usage): readonly CountTerm[] =>
  total ? [{ kind: 'reasoning', tokens: -reasoning }] : [];
const asIs = (tokens: number) => tokens;
const finite = (tokens: number) => (Number.isFinite(tokens) ? tokens : 0);
const notNegative = (tokens: number) => Math.max(0, finite(tokens));
const nothing: NotFresh = () => 0;
const cacheReads: NotFresh = (cacheRead) => cacheRead;
const cached: NotFresh = (cacheRead, cacheWrite) => cacheRead + cacheWrite;
const leavesCacheOut = ({ metadata }: UsageProvider) =>
  Boolean(metadata?.['anthropic'] || metadata?.['bedrock']);

const upTo1061: UsageRule = {
  cacheWriteAt: [anthropicWrites, bedrockWrites],
  notFreshOf: () => nothing,
  outputHasReasoning: true,
  total: 'unknown',
  clean: asIs,
};
const from1062: UsageRule = {
  ...upTo1061,
  notFreshOf: (provider) => (leavesCacheOut(provider) ? nothing : cacheReads),
};
const from1137: UsageRule = {
  ...from1062,
  cacheWriteAt: [anthropicWrites, bedrockWrites, veniceWrites],
  notFreshOf: (provider) => (leavesCacheOut(provider) ? nothing : cached),
  clean: finite,
};
const from1157: UsageRule = { ...from1137, total: 'sum-for-anthropic' };
const from136: UsageRule = { ...from1137, notFreshOf: () => cached, total: 'reported' };
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
  /** The rule of 1.1.57 on a newer SDK, whose input has the cached tokens already: they count twice. */
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

const REPORTED = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'totalTokens',
] as const;

/** A reported usage as a release stores it. Throws a `TypeError` at tokens that are no number, and at a rule that there is not. */
export function normaliseUsage(
  reported: ReportedUsage,
  provider: UsageProvider,
  ruleName: UsageRuleName,
): Usage {
  expectKind('reported', reported, 'object');
  for (const kind of REPORTED) {
    if (typeof (reported[kind] ?? 0) !== 'number')
      refuse(`reported.${kind}`, 'a number', reported[kind]);
  }
  return createUsageReader(provider, ruleName)(reported);
}

/** A release's reader of what a provider reports that gives its metadata in one form, whatever the numbers in it. */
export function createUsageReader(provider: UsageProvider, ruleName: UsageRuleName): UsageReader {
  expectKind('provider', provider, 'object');
  const rule: UsageRule = expectNamed('ruleName', ruleName, usageRules);
  const { clean, outputHasReasoning } = rule;
  const notFresh = rule.notFreshOf(provider);
  const writeTokens = readFirst(provider.metadata, rule.cacheWriteAt);
  const sumsItself = rule.total === 'sum-for-anthropic' && SUMMED_PACKAGES.has(provider.npm ?? '');
  const totalKind = sumsItself ? 'sum' : rule.total;
  return (reported, cacheWriteTokens = writeTokens ?? 0) => {
    const reasoning = clean(reported.reasoningTokens ?? 0);
    const cacheRead = clean(reported.cacheReadTokens ?? 0);
    const cacheWrite = clean(writeTokens === undefined ? 0 : cacheWriteTokens);
    const input = clean(clean(reported.inputTokens ?? 0) - notFresh(cacheRead, cacheWrite));
    const output = clean(clean(reported.outputTokens ?? 0) - (outputHasReasoning ? 0 : reasoning));
    const total =
      totalKind === 'sum' ? input + output + cached(cacheRead, cacheWrite) : reported.totalTokens;
    return totalKind === 'unknown' || total === undefined
      ? { input, output, reasoning, cacheRead, cacheWrite }
      : { input, output, reasoning, cacheRead, cacheWrite, total };
  };
}

function readFirst(metadata: unknown, paths: UsageRule['cacheWriteAt']): number | undefined {
  for (const keys of paths) {
    let found: unknown = metadata;
    for (const key of keys) found = readField(found, key);
    if (typeof found === 'number') return found;
  }
  return undefined;
}

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
