import type { Metric } from '../../metrics/metric.ts';
import type { Estimate, Interval } from '../../metrics/statistics/interval.ts';
import type { Verdict } from '../../metrics/statistics/verdict.ts';
import type { RunMode } from '../../events.ts';
import type { Origin } from '../origin.ts';
import type { UnreadInput } from '../report.ts';

/** The version of the shape of the JSON document. */
export const TUNE_VERSION = 4;

/** Parts of the sessions with fewer families than this say nothing. */
export const LEAST_PART = 2;

/** Settings by name. */
export type NamedSettings = Readonly<Record<string, number | boolean | string>>;

/** An amount that is to be as small, or as large, as can be. */
export interface Objective {
  /** As it was asked for. */
  readonly name: string;
  readonly metric: string;
  readonly label: string;
  readonly unit: Metric['unit'];
  readonly better: 'higher' | 'lower';
}

/** What tuning found. */
export interface TuneReport {
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: number;
  readonly mode: RunMode;
  readonly origin: Origin;
  readonly objectives: readonly Objective[];
  /** Beside no refusal, no loop and no run that ends early. */
  readonly constraints: readonly string[];
  readonly sessions: TunedSessions;
  readonly cells: TunedCells;
  /** 0 where there is one family to tune on. */
  readonly resamples: number;
  readonly today: TodayStatus;
  /** Members that stand for the front, the best on the first objective first. */
  readonly front: readonly FrontMember[];
  /** Members that one of those stands for, since it is nowhere worse by more than the share that counts as none. */
  readonly unlisted: { readonly members: number; readonly within: number };
  /** Absent where no cell keeps the constraints, or none lies below the ends of the front. */
  readonly knee?: Knee;
  /** Share of resamples whose front has no knee; `null` of one family. */
  readonly withoutKnee: number | null;
  /** Absent where no cell keeps the constraints, or all come to the same. */
  readonly volume?: FrontVolume;
  readonly sensitivity: readonly Sensitivity[];
  readonly advice: Advice;
  readonly unread: readonly UnreadInput[];
}

/** Which sessions were tuned on, and which the outcome is reported on. */
export interface TunedSessions {
  readonly tuning: number;
  /** 0 where there are too few to hold any out. */
  readonly heldOut: number;
  /** Share of the families that was to be held out. */
  readonly askedShare: number;
  /** Families of both, the independent pieces of evidence: a family counts once, by the mean of its sessions. */
  readonly families: { readonly tuning: number; readonly heldOut: number };
  readonly names: { readonly tuning: readonly string[]; readonly heldOut: readonly string[] };
  readonly leftOut: readonly { readonly session: string; readonly reason: string }[];
}

/** How many points of the grid there were. */
export interface TunedCells {
  readonly all: number;
  /** Cells that differ in what happens. */
  readonly distinct: number;
  /** Those of them that keep the constraints. */
  readonly feasible: readonly TunedPoint[];
  /** Cells that break a constraint, with the first one that they break. */
  readonly infeasible: readonly { readonly settings: NamedSettings; readonly reason: string }[];
}

/** Where today's settings stand among the cells. */
export interface TodayStatus {
  /** What the policy has today, of the settings that vary; those without a number of their own are left out. */
  readonly settings: NamedSettings;
  readonly state: 'on the front' | 'dominated' | 'infeasible';
  /** Mean of each objective over the families tuned on; `null` where a run did not complete. */
  readonly values: readonly (number | null)[];
  /** A cell that is nowhere worse and somewhere better; absent unless dominated. */
  readonly dominatedBy?: NamedSettings;
  /** What it comes to on each objective. */
  readonly dominatingValues?: readonly number[];
  /** How much better that cell is on each objective, as a share of today's; `null` where there is nothing today. */
  readonly savings?: readonly (number | null)[];
  /** Distance to the nearest member of the front on axes that run from the best to the worst of all feasible cells; 0 on the front. */
  readonly distance: number | null;
}

