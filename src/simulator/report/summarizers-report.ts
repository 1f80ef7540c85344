/** The JSON report of `summarizers`: the schema is its type and its check. */

import * as z from 'zod';
import { CONDITIONS, PROBE_KINDS } from '../metrics/probes/probe.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { type ArmMetricName, armMetrics, FACT_SOURCES } from './arm-metrics.ts';
import {
  type Checked,
  OriginShape,
  SettingsShape,
  UnreadShape,
  VerdictShape,
} from './saved/shapes.ts';

/** The version of the shape of the JSON document. */
export const SUMMARIZERS_VERSION = 3;

/** The names of the metrics of an arm. */
export const ARM_METRICS = Object.keys(armMetrics) as readonly ArmMetricName[];

/** A mean over sessions with its interval; `null` where unknown. */
const Mean = z.object({
  mean: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Sessions in which it is known. */
  sessions: z.number(),
  /** Of how many families they are, each of which counts once; absent where all are independent. */
  families: z.number().exactOptional(),
});

/** A session that was used. */
const Scenario = z.object({
  name: z.string(),
  hash: z.string(),
  facts: z.enum(FACT_SOURCES),
  /** The first by name of its family; absent where it stands alone. */
  family: z.string().optional(),
});

/** Everything that would have to be the same to get the same numbers. */
const Provenance = z.object({
  origin: OriginShape,
  scorerVersion: z.number(),
  /** Hash of all that rows share. */
  bench: z.string(),
  policy: z.string(),
  /** Whose tokenizer counts, and whose limits hold where the policy decides. */
  model: z.string(),
  /** How often each session is compacted. */
  pivots: z.number(),
  compactAt: z.union([z.array(z.number()), z.literal('policy')]),
  seed: z.number(),
  /** How often each session was run under each arm. */
  repeats: z.number(),
  /** Where some were run less often: the least. */
  leastRepeats: z.number().exactOptional(),
  scenarios: z.array(Scenario),
});

/** How likely it is that a fact has survived as many pivots. */
const Survival = z.object({
  pivots: z.number(),
  /** Means over repetitions and over the sessions of a family, so that they need not be whole. */
  atRisk: z.number(),
  lost: z.number(),
  survival: Mean,
});

/** Facts that must be kept, over all scored pivots. */
const MustFactsShape = z.object({
  of: z.number(),
  dropped: z.number(),
  /**
   * The highest rate of drops that this leaves possible at 95 %, where a family of sessions counts once; `null` where
   * there was none to be kept.
   */
  highestRate: z.number().nullable(),
});

/** Failures, which no score contains. */
const Failures = z.object({
  trials: z.number(),
  /** Pivots that have a score. */
  pivots: z.number(),
  failed: z.number(),
  unreached: z.number(),
  cut: z.number(),
  /** Summaries that are no shorter than what they stand for. */
  nonCompressing: z.number(),
  empty: z.number(),
  reasons: z.array(
    z.object({
      reason: z.string(),
      state: z.enum(['failed', 'broken', 'unreached']),
      times: z.number(),
    }),
  ),
});

/** A summarizer with a prompt. */
const Arm = z.object({
  name: z.string(),
  summarizer: z.string(),
  /** Settings that decide its answers besides its name; absent where there are none. */
  settings: SettingsShape.optional(),
  model: z.string(),
  prompt: z.string(),
  promptHash: z.string(),
  metrics: z.record(z.enum(ARM_METRICS), Mean),
  /** Share of each kind of facts that the first summary kept. */
  kinds: z.partialRecord(z.enum(FACT_KINDS), Mean),
  mustFacts: MustFactsShape,
  /** Of facts in the summary, after Kaplan and Meier, by the pivots that they went through. */
  survival: z.array(Survival),
  failures: Failures,
});

/** The difference of an arm from the base, on the sessions that both have. */
const Difference = z.object({
  arm: z.string(),
  base: z.string(),
  metric: z.enum(ARM_METRICS),
  sessions: z.number(),
  difference: Mean,
  /** Of costs the geometric mean of ratios, by which they are judged. */
  ratio: Mean.exactOptional(),
  /** `unjudged` where the number says nothing of quality. */
  verdict: z.enum([...VerdictShape.options, 'unjudged']),
});

/** Results of the questions after the first pivot of an arm: means over sessions, each with its interval. */
const Probes = z.object({
  arm: z.string(),
  questions: z.number(),
  /** Why questions have no result. */
  unanswered: z.array(z.object({ reason: z.string(), times: z.number() })),
  accuracy: z.record(z.enum(CONDITIONS), Mean),
  /** Share of what the sessions tell more than nothing that is left; unknown where they told too little more. */
  left: Mean,
  /** Right by what was asked for, with the whole session and after the pivot. */
  kinds: z.partialRecord(z.enum(PROBE_KINDS), z.object({ full: Mean, compacted: Mean })),
});

/** Results of the questions, and who answered them. */
const ProbesReportShape = z.object({
  reader: z.string(),
  /** As its provider names it. */
  model: z.string().exactOptional(),
  /** Arms whose summaries are by a model of the reader's own family, which may know its own ways. */
  ownFamily: z.array(z.string()),
  arms: z.array(Probes),
});

/** Summarizers with prompts, compared on the same sessions. */
export const SummarizersSchema = z.object({
  summarizersVersion: z.int(),
  provenance: Provenance,
  arms: z.array(Arm),
  /** Of each arm to the base. */
  differences: z.array(Difference),
  /** Absent where nobody was asked. */
  probes: ProbesReportShape.optional(),
  unread: UnreadShape,
});

export type SummarizersReport = Checked<typeof SummarizersSchema>;
export type SummarizersProvenance = SummarizersReport['provenance'];
export type ScenarioProvenance = Checked<typeof Scenario>;
export type MeanEstimate = Checked<typeof Mean>;
export type IntervalEstimate = Pick<MeanEstimate, 'mean' | 'low' | 'high'>;
export type SessionCount = Pick<MeanEstimate, 'sessions' | 'families'>;
export type ArmReport = Checked<typeof Arm>;
export type SurvivalEstimate = Checked<typeof Survival>;
export type MustFacts = Checked<typeof MustFactsShape>;
export type ArmFailures = Checked<typeof Failures>;
export type ArmDifference = Checked<typeof Difference>;
export type ProbesReport = Checked<typeof ProbesReportShape>;
export type ArmProbes = Checked<typeof Probes>;
