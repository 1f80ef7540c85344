/** The JSON report of `compare`: the schema is its type and its check. */

import * as z from 'zod';
import { BillShape } from './check-bill.ts';
import {
  EstimateShape,
  LeftOutShape,
  ModeShape,
  OriginShape,
  StateShape,
  StoriesShape,
  UnitShape,
  UnreadShape,
  VerdictShape,
} from './saved/shapes.ts';
import { ArmVerdictShape, ConclusionShape } from './verdict.ts';

/** The origin of one side. */
const SideSchema = OriginShape.extend({ policies: z.array(z.string()) });

/** A metric of one session under both arms. */
const PairSchema = z.object({ metric: z.string(), a: z.number(), b: z.number() });

/** The cost of the second arm as a multiple of that of the first. */
const CostSchema = z.object({
  pairs: z.number(),
  /** The primary statistic. */
  geometricRatio: EstimateShape,
  verdict: VerdictShape,
  /** The ratio that the bill shows; `null` where the first arm is free. */
  ratioOfTotals: EstimateShape.nullable(),
});

/** Families that the second arm wins and loses, each by its mean; under each policy where there are several. */
const OutcomesSchema = z.object({
  wins: z.number(),
  losses: z.number(),
  ties: z.number(),
  probabilityOfSuperiority: z.number().nullable(),
});

/** One metric under both arms. */
const MetricSchema = z.object({
  name: z.string(),
  label: z.string(),
  unit: UnitShape,
  /** Pairs in which it is known on both sides. */
  pairs: z.number(),
  meanA: z.number(),
  meanB: z.number(),
  /** Mean of the second arm less the first. */
  difference: EstimateShape,
  verdict: VerdictShape,
  /** Adjusted by Holm for the primary metrics; absent for all others, which are descriptive. */
  pValue: z.number().nullable().exactOptional(),
  /** d_z. */
  effectSize: z.number().nullable(),
  /** Of the second arm; absent where neither direction is better. */
  outcomes: OutcomesSchema.exactOptional(),
});

/** A session in which the arms are far apart, and why. */
const DifferenceSchema = z.object({
  session: z.string(),
  /** Where there are several arms on each side. */
  arm: z.string().exactOptional(),
  /** The metric that sessions are ordered by. */
  measure: PairSchema,
  /** The metric, beside that, in which it differs most from other sessions. */
  because: PairSchema.exactOptional(),
  /** The first step at which the runs do different things, in words; absent where they are not at hand. */
  parting: z.object({ step: z.number(), a: z.string(), b: z.string() }).exactOptional(),
});

/** A session under one side, over its trials. */
const SideRunSchema = z.object({
  /** The same under both sides. */
  key: z.string(),
  session: z.string(),
  state: z.enum([...StateShape.options, 'impossible']),
  reason: z.string().optional(),
  costUsd: z.number().nullable(),
  /** The tokens that it processed, where its cost is unknown. */
  tokens: z.number().nullable().exactOptional(),
  losses: z.number().nullable(),
  compactions: z.number().nullable(),
  isLeast: z.boolean(),
});

/** A comparison, as it is saved. */
export const ComparisonSchema = z.object({
  comparisonVersion: z.int(),
  /** Its outcome, arm by arm; absent in comparisons that do not tell. */
  verdict: z.array(ArmVerdictShape).exactOptional(),
  /** The evidence of that; absent in comparisons that do not tell. */
  conclusion: ConclusionShape.exactOptional(),
  /** The costs of an adapter beside never compacting and each policy; absent where no adapter was run. */
  bill: BillShape.exactOptional(),
  a: z.string(),
  b: z.string(),
  /** The bases of the numbers of either side, as far as they are known. */
  origins: z.object({ a: SideSchema, b: SideSchema }),
  model: z.string(),
  summarizer: z.string(),
  mode: ModeShape,
  /** Of the resamples. */
  seed: z.number(),
  /** Pairs in which both completed; only they are compared. */
  pairs: z.number(),
  /** Sessions that the pairs are of; pairs of one session are no independent evidence. */
  sessions: z.number(),
  /** Families of those sessions, the independent pieces of evidence: a family counts once. */
  families: z.number(),
  cost: CostSchema.nullable(),
  metrics: z.array(MetricSchema),
  mostDifferent: z.array(DifferenceSchema),
  /** The outcome of each run of either side; absent in comparisons that do not tell. */
  runs: z.object({ a: z.array(SideRunSchema), b: z.array(SideRunSchema) }).exactOptional(),
  /** Further arms that stand beside an adapter; absent where there are none. */
  others: z.array(z.object({ name: z.string(), runs: z.array(SideRunSchema) })).exactOptional(),
  leftOut: LeftOutShape,
  /** The baseline of savings, in sentences; absent in comparisons that do not tell. */
  savings: z.array(z.string()).exactOptional(),
  /** Runs of either side that broke, or broke a law. */
  failedRuns: z.number(),
  /** Of both sides; absent in comparisons that do not tell. */
  stories: StoriesShape.exactOptional(),
  unread: UnreadShape,
});
