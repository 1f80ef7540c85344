import * as z from 'zod';

const quantile = z.number().optional();

/** How numbers of a corpus spread; without quantiles where there are no numbers. */
export const Quantiles = z.object({
  n: z.number(),
  mean: quantile,
  p10: quantile,
  p25: quantile,
  p50: quantile,
  p75: quantile,
  p90: quantile,
  p95: quantile,
  p99: quantile,
  max: quantile,
});

const Tool = Quantiles.extend({
  errorRate: z.number().nullable(),
  argTokensP50: z.number().nullish(),
  argTokensP90: z.number().nullish(),
});

/** Statistics of the sessions of one agent. */
export const Corpus = z.object({
  sessions: z.number(),
  toolOutputs: Quantiles,
  tokenShareByKind: z.record(z.string(), z.number()),
  byTool: z.record(z.string(), Tool),
  perTurn: z.object({ contentTokens: Quantiles, toolCalls: Quantiles, steps: Quantiles }),
  perSession: z.object({
    toolOutputs: Quantiles,
    userTurns: Quantiles,
    modelSteps: Quantiles,
    contentTokens: Quantiles,
    maxContextTokens: Quantiles,
    firstStepContextTokens: Quantiles,
    cacheReadShare: Quantiles,
  }),
  perStep: z.object({
    contextDelta: Quantiles,
    positiveContextDelta: Quantiles,
    outputTokens: Quantiles,
    parallelToolCalls: z.record(z.string(), z.number()),
  }),
  textSizes: z.object({
    user: Quantiles,
    assistantText: Quantiles,
    thinking: Quantiles,
    toolArgs: Quantiles,
    summary: Quantiles,
  }),
  redundancy: z.object({ repeatReadShare: Quantiles, exactDuplicateOutputTokenShare: Quantiles }),
  compaction: z.object({ preTokens: Quantiles, postContextTokens: Quantiles }),
  transitionsTop: z.array(z.tuple([z.string(), z.string(), z.number()])),
});

const PerToken = z.object({ chars_per_token_slope: z.number() });

/** The statistics of all corpora, as far as workloads are made from them. */
export const StatisticsFile = z.object({
  corpora: z.record(z.string(), Corpus),
  byFormatKeptFiles: z.record(z.string(), Corpus),
  measuredCharsPerToken: z.record(z.string(), PerToken.nullable()),
  lognormalFits: z.record(z.string(), z.object({ n: z.number() })),
  compactionStudy: z.object({
    fileReuseDistanceTokens: z.object({ reRead: Quantiles, editOrWriteAfterTouch: Quantiles }),
  }),
  gapsSeconds: z.object({ beforeUser: Quantiles, toolExec: Quantiles, modelBlock: Quantiles }),
});

export type StatisticsFile = z.infer<typeof StatisticsFile>;
export type Corpus = z.infer<typeof Corpus>;
export type Quantiles = z.infer<typeof Quantiles>;
