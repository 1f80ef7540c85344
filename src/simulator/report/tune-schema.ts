/** The JSON report of `tune`: the schema is its type and its check. */

import * as z from 'zod';
import {
  EstimateShape,
  IntervalShape,
  LeftOutShape,
  ModeShape,
  OriginShape,
  SettingsShape,
  UnitShape,
  UnreadShape,
  VerdictShape,
} from './saved/shapes.ts';

const AdviceState = z.enum([
  'change',
  'trade-off',
  'keep',
  'within noise',
  'too few',
  'nothing feasible',
]);

/** An amount that is to be as small, or as large, as can be. */
const ObjectiveSchema = z.object({
  /** As it was asked for. */
  name: z.string(),
  metric: z.string(),
  label: z.string(),
  unit: UnitShape,
  better: z.enum(['higher', 'lower']),
});

/** Sessions that were tuned on, and those that the outcome is reported on. */
const SessionsSchema = z.object({
  tuning: z.number(),
  /** 0 where there are too few to hold any out. */
  heldOut: z.number(),
  /** Share of the families that was to be held out. */
  askedShare: z.number(),
  /** Families of both, the independent pieces of evidence: a family counts once, by the mean of its sessions. */
  families: z.object({ tuning: z.number(), heldOut: z.number() }),
  names: z.object({ tuning: z.array(z.string()), heldOut: z.array(z.string()) }),
  leftOut: LeftOutShape,
});

/** The values of a cell: the mean of each objective over the families tuned on. */
const PointSchema = z.object({
  settings: SettingsShape,
  values: z.array(z.number()),
  isToday: z.boolean(),
  isKnee: z.boolean(),
});

/** One cell of the front. */
const MemberSchema = PointSchema.extend({
  /** Share of resamples of the families in which nothing dominates it; `null` of one family. */
  probability: z.number().nullable(),
  /** Mean misses, and the fewest that are known; `null` where unknown. */
  misses: z.object({ mean: z.number().nullable(), bestKnown: z.number().nullable() }),
});

/** Numbers of the points of the grid. */
const CellsSchema = z.object({
  all: z.number(),
  /** Cells that differ in what happens. */
  distinct: z.number(),
  /** Those of them that keep the constraints. */
  feasible: z.array(PointSchema),
  /** Cells that break a constraint, with the first one that they break. */
  infeasible: z.array(z.object({ settings: SettingsShape, reason: z.string() })),
});

/** The place of today's settings among the cells. */
const TodaySchema = z.object({
  /** The policy's values today of the settings that vary; those without a number of their own are left out. */
  settings: SettingsShape,
  state: z.enum(['on the front', 'dominated', 'infeasible']),
  /** Mean of each objective over the families tuned on; `null` where a run did not complete. */
  values: z.array(z.number().nullable()),
  /** A cell that is nowhere worse and somewhere better; absent unless dominated. */
  dominatedBy: SettingsShape.exactOptional(),
  /** Its value of each objective. */
  dominatingValues: z.array(z.number()).exactOptional(),
  /** How much better that cell is on each objective, as a share of today's; `null` where there is nothing today. */
  savings: z.array(z.number().nullable()).exactOptional(),
  /** Distance to the nearest member of the front on axes that run from the best to the worst of all feasible cells; 0 on the front. */
  distance: z.number().nullable(),
});

/** The member of the front that gives most for what it takes. */
const KneeSchema = z.object({
  settings: SettingsShape,
  /** Share of resamples in which it is the knee; `null` of one family. */
  probability: z.number().nullable(),
  /** Range of the knee, by setting. */
  intervals: z.record(z.string(), IntervalShape),
});

/** The value of an objective for a policy that never compacts, or in the worst cell where nothing beats that. */
const ReferenceSchema = z.object({ amount: z.number(), of: z.enum(['none', 'worst cell']) });

/** The share that the cells cover of the space between the best of each objective and a reference point. */
const VolumeSchema = z.object({
  /** Of the front, as a share. */
  share: EstimateShape,
  /** Of today's settings alone; `null` where they break a constraint. */
  today: z.number().nullable(),
  /** Of each objective; `null` where all come to about the same, so that it does not count. */
  reference: z.array(ReferenceSchema.nullable()),
});

/** The effect of a setting on the first objective. */
const SensitivitySchema = z.object({
  setting: z.string(),
  /** No value of it changes anything that happens. */
  isDead: z.boolean(),
  /** Percent of the first objective for one percent of the setting; `null` where there is none. */
  elasticity: EstimateShape.nullable(),
  /** Why there is none, the first reason that holds; absent where there is one, and of a setting that changes nothing. */
  lack: z
    .enum(['few cells', 'no number', 'few above zero', 'one value', 'never alone'])
    .exactOptional(),
});

/** An objective under other settings against today's. */
const OutcomeSchema = z.object({
  objective: ObjectiveSchema,
  /** Those that went well under both. */
  sessions: z.number(),
  /** Of so many families. */
  families: z.number(),
  today: z.number(),
  tuned: z.number(),
  /** Of costs the geometric mean of ratios, of all else the mean difference. */
  kind: z.enum(['ratio', 'difference']),
  estimate: EstimateShape,
  /** Adjusted over all objectives of all candidates; `null` of too few. */
  pValue: z.number().nullable(),
  verdict: VerdictShape,
});

/** A member of the front against today's settings. */
const CandidateSchema = z.object({
  settings: SettingsShape,
  isKnee: z.boolean(),
  state: AdviceState,
  outcomes: z.array(OutcomeSchema),
  /** Constraints that it breaks over all sessions, those held out too. */
  broken: z.array(z.string()),
});

/** The recommended action, and the evidence for it. */
const AdviceSchema = z.object({
  state: AdviceState,
  /** The outcomes are of sessions that were held out. */
  isHeldOut: z.boolean(),
  /** The knee, or without one members of the front, against today's settings; nothing where those are the knee. */
  compared: z.array(CandidateSchema),
  /** Constraints that today's settings break over all sessions. */
  brokenByToday: z.array(z.string()),
  /** The settings that are advised, or in a trade-off would have to be written; today's where they are kept. */
  settings: SettingsShape,
  /** Settings that the cell has otherwise than today and that stay unchanged: without them it is nowhere worse by more than counts. */
  needless: z.array(z.string()).exactOptional(),
});

/** The outcome of tuning, as it is saved. */
export const TuneSchema = z.object({
  tuneVersion: z.int(),
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
  seed: z.number(),
  mode: ModeShape,
  origin: OriginShape,
  objectives: z.array(ObjectiveSchema),
  /** The baseline of savings, in sentences; absent where none is asked for. */
  savings: z.array(z.string()).exactOptional(),
  /** Beside no refusal, no loop and no run that ends early. */
  constraints: z.array(z.string()),
  sessions: SessionsSchema,
  cells: CellsSchema,
  /** 0 where there is one family to tune on. */
  resamples: z.number(),
  today: TodaySchema,
  /** Members that stand for the front, the best on the first objective first. */
  front: z.array(MemberSchema),
  /** Members that one of those stands for, since it is nowhere worse by more than the share that counts as none. */
  unlisted: z.object({ members: z.number(), within: z.number() }),
  /** Absent where no cell keeps the constraints, or none lies below the ends of the front. */
  knee: KneeSchema.exactOptional(),
  /** Share of resamples whose front has no knee; `null` of one family. */
  withoutKnee: z.number().nullable(),
  /** Absent where no cell keeps the constraints, or all come to the same. */
  volume: VolumeSchema.exactOptional(),
  sensitivity: z.array(SensitivitySchema),
  advice: AdviceSchema,
  unread: UnreadShape,
});
