import * as z from 'zod';
import { armMetrics } from '../arm-metrics.ts';
import { ADVICE_STATES, ELASTICITY_LACKS } from '../tune-report.ts';
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
} from './shapes.ts';

const Objective = z.looseObject({
  label: z.string(),
  unit: UnitShape,
  better: z.enum(['higher', 'lower']),
});

const Point = z.looseObject({
  settings: SettingsShape,
  values: z.array(z.number()),
  isToday: z.boolean(),
  isKnee: z.boolean(),
});

const Member = Point.extend({
  probability: z.number().nullable(),
  misses: z.looseObject({ mean: z.number().nullable(), atBest: z.number().nullable() }),
});

const Today = z.looseObject({
  settings: SettingsShape,
  state: z.enum(['on the front', 'dominated', 'infeasible']),
  values: z.array(z.number().nullable()),
  dominatedBy: SettingsShape.exactOptional(),
  dominatingValues: z.array(z.number()).exactOptional(),
  savings: z.array(z.number().nullable()).exactOptional(),
  distance: z.number().nullable(),
});

const Outcome = z.looseObject({
  objective: Objective,
  sessions: z.number(),
  families: z.number(),
  today: z.number(),
  tuned: z.number(),
  kind: z.enum(['ratio', 'difference']),
  estimate: EstimateShape,
  pValue: z.number().nullable(),
  verdict: VerdictShape,
});

const Advised = z.enum(ADVICE_STATES);

const Advice = z.looseObject({
  state: Advised,
  isHeldOut: z.boolean(),
  compared: z.array(
    z.looseObject({
      settings: SettingsShape,
      isKnee: z.boolean(),
      state: Advised,
      outcomes: z.array(Outcome),
      broken: z.array(z.string()),
    }),
  ),
  brokenByToday: z.array(z.string()),
  settings: SettingsShape,
  needless: z.array(z.string()).exactOptional(),
});

const Sessions = z.looseObject({
  tuning: z.number(),
  heldOut: z.number(),
  askedShare: z.number(),
  families: z.looseObject({ tuning: z.number(), heldOut: z.number() }),
  leftOut: LeftOutShape,
});

const Cells = z.looseObject({
  all: z.number(),
  distinct: z.number(),
  feasible: z.array(Point),
  infeasible: z.array(z.looseObject({ settings: SettingsShape, reason: z.string() })),
});

const Knee = z.looseObject({
  settings: SettingsShape,
  probability: z.number().nullable(),
  intervals: z.record(z.string(), IntervalShape),
});

const Volume = z.looseObject({
  share: EstimateShape,
  today: z.number().nullable(),
  reference: z.array(
    z.looseObject({ amount: z.number(), of: z.enum(['none', 'worst cell']) }).nullable(),
  ),
});

const Sensitivity = z.looseObject({
  setting: z.string(),
  isDead: z.boolean(),
  elasticity: EstimateShape.nullable(),
  lack: z.enum(ELASTICITY_LACKS).exactOptional(),
});

/** A JSON report of `tune`, as far as any format reads it. */
export const TuneShape = z.looseObject({
  tuneVersion: z.int(),
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
  seed: z.number(),
  mode: ModeShape,
  origin: OriginShape,
  objectives: z.array(Objective.extend({ name: z.string() })),
  constraints: z.array(z.string()),
  sessions: Sessions,
  cells: Cells,
  resamples: z.number(),
  today: Today,
  front: z.array(Member),
  unlisted: z.looseObject({ members: z.number(), within: z.number() }),
  knee: Knee.exactOptional(),
  withoutKnee: z.number().nullable(),
  volume: Volume.exactOptional(),
  sensitivity: z.array(Sensitivity),
  advice: Advice,
  unread: UnreadShape,
});

const Estimate = z.looseObject({
  mean: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  sessions: z.number(),
  families: z.number().exactOptional(),
});

const Decay = z.looseObject({
  retention: z.array(Estimate),
  rho: Estimate,
  halfLife: Estimate,
});

const Reason = z.looseObject({ reason: z.string(), state: z.string(), times: z.number() });

const Arm = z.looseObject({
  name: z.string(),
  metrics: z.record(z.enum(Object.keys(armMetrics)), Estimate),
  mustFacts: z.looseObject({
    of: z.number(),
    dropped: z.number(),
    highestRate: z.number().nullable(),
  }),
  decay: z.looseObject({
    summary: Decay,
    view: Decay,
    survival: z.array(z.looseObject({ pivots: z.number(), survival: Estimate })),
  }),
  failures: z.looseObject({
    trials: z.number(),
    pivots: z.number(),
    failed: z.number(),
    cut: z.number(),
    nonCompressing: z.number(),
    reasons: z.array(Reason),
  }),
});

const Difference = z.looseObject({
  arm: z.string(),
  metric: z.enum(Object.keys(armMetrics)),
  sessions: z.number(),
  difference: Estimate,
  ratio: Estimate.exactOptional(),
  verdict: z.string(),
});

const Probes = z.looseObject({
  reader: z.string(),
  models: z.record(z.string(), z.string()),
  ownFamily: z.array(z.string()),
  judges: z.array(z.looseObject({ name: z.string() })),
  arms: z.array(z.looseObject({ arm: z.string() })),
});

/** A JSON report of `summarizers`, as far as any format reads it. */
export const SummarizersShape = z.looseObject({
  summarizersVersion: z.int(),
  provenance: z.looseObject({
    origin: OriginShape,
    policy: z.string(),
    model: z.string(),
    pivots: z.number(),
    compactAt: z.union([z.array(z.number()), z.literal('policy')]),
    seed: z.number(),
    repeats: z.number(),
    leastRepeats: z.number().exactOptional(),
    scenarios: z.array(
      z.looseObject({
        name: z.string(),
        hash: z.string(),
        facts: z.string(),
        family: z.string().exactOptional(),
      }),
    ),
  }),
  arms: z.array(Arm),
  differences: z.array(Difference),
  probes: Probes.exactOptional(),
  unread: UnreadShape,
});
