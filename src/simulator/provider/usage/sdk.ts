import type { ReportedUsage, UsageProvider, UsageRuleName } from '../../../engine/index.ts';
import { clients, type UsageClient } from './clients.ts';
import type { ProviderReport } from './reporter.ts';

/** A major version of the AI SDK. Up to 5 the numbers are the provider's own; 6 makes them alike. */
export type SdkGeneration = 5 | 6;

/** A report in the form in which an agent gets it. */
export interface SdkUsage {
  readonly usage: ReportedUsage;
  readonly provider: UsageProvider;
}

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

/**
 * What the AI SDK makes of a report. Generation 6 takes every input with its cached tokens and every output
 * with its reasoning, and sums them itself, whatever total the provider gives.
 */
export function toSdkUsage(report: ProviderReport, generation: SdkGeneration): SdkUsage {
  const client: UsageClient = clients[report.client];
  const writeTokens = report.cacheWriteTokens;
  const { inputTokens, outputTokens, totalTokens } =
    generation === 5 ? report : inclusiveNumbers(report, client);
  return {
    usage: {
      inputTokens,
      outputTokens,
      totalTokens,
      reasoningTokens: report.reasoningTokens,
      cacheReadTokens: report.cacheReadTokens,
    },
    provider:
      writeTokens === undefined
        ? { npm: client.npm }
        : { npm: client.npm, metadata: client.metadataOf?.(writeTokens) },
  };
}

function inclusiveNumbers(report: ProviderReport, { addsCache, addsReasoning }: UsageClient) {
  const { cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = report;
  const inputTokens = report.inputTokens + (addsCache ? cacheReadTokens + cacheWriteTokens : 0);
  const outputTokens = report.outputTokens + (addsReasoning ? reasoningTokens : 0);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
