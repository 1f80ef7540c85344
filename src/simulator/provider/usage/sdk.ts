import {
  createUsageReader,
  type ReportedUsage,
  type Usage,
  type UsageProvider,
  type UsageRuleName,
} from '../../../engine/index.ts';
import { type ClientName, clients, type UsageClient } from './clients.ts';
import type { UsageDialect } from './dialect.ts';
import type { ProviderReport } from './reporter.ts';

/** A major version of the AI SDK. Up to 5 the numbers are the provider's own; 6 makes them alike. */
export type SdkGeneration = 5 | 6;

/** The generation of the AI SDK on which each usage rule's releases stand. */
const generations: Record<UsageRuleName, SdkGeneration> = {
  'v1.0.61': 5,
  'v1.0.62': 5,
  'v1.1.37': 5,
  'v1.1.57': 5,
  'v1.3.4-bug': 6,
  'v1.3.6': 6,
  'v1.3.12': 6,
  'v1.3.16': 6,
  'v1.14.46': 6,
};

/** The generation of the AI SDK on which a usage rule's releases stand. */
export function sdkOf(rule: UsageRuleName): SdkGeneration {
  return generations[rule];
}

/** What a rule's releases store of the reports in a dialect. */
export function createReportReader(
  { client, writes }: UsageDialect,
  rule: UsageRuleName,
): (report: ProviderReport) => Usage {
  const generation = sdkOf(rule);
  const provider = toSdkProvider(client, writes === 'told' ? 0 : undefined);
  const read = createUsageReader(provider, rule);
  return (report) => read(toSdkUsage(report, generation), report.cacheWriteTokens);
}

/**
 * What the AI SDK makes of the numbers of a report. Generation 6 takes every input with its cached tokens and every
 * output with its reasoning, and sums them itself, whatever total the provider gives.
 */
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

/** Who the AI SDK says reported; the cache writes stand in its metadata where they are told. */
export function toSdkProvider(name: ClientName, cacheWriteTokens?: number): UsageProvider {
  const { npm, metadataOf }: UsageClient = clients[name];
  return cacheWriteTokens === undefined
    ? { npm }
    : { npm, metadata: metadataOf?.(cacheWriteTokens) };
}
