import * as z from 'zod';
import type { EstimatorOptions, Policy } from '../../../engine/index.ts';
import type { RunState, TokenBasis } from '../../events.ts';
import { type Immutable, isObject } from '../../lib/json.ts';
import type { Finding } from '../../metrics/diagnosis.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import type { Payback } from '../../metrics/totals.ts';
import type { SessionStory } from '../../session/story.ts';
import { SetupShape } from '../setup.ts';

export type Checked<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

export const IntervalShape = z.object({ low: z.number(), high: z.number() });

/** `null` where the sample is too small. */
export const EstimateShape = z.object({ value: z.number(), interval: IntervalShape.nullable() });

export const VerdictShape = z.enum(['lower', 'higher', 'equivalent', 'within noise', 'too few']);

export const UnitShape = z.enum(['tokens', 'count', 'usd', 'ms', 'ratio', 'factor']);

export const SettingShape = z.union([z.number(), z.boolean(), z.string()]);

export const SettingsShape = z.record(z.string(), SettingShape);

export const ModeShape = z.enum(['open-loop', 'closed-loop']);

export const LeftOutShape = z.array(z.object({ session: z.string(), reason: z.string() }));

export const UnreadShape = z.array(z.object({ file: z.string(), reason: z.string() }));

export const TokenizerShape = z.object({
  name: z.string(),
  evidence: z.enum(['measured', 'estimated']),
});

export const CatalogShape = z.object({ source: z.string(), hash: z.string() });

export const TokenizersShape = z.record(z.string(), TokenizerShape);

export const RecordedShape = z.object({
  sessions: z.number(),
  /** By `provider/model`. */
  models: z.record(z.string(), z.number()),
  isOwn: z.literal(true).optional(),
});

/** The basis of numbers, as far as it is known. */
export const OriginShape = z.object({
  version: z.string().optional(),
  catalog: CatalogShape.optional(),
  tokenizers: TokenizersShape.optional(),
  /** Those that all runs have in common. */
  settings: SettingsShape,
  recorded: RecordedShape.optional(),
});

export const StateShape = z.enum([
  'completed',
  'refused',
  'irreducible',
  'breaker',
  'loop',
  'failed',
  'skipped',
]) satisfies z.ZodType<RunState>;

const Limits = z.object({
  contextTokens: z.number(),
  inputTokens: z.number().exactOptional(),
  outputTokens: z.number().exactOptional(),
});

const Tally = z.record(z.string(), z.number());

export const StoryShape = z.object({
  project: z.string().nullable(),
  title: z.string().nullable(),
  date: z.string().nullable(),
  sessionId: z.string().exactOptional(),
}) satisfies z.ZodType<SessionStory>;

export const StoriesShape = z.array(StoryShape.extend({ session: z.string() }));

/** The tokens of a session, and what its import left out or mended. */
export const SessionBasisShape = z.object({
  session: z.string(),
  basis: z
    .custom<TokenBasis>(
      (basis) => isObject(basis) && [basis['calibration'], basis['overhead']].every(isText),
    )
    .meta({ type: 'object', required: ['calibration', 'overhead'] }),
  /** The messages before its first one are absent. */
  isPartial: z.boolean(),
  /** Absent where no other session begins alike. */
  sharedMessages: z.number().exactOptional(),
  /** `provider/model` of most of its steps; absent where none names one. */
  recordedModel: z.string().exactOptional(),
  setup: SetupShape.exactOptional(),
  story: StoryShape.exactOptional(),
  dropped: Tally,
  repaired: Tally,
});

/** Everything that would have to be the same to get the same numbers. */
export const ProvenanceShape = z.object({
  version: z.string(),
  /** As resolved. */
  policies: z.array(
    z
      .custom<Policy>((policy) => isObject(policy) && isText(policy['name']))
      .meta({ type: 'object', required: ['name'] }),
  ),
  model: z.string(),
  /** `model` is that of most. */
  onSetup: z.literal(true).exactOptional(),
  /** As used. */
  limits: Limits,
  provider: z.object({
    /** Absent where the declared limits hold. */
    trueLimits: Limits.exactOptional(),
    dialect: z.string(),
    cache: z.string(),
    /** Nothing is known of the provider, and nobody named a cache. */
    isCacheUnknown: z.literal(true).exactOptional(),
    cacheTtlMs: z.number(),
    refusal: z.string(),
    checks: z.array(z.string()),
    /** `all` where none is known. */
    unknownPrices: z.array(z.string()),
  }),
  summarizer: z.string(),
  seed: z.number(),
  mode: ModeShape,
  catalog: CatalogShape,
  prompts: z.record(z.string(), z.string()),
  estimators: z.object({
    tokenizer: TokenizerShape,
    policies: z.record(z.string(), z.custom<EstimatorOptions>(isObject).meta({ type: 'object' })),
    sessions: z.array(SessionBasisShape),
  }),
  settings: SettingsShape,
  config: z
    .object({
      file: z.string().exactOptional(),
      /** By setting. */
      origins: z.record(z.string(), z.string()),
      /** Its window counts; `summarizer` tells what answered. */
      summaryModel: z.string().exactOptional(),
    })
    .exactOptional(),
});

export const RUN_FIELDS = {
  session: z.string(),
  family: z.string().exactOptional(),
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
};

/** Each cause has numbers of its own beside these. */
export const FindingsShape = z.array(
  z.looseObject({
    cause: z.string(),
    hits: z.number(),
    of: z.number(),
    fromStep: z.number(),
    costUsd: z.number().nullable(),
  }),
) as unknown as z.ZodType<readonly Finding[]>;

export const RecordShape = z.looseObject({
  ...RUN_FIELDS,
  seed: z.number(),
  mode: ModeShape.exactOptional(),
  state: StateShape,
  reason: z.string().exactOptional(),
  impossible: z.string().exactOptional(),
  baseline: z.enum(['recorded', 'none']).exactOptional(),
  metrics: z.record(z.string(), z.number().nullable()),
  edgeTokens: z.number().exactOptional(),
  fit: z
    .array(z.strictObject({ recorded: z.number().nullable(), predicted: z.number().nullable() }))
    .exactOptional(),
  paybacks: z
    .array(
      z
        .custom<Payback>(isObject)
        .meta({ type: 'object', properties: {}, additionalProperties: {} }),
    )
    .exactOptional(),
  findings: FindingsShape.exactOptional(),
});

/** Takes a value unchanged, with its keys in their order. */
export function isOf<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): value is Checked<Schema> {
  return schema.safeParse(value).success;
}

/** Those that it does not have are unknown. */
export function completeMetrics(values: Readonly<Record<string, number | null>>): MetricValues {
  return { ...UNKNOWN_METRICS, ...values };
}

function isText(value: unknown) {
  return typeof value === 'string';
}
