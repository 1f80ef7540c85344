import * as z from 'zod';
import type { LawName, PolicyName } from '../../engine/index.ts';
import type { RunState, TokenScale } from '../events.ts';
import { amount } from '../lib/expect.ts';
import type { Immutable } from '../lib/json.ts';
import type { Session } from '../session/session.ts';
import type {
  EventExpectation,
  MetricExpectation,
  Place,
  Placed,
  TextMatch,
} from './file/amounts.ts';
import type { ProviderOverrides, SettingValues } from './settings.ts';

export interface Scenario {
  readonly file: string;
  readonly name: string;
  /** The problem and who has it, in a sentence. */
  readonly why: string;
  /** Where it was reported: `owner/repo#number`, besides documents and addresses. */
  readonly sources: readonly string[];
  /** The run that the file's own keys describe, then those under `also`. Names differ. */
  readonly runs: readonly ScenarioRun[];
}

export interface ScenarioRun {
  /** `main` unless the file says otherwise. */
  readonly name: string;
  readonly at: Place;
  readonly session: ScenarioSession;
  readonly model: Placed<ScenarioModel>;
  readonly summaryModel?: Placed<ScenarioModel>;
  readonly policy: { readonly preset: PolicyName; readonly set: SettingValues };
  readonly summarizer: Placed<string>;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly expect: Expectation;
}

/** The replayed session: built from the file, or recorded. */
export type ScenarioSession =
  | {
      readonly type: 'built';
      /** Without recorded contexts; one token of filler has four characters, unless its file says otherwise. */
      readonly session: Session;
      /** System prompt and tool definitions. */
      readonly overheadTokens: number;
      /** Conversion of counted tokens; absent: none. */
      readonly scale?: TokenScale;
    }
  | {
      readonly type: 'file';
      readonly path: Placed<string>;
      /** Absent means what the recording tells. */
      readonly overheadTokens?: number;
      readonly scale?: undefined;
    };

/** A model of the catalog with what the scenario changes about it. */
export interface ScenarioModel extends ModelOverrides {
  /** `provider/model`; one that the catalog does not have needs `contextTokens`. */
  readonly id: string;
}

/** Values of a model that a scenario sets in place of its profile. */
export interface ModelOverrides extends ProviderOverrides {
  /** Limits as the policy knows them; 0 is none. */
  readonly contextTokens?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly prices?: ScenarioPrices;
}

/** Prices in dollars per million tokens, as catalogs have them. */
export interface ScenarioPrices {
  readonly input: number;
  readonly output: number;
  /** Absent when unknown. */
  readonly cacheRead?: number;
  /** Absent when unknown. */
  readonly cacheWrite?: number;
}

export interface Expectation {
  /** Any of these; `completed` where the file says nothing. */
  readonly state: Placed<readonly RunState[]>;
  readonly reason?: Placed<TextMatch>;
  /** One of the scenario's sources. */
  readonly reproduces?: Placed<string>;
  readonly metrics: readonly MetricExpectation[];
  readonly events: readonly EventExpectation[];
  readonly eventsInOrder: readonly EventExpectation[];
  readonly invariants: readonly Placed<LawName>[];
  readonly violates: readonly Placed<LawName>[];
  /** Texts of the model's view at the end of the run. */
  readonly sees: readonly Placed<string>[];
  readonly misses: readonly Placed<string>[];
  /** In every summary request, of which there is one at least. */
  readonly summarizerSees: readonly Placed<string>[];
  readonly summarizerMisses: readonly Placed<string>[];
}

/** The failure of a request to a model. */
export type Failure = Immutable<z.infer<typeof FailureSchema>>;

/** A fault or event injected into a run. */
export type Fault = Immutable<z.infer<typeof FaultSchema>>;

export type Tier = (typeof TIERS)[number];

/** Needs of a run: nothing, a recording, or a real model. Source: evaluation design, section 9.6. */
export const TIERS = ['deterministic', 'cassette', 'live'] as const;

const ordinal = z.int({ error: 'a whole number from 1 on' }).min(1, 'a whole number from 1 on');

export const FailureSchema = z.discriminatedUnion('type', [
  /** An error that is no overflow and is not tried again. */
  z.strictObject({ type: z.literal('fail'), message: z.string().exactOptional() }),
  /** No answer within the time allowed. */
  z.strictObject({ type: z.literal('time-out'), afterMs: amount() }),
  /** Too many requests: the client waits and asks again. */
  z.strictObject({ type: z.literal('rate-limit'), retryAfterMs: amount().exactOptional() }),
  /** Refused because the request was too large, in the provider's own words or in these. */
  z.strictObject({
    type: z.literal('overflow'),
    statusCode: z.number().exactOptional(),
    message: z.string().exactOptional(),
  }),
  /** Cut off by the person when that many tokens had come. */
  z.strictObject({ type: z.literal('abort'), afterTokens: amount() }),
]);

/** The schema of `Fault`. Steps and calls count from 1, calls with their retries; `times` are tries of a step, or calls in a row. */
export const FaultSchema = z.discriminatedUnion('on', [
  z.strictObject({ on: z.literal('step'), step: ordinal, times: ordinal, failure: FailureSchema }),
  z.strictObject({
    on: z.literal('summary'),
    call: ordinal,
    times: ordinal,
    failure: FailureSchema,
  }),
  /** A usage that is wrong for one step: reported tokens are multiplied. */
  z.strictObject({ on: z.literal('usage'), step: ordinal, factor: amount() }),
  /** A prompt that comes in while a summary is being written. */
  z.strictObject({ on: z.literal('message'), call: ordinal, text: z.string() }),
  /** Somebody asks for a compaction before that step. */
  z.strictObject({ on: z.literal('compact'), step: ordinal }),
  /** From that step on another model answers: `provider/model` of the catalog. */
  z.strictObject({ on: z.literal('model'), step: ordinal, model: z.string() }),
]);

export function tierOf(summarizer: string): Tier {
  if (summarizer.startsWith('cassette:')) return 'cassette';
  return summarizer.startsWith('ai:') ? 'live' : 'deterministic';
}
