import { z } from 'zod';
import { PUBLISHED_NUMBERS, PUBLISHED_SHARES, PUBLISHED_STATISTICS } from './published.ts';
import { CHECKED_FIGURES, type Workload } from './workload.ts';

const Share = z.number().min(0).max(1);
const Weight = z.number().min(0);
const Weights = z.record(z.string(), Weight);

const SpreadValue = z.strictObject({
  n: z.int().min(0).exactOptional(),
  points: z.array(z.tuple([Share, Weight]).readonly()).min(1),
  bend: z.number().positive().exactOptional(),
});

const Style = z.strictObject({
  model: z.string(),
  keys: z.strictObject({
    path: z.string(),
    before: z.string(),
    after: z.string(),
    command: z.string(),
    description: z.string().exactOptional(),
    patch: z.string(),
  }),
  lines: z.enum(['arrow', 'bar', 'plain']),
  shell: z.enum(['bare', 'headed']),
  cache: z.enum(['written', 'automatic']),
  hasAbsolutePaths: z.boolean(),
});

const Tool = z.strictObject({
  share: Share,
  errorRate: Share,
  repeatRate: Share,
  outputTokens: SpreadValue,
  argumentTokens: SpreadValue,
});

const Texts = z.strictObject({
  userTokens: SpreadValue,
  assistantTokens: SpreadValue,
  reasoningTokens: SpreadValue,
  summaryTokens: SpreadValue,
  textShare: Share,
  reasoningShare: Share,
});

const Languages = z.strictObject({
  english: Weight.exactOptional(),
  german: Weight.exactOptional(),
  russian: Weight.exactOptional(),
  chinese: Weight.exactOptional(),
  japanese: Weight.exactOptional(),
});

const Planting = z.strictObject({
  factsPerKilotoken: Weight.exactOptional(),
  mentions: z.int().min(1).exactOptional(),
  guessablesPerFact: Weight.exactOptional(),
  distractorsPerFact: Weight.exactOptional(),
  injections: z.int().min(0).exactOptional(),
});

const Count = z.int().min(0);

const Shape = z.strictObject({
  family: z.string().exactOptional(),
  callsOfTurns: z.array(Count).min(1),
  steps: z.int().min(1),
  contentTokens: Weight.exactOptional(),
  firstStepTokens: Weight.exactOptional(),
  stepGrowthTokens: z.number().exactOptional(),
  rereadShare: Share.exactOptional(),
  compactAtTokens: Weight.exactOptional(),
  shrinkingShare: Share.exactOptional(),
  compactions: Count.exactOptional(),
  thresholdHits: z.array(Count).exactOptional(),
});

const range = {
  low: z.number(),
  high: z.number(),
  tolerance: z.number().min(0).exactOptional(),
};
const PublishedFigure = z.union([
  z.strictObject({
    figure: z.enum(PUBLISHED_NUMBERS),
    statistic: z.enum(PUBLISHED_STATISTICS),
    ...range,
  }),
  z.strictObject({ figure: z.enum(PUBLISHED_SHARES), ...range }),
]);

/** A workload as it stands in a file. */
export const WorkloadFile = z.strictObject({
  name: z.string(),
  describes: z.string(),
  source: z.string(),
  style: Style,
  sessions: z.array(Shape).min(1).exactOptional(),
  turnsPerSession: SpreadValue,
  callsPerTurn: SpreadValue,
  callsPerStep: Weights,
  tools: z.record(z.string(), Tool),
  transitions: z.record(z.string(), Weights),
  texts: Texts,
  gapsSeconds: z.strictObject({
    beforeUser: SpreadValue,
    model: SpreadValue,
    toolsAndModel: SpreadValue,
  }),
  reuse: z.strictObject({
    rereadShare: SpreadValue,
    rereadTokens: SpreadValue,
    changeTokens: SpreadValue,
  }),
  context: z.strictObject({
    firstStepTokens: SpreadValue,
    charactersPerToken: z.number().positive(),
    fixedTokens: z.number(),
    unseenTokens: SpreadValue,
    compactAtTokens: SpreadValue,
    compactedTokens: SpreadValue,
    takenBackTokens: SpreadValue.exactOptional(),
    cacheSeconds: z.number().positive().exactOptional(),
  }),
  languages: Languages,
  planting: Planting.exactOptional(),
  checks: z.partialRecord(z.enum(CHECKED_FIGURES), SpreadValue),
  published: z.array(PublishedFigure).readonly().exactOptional(),
}) satisfies z.ZodType<Workload>;