/** What a cell comes to: the mean of each objective over the families tuned on. */
export interface TunedPoint {
  readonly settings: NamedSettings;
  readonly values: readonly number[];
  readonly isToday: boolean;
  readonly isKnee: boolean;
}

/** One cell of the front. */
export interface FrontMember extends TunedPoint {
  /** Share of resamples of the families in which nothing dominates it; `null` of one family. */
  readonly probability: number | null;
  /** Mean misses, and the fewest known to be possible; `null` where unknown. */
  readonly misses: { readonly mean: number | null; readonly atBest: number | null };
}

/** The member of the front that gives most for what it takes. */
export interface Knee {
  readonly settings: NamedSettings;
  /** Share of resamples in which it is the knee; `null` of one family. */
  readonly probability: number | null;
  /** Where the knee lies, by setting. */
  readonly intervals: Readonly<Record<string, Interval>>;
}

/** How much of what lies between the best of each objective and a reference point the cells cover. */
export interface FrontVolume {
  /** Of the front, as a share. */
  readonly share: Estimate;
  /** Of today's settings alone; `null` where they break a constraint. */
  readonly today: number | null;
  /** Of each objective; `null` where all come to about the same, so that it does not count. */
  readonly reference: readonly (ReferenceAmount | null)[];
}

/** What an objective is measured against: what never compacting comes to, or the worst cell where nothing beats that. */
export interface ReferenceAmount {
  readonly amount: number;
  readonly of: 'none' | 'worst cell';
}

/** What a setting does to the first objective. */
export interface Sensitivity {
  readonly setting: string;
  /** Whether no value of it changes anything that happens. */
  readonly isDead: boolean;
  /** Percent of the first objective for one percent of the setting; `null` where there is none. */
  readonly elasticity: Estimate | null;
  /** Why there is none; absent where there is one, and of a setting that changes nothing. */
  readonly lack?: ElasticityLack;
}

/** Reasons why a setting has no elasticity, of which the first holds that does. */
export const ELASTICITY_LACKS = [
  'few cells',
  'no number',
  'few above zero',
  'one value',
  'never alone',
] as const;

/** Why a setting has no elasticity. */
export type ElasticityLack = (typeof ELASTICITY_LACKS)[number];

/** States of an advice; that of several candidates is the first that one of them has. */
export const ADVICE_STATES = [
  'change',
  'trade-off',
  'keep',
  'within noise',
  'too few',
  'nothing feasible',
] as const;

/** What to do, and what speaks for it. */
export interface Advice {
  readonly state: (typeof ADVICE_STATES)[number];
  /** Whether the outcomes are of sessions that were held out. */
  readonly isHeldOut: boolean;
  /** The knee, or without one members of the front, against today's settings; nothing where those are the knee. */
  readonly compared: readonly Candidate[];
  /** What today's settings break over all sessions. */
  readonly brokenByToday: readonly string[];
  /** What is advised, or in a trade-off would have to be written; today's where they are kept. */
  readonly settings: NamedSettings;
  /** Settings that the cell has otherwise than today and that stay as they are: without them it is nowhere worse by more than counts. */
  readonly needless?: readonly string[];
}

/** A member of the front against today's settings. */
export interface Candidate {
  readonly settings: NamedSettings;
  readonly isKnee: boolean;
  readonly state: Advice['state'];
  readonly outcomes: readonly ObjectiveOutcome[];
  /** What it breaks over all sessions, those held out too. */
  readonly broken: readonly string[];
}

/** An objective under other settings against today's. */
export interface ObjectiveOutcome {
  readonly objective: Objective;
  /** Those that went well under both. */
  readonly sessions: number;
  /** Of so many families. */
  readonly families: number;
  readonly today: number;
  readonly tuned: number;
  /** Of costs the geometric mean of ratios, of all else the mean difference. */
  readonly kind: 'ratio' | 'difference';
  readonly estimate: Estimate;
  /** Adjusted over all objectives of all candidates; `null` of too few. */
  readonly pValue: number | null;
  readonly verdict: Verdict;
}
