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

export const number = z.number();
export const amount = number.nullable();
export const string = z.string();
export const strings = z.array(string);
/** True, or absent. */
export const flag = z.literal(true).exactOptional();

/** Without an interval where the sample is too small. */
export const EstimateShape = z.object({
  value: number,
  interval: z.object({ low: number, high: number }).nullable(),
});

export const VerdictShape = z.enum(['lower', 'higher', 'equivalent', 'within noise', 'too few']);

export const UnitShape = z.enum(['tokens', 'count', 'usd', 'ms', 'ratio', 'factor']);

export const SettingShape = z.union([number, z.boolean(), string]);

export const SettingsShape = z.record(string, SettingShape);

export const ModeShape = z.enum(['open-loop', 'closed-loop']);

export const LeftOutShape = z.array(z.object({ session: string, reason: string }));

export const UnreadShape = z.array(z.object({ file: string, reason: string }));

export const TokenizerShape = z.object({
  name: string,
  evidence: z.enum(['measured', 'estimated']),
});

export const CatalogShape = z.object({ source: string, hash: string });

export const TokenizersShape = z.record(string, TokenizerShape);

export const RecordedShape = z.object({
  sessions: number,
  /** By `provider/model`. */
  models: z.record(string, number),
  isOwn: z.literal(true).optional(),
});

/** The basis of numbers, as far as it is known. */
export const OriginShape = z.object({
  version: string.optional(),
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
  contextTokens: number,
  inputTokens: number.exactOptional(),
  outputTokens: number.exactOptional(),
});

const Tally = z.record(string, number);

export const StoryShape = z.object({
  project: string.nullable(),
  title: string.nullable(),
  date: string.nullable(),
  sessionId: string.exactOptional(),
}) satisfies z.ZodType<SessionStory>;

export const StoriesShape = z.array(StoryShape.extend({ session: string }));

/** The tokens of a session, and what its import left out or mended. */
export const SessionBasisShape = z.object({
  session: string,
  basis: z
    .custom<TokenBasis>(
      (basis) => isObject(basis) && [basis['calibration'], basis['overhead']].every(isText),
    )
    .meta({ type: 'object', required: ['calibration', 'overhead'] }),
  /** The messages before its first one are absent. */
  isPartial: z.boolean(),
  /** Absent where no other session begins alike. */
  sharedMessages: number.exactOptional(),
  /** `provider/model` of most of its steps; absent where none names one. */
  recordedModel: string.exactOptional(),
  setup: SetupShape.exactOptional(),
  story: StoryShape.exactOptional(),
  dropped: Tally,
  repaired: Tally,
});

/** Everything that would have to be the same to get the same numbers. */
export const ProvenanceShape = z.object({
  version: string,
  /** As resolved. */
  policies: z.array(
    z
      .custom<Policy>((policy) => isObject(policy) && isText(policy['name']))
      .meta({ type: 'object', required: ['name'] }),
  ),
  model: string,
  /** `model` is that of most. */
  onSetup: flag,
  /** As used. */
  limits: Limits,
  provider: z.object({
    /** Absent where the declared limits hold. */
    trueLimits: Limits.exactOptional(),
    dialect: string,
    cache: string,
    /** Nothing is known of the provider, and nobody named a cache. */
    isCacheUnknown: flag,
    cacheTtlMs: number,
    refusal: string,
    checks: strings,
    /** `all` where none is known. */
    unknownPrices: strings,
  }),
  summarizer: string,
  seed: number,
  mode: ModeShape,
  catalog: CatalogShape,
  prompts: z.record(string, string),
  estimators: z.object({
    tokenizer: TokenizerShape,
    policies: z.record(string, z.custom<EstimatorOptions>(isObject).meta({ type: 'object' })),
    sessions: z.array(SessionBasisShape),
  }),
  settings: SettingsShape,
  config: z
    .object({
      file: string.exactOptional(),
      /** By setting. */
      origins: z.record(string, string),
      /** Its window counts; `summarizer` tells what answered. */
      summaryModel: string.exactOptional(),
    })
    .exactOptional(),
});

/** Each cause has numbers of its own beside these. */
export const FindingsShape = z.array(
  z.looseObject({
    cause: string,
    hits: number,
    of: number,
    fromStep: number,
    costUsd: amount,
  }),
) as unknown as z.ZodType<readonly Finding[]>;

export const RecordShape = z.looseObject({
  session: string,
  family: string.exactOptional(),
  policy: string,
  model: string,
  summarizer: string,
  seed: number,
  mode: ModeShape.exactOptional(),
  state: StateShape,
  reason: string.exactOptional(),
  impossible: string.exactOptional(),
  baseline: z.enum(['recorded', 'none']).exactOptional(),
  metrics: z.record(string, amount),
  edgeTokens: number.exactOptional(),
  fit: z.array(z.strictObject({ recorded: amount, predicted: amount })).exactOptional(),
  paybacks: z
    .array(
      z
        .custom<Payback>(isObject)
        .meta({ type: 'object', properties: {}, additionalProperties: {} }),
    )
    .exactOptional(),
  findings: FindingsShape.exactOptional(),
});

/** Those that it does not have are unknown. */
export function completeMetrics(values: Readonly<Record<string, number | null>>): MetricValues {
  return { ...UNKNOWN_METRICS, ...values };
}

function isText(value: unknown) {
  return typeof value === 'string';
}
