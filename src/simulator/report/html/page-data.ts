import type { Metric } from '../../metrics/metric.ts';

/** Everything that a page shows; numbers, names and sentences, no markup. */
export interface PageData {
  readonly title: string;
  /** What the rows of the overview are: policies, or what was varied. */
  readonly groupTitles: readonly string[];
  readonly groups: readonly PageGroup[];
  readonly metrics: readonly PageMetric[];
  readonly sessions: readonly string[];
  readonly runs: readonly PageRun[];
  /** Of every other policy against the first. */
  readonly differences: readonly PageDifference[];
  /** Grid of a sweep over two settings; absent where there is none. */
  readonly grid?: PageGrid | undefined;
  /** Whole sentences: verdicts, dead knobs, what is left out. */
  readonly notes: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly evidence: string;
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

/** A policy or a cell with its completed runs taken together. */
export interface PageGroup {
  readonly names: readonly string[];
  readonly runs: number;
  readonly completedRuns: number;
  /** In the order of the metrics. */
  readonly values: readonly (number | null)[];
}

/** A metric as a page tells it. */
export interface PageMetric extends Pick<Metric, 'label' | 'unit' | 'better' | 'describes'> {
  readonly name: string;
  /** Whether it stands in the short table. */
  readonly isMain: boolean;
}

/** A run; keys are short, for there are many. */
export interface PageRun {
  /** Index of its session. */
  readonly s: number;
  /** Index of its group. */
  readonly g: number;
  /** Of its trial, where there are several. */
  readonly seed: number;
  readonly state: string;
  readonly reason?: string | undefined;
  readonly v: readonly (number | null)[];
  /** Absent where its events are not known. */
  readonly d?: RunDetail | undefined;
}

/** How much more one policy has than the first, on average over the sessions that both completed. */
export interface PageDifference {
  readonly group: number;
  readonly metric: number;
  readonly sessions: number;
  readonly value: number;
  /** `null` where there are too few sessions. */
  readonly low: number | null;
  readonly high: number | null;
  readonly verdict: string;
}

/** Two settings of a sweep with the cell at each crossing. */
export interface PageGrid {
  readonly rowKey: string;
  readonly columnKey: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Index of a group, row by row; `null` where there is none. */
  readonly cells: readonly (readonly (number | null)[])[];
}

/** The steps of a run as columns, and what happened at them. */
export interface RunDetail {
  /** What a request may have before the policy acts; `null` where it has no limit. */
  readonly usable: number | null;
  readonly window: number;
  /** True tokens that each request held. */
  readonly context: readonly number[];
  readonly cached: readonly number[];
  readonly written: readonly number[];
  readonly output: readonly number[];
  readonly turn: readonly number[];
  /** Sums of `STEP_FLAGS`. */
  readonly flags: readonly number[];
  readonly moments: readonly Moment[];
}

/** Something that happened: at which step, from 0; what; in words; ids of what it happened to. */
export type Moment =
  | readonly [step: number, kind: MomentKind, words: string]
  | readonly [step: number, kind: MomentKind, words: string, ids: readonly string[]];

/** What a moment is. */
export type MomentKind =
  | 'overflow'
  | 'prune'
  | 'pivot'
  | 'summary'
  | 'refusal'
  | 'failure'
  | 'miss'
  | 'lost'
  | 'law'
  | 'model'
  | 'end';

/** What a step can be, to be added up. */
export const STEP_FLAGS = { opensTurn: 1, isCold: 2, isReread: 4, breaksPrefix: 8 } as const;
