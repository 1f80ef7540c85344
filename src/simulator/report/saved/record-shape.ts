import * as z from 'zod';
import type { RunState } from '../../events.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { ModeShape, SettingsShape } from './amount-shapes.ts';
import { CatalogShape, TokenizerShape } from './origin-shape.ts';

/** How a run may end. */
export const StateShape = z.enum([
  'completed',
  'refused',
  'irreducible',
  'breaker',
  'loop',
  'failed',
  'skipped',
]) satisfies z.ZodType<RunState>;

const Limits = z.looseObject({ contextTokens: z.number() });

const Tally = z.record(z.string(), z.number());

const SessionBasisShape = z.looseObject({
  session: z.string(),
  basis: z.looseObject({ calibration: z.string(), overhead: z.string() }),
  isPartial: z.boolean(),
  sharedMessages: z.number().exactOptional(),
  recordedModel: z.string().exactOptional(),
  dropped: Tally,
  repaired: Tally,
});

/** The provenance of a report, as far as any format reads it. */
export const ProvenanceShape = z.looseObject({
  version: z.string(),
  policies: z.array(z.looseObject({ name: z.string() })),
  model: z.string(),
  limits: Limits,
  provider: z.looseObject({
    trueLimits: Limits.exactOptional(),
    dialect: z.string(),
    cache: z.string(),
    isCacheUnknown: z.literal(true).exactOptional(),
    cacheTtlMs: z.number(),
    refusal: z.string(),
    checks: z.array(z.string()),
    unknownPrices: z.array(z.string()),
  }),
  summarizer: z.string(),
  seed: z.number(),
  mode: ModeShape,
  catalog: CatalogShape,
  prompts: z.record(z.string(), z.string()),
  estimators: z.looseObject({
    tokenizer: TokenizerShape,
    policies: z.record(z.string(), z.looseObject({})),
    sessions: z.array(SessionBasisShape),
  }),
  settings: SettingsShape,
});

/** What a run is of, wherever one is saved. */
export const RUN_FIELDS = {
  session: z.string(),
  family: z.string().exactOptional(),
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
};

/** One run of a report, as far as any format reads it. */
export const RecordShape = z.looseObject({
  ...RUN_FIELDS,
  seed: z.number(),
  state: StateShape,
  reason: z.string().exactOptional(),
  metrics: z.record(z.string(), z.number().nullable()),
  paybacks: z.array(z.looseObject({})).exactOptional(),
  summaryFailures: z
    .array(z.looseObject({ reason: z.string(), times: z.number() }))
    .exactOptional(),
});

/** Metrics of any version: those that it does not have are unknown. */
export function completeMetrics(values: Readonly<Record<string, number | null>>): MetricValues {
  return { ...UNKNOWN_METRICS, ...values };
}
