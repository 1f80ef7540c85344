import * as z from 'zod';
import {
  type Checked,
  EstimateShape,
  LeftOutShape,
  ModeShape,
  OriginShape,
  SettingsShape,
  UnitShape,
  UnreadShape,
  VerdictShape,
  number,
  amount,
  strings,
  string,
} from './saved/shapes.ts';
import { TriedShape } from './verdict.ts';

export const TUNE_VERSION = 6;

/** Parts of the sessions with fewer families than this say nothing. */
export const LEAST_PART = 2;

/** States of an advice; of several candidates, the first state that one of them has decides. */
export const ADVICE_STATES = [
  'change',
  'trade-off',
  'keep',
  'within noise',
  'too few',
  'nothing feasible',
] as const;
const AdviceState = z.enum(ADVICE_STATES);

const ObjectiveSchema = z.object({
  name: string,
  metric: string,
  label: string,
  unit: UnitShape,
  better: z.enum(['higher', 'lower']),
});

const PointSchema = z.object({
  settings: SettingsShape,
  values: z.array(number),
  isToday: z.boolean(),
  isKnee: z.boolean(),
});

const TuneVerdictSchema = TriedShape.extend({ change: SettingsShape });

const OutcomeSchema = z.object({
  objective: ObjectiveSchema,
  sessions: number,
  families: number,
  today: number,
  tuned: number,
  /** Of costs the geometric mean of ratios, of all else the mean difference. */
  kind: z.enum(['ratio', 'difference']),
  estimate: EstimateShape,
  /** Adjusted over all that is compared; `null` of too few. */
  pValue: amount,
  verdict: VerdictShape,
});

const CandidateSchema = z.object({
  settings: SettingsShape,
  isKnee: z.boolean(),
  state: AdviceState,
  outcomes: z.array(OutcomeSchema),
  broken: strings,
});

export const TuneSchema = z.object({
  tuneVersion: z.int(),
  verdict: TuneVerdictSchema,
  others: z.array(TuneVerdictSchema),
  policy: string,
  model: string,
  summarizer: string,
  seed: number,
  mode: ModeShape,
  origin: OriginShape,
  objectives: z.array(ObjectiveSchema),
  /** The baseline of savings, in sentences; absent where none is asked for. */
  savings: strings.exactOptional(),
  /** Beside no refusal, no loop and no run that ends early. */
  constraints: strings,
  sessions: z.object({
    tuning: number,
    /** 0 where there are too few to hold any out. */
    heldOut: number,
    askedShare: number,
    /** A family counts once, by the mean of its sessions. */
    families: z.object({ tuning: number, heldOut: number }),
    names: z.object({ tuning: strings, heldOut: strings }),
    leftOut: LeftOutShape,
  }),
  cells: z.object({
    all: number,
    distinct: number,
    feasible: z.array(PointSchema),
    infeasible: z.array(z.object({ settings: SettingsShape, reason: string })),
  }),
  today: z.object({
    settings: SettingsShape,
    state: z.enum(['on the front', 'dominated', 'infeasible']),
    values: z.array(amount),
    /** Absent unless dominated. */
    dominatedBy: SettingsShape.exactOptional(),
    dominatingValues: z.array(number).exactOptional(),
    /** In shares of today's; `null` where there is nothing today. */
    savings: z.array(amount).exactOptional(),
    /** To the front, on axes from the best to the worst of all feasible cells. */
    distance: amount,
  }),
  front: z.array(
    PointSchema.extend({
      /** Mean misses, and the fewest that are known; `null` where unknown. */
      misses: z.object({ mean: amount, bestKnown: amount }),
    }),
  ),
  /** Members that one of those is nowhere worse than by more than that share. */
  unlisted: z.object({ members: number, within: number }),
  tried: z.array(
    z.object({
      setting: string,
      matters: z.boolean(),
      isVaried: z.boolean(),
      /** In shares of today's; `null` where it was not tried alone. */
      leastCost: amount,
    }),
  ),
  trigger: z.object({
    model: string,
    contextTokens: number,
    inputTokens: number.exactOptional(),
    outputTokens: number.exactOptional(),
    /** By the policy's own rule; `null` where it never checks. */
    usableTokens: amount,
    /** Absent where no session records one. */
    release: z.array(number).optional(),
  }),
  advice: z.object({
    state: AdviceState,
    isHeldOut: z.boolean(),
    /** The knee, or without one members of the front, against today's settings. */
    compared: z.array(CandidateSchema),
    brokenByToday: strings,
    settings: SettingsShape,
    needless: strings.exactOptional(),
  }),
  unread: UnreadShape,
});

export type TuneReport = Omit<Checked<typeof TuneSchema>, 'tuneVersion'>;
export type NamedSettings = Checked<typeof SettingsShape>;
export type Objective = Checked<typeof ObjectiveSchema>;
export type ObjectiveOutcome = Checked<typeof OutcomeSchema>;
export type TuneVerdict = Checked<typeof TuneVerdictSchema>;
export type Advice = TuneReport['advice'];
export type Candidate = Advice['compared'][number];
export type Tried = TuneReport['tried'][number];

export function isBetter({ objective, verdict }: ObjectiveOutcome) {
  return verdict === objective.better;
}

export function isWorse({ objective, verdict }: Pick<ObjectiveOutcome, 'objective' | 'verdict'>) {
  return verdict === (objective.better === 'lower' ? 'higher' : 'lower');
}

/** The settings that differ from today's; the others need not be written. */
export function changedSettings(settings: NamedSettings, today: NamedSettings): NamedSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => today[name] !== value),
  );
}
