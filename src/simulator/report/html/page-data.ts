import type { Policy, PrunePolicy } from '../../../engine/index.ts';
import type { Metric } from '../../metrics/metric.ts';
import type { RunView } from '../saved/shapes.ts';

/** Everything that a page shows; numbers, names and sentences, no markup. */
export interface PageData {
  readonly title: string;
  /** The titles of the overview's rows: policies, or the settings that were varied. */
  readonly groupTitles: readonly string[];
  readonly groups: readonly PageGroup[];
  /** The meaning of the groups' values; absent where they are sums over completed runs. */
  readonly valuesAre?: string | undefined;
  /** The groups as choices; absent where nothing is chosen among. */
  readonly arms?: PageArms | undefined;
  /** Of each group, whether its sums can be held against others'. */
  readonly peers: readonly boolean[];
  readonly metrics: readonly PageMetric[];
  readonly sessions: readonly string[];
  /** Of each session, by which people know it; absent where there is none but that of its file. */
  readonly sessionNames?: readonly string[] | undefined;
  readonly runs: readonly PageRun[];
  /** How far each policy is from what is best in hindsight. */
  readonly bounds?: readonly PageMean[] | undefined;
  /** Points beside those of groups; absent where there are none. */
  readonly plane?: PagePlane | undefined;
  /** Texts to be pasted unchanged. */
  readonly snippets?: PageSnippets | undefined;
  /** Tables of checks or comparisons other than runs, shown in their order above all else. */
  readonly tables?: readonly PageTable[] | undefined;
  readonly lists?: readonly PageList[] | undefined;
  readonly diffs?: readonly PageDiff[] | undefined;
  readonly bars?: readonly PageBars[] | undefined;
  /** Grid of a sweep over two settings; absent where there is none. */
  readonly grid?: PageGrid | undefined;
  /** The conclusion in sentences, which stands above all else. */
  readonly verdict: readonly string[];
  /** Other whole sentences: dead knobs, what savings are held against, what is left out. */
  readonly notes: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly evidence: string;
  /** Why runs have no time line, and how to get one; the page has words of its own where it is absent. */
  readonly noTimeline?: string | undefined;
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

/** Texts to be written as they stand, each with where, below sentences that say what for. */
export interface PageSnippets {
  readonly lead: readonly string[];
  readonly texts: readonly { readonly where: string; readonly text: string }[];
}

/** A policy or a cell with its completed runs taken together, or one run under limits of its own. */
export interface PageGroup {
  readonly names: readonly string[];
  readonly runs: number;
  readonly completedRuns: number;
  /** In the order of the metrics. */
  readonly values: readonly (number | null)[];
  /** Absent where its policy is not known. */
  readonly rules?: Rules | undefined;
}

/** The choices that a report compares. */
export interface PageArms {
  /** The runs that all of them are summed over, in words. */
  readonly over: string;
  /** In the order of the groups. */
  readonly rows: readonly PageArm[];
}

/** The cost and losses of a choice; `null` is unknown. */
export interface PageArm {
  readonly costUsd: number | null;
  /** Those that it processes, where no arm has a price. */
  readonly tokens?: number | null;
  readonly losses: number | null;
  readonly compactions: number | null;
  /** How it stands against the others, in a few words. */
  readonly says: string;
  /** It costs at least that: some requests are not recorded. */
  readonly isLeast?: true;
  /** Nobody can choose it, for some requests exceed the window. */
  readonly isImpossible?: true;
  /** Its sums cannot be held against others'. */
  readonly isNoPeer?: true;
}

/** A metric as a page tells it. */
export interface PageMetric extends Pick<Metric, 'label' | 'unit' | 'better' | 'describes'> {
  readonly name: string;
  /** It stands in the short table. */
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
  /** Its cost in dollars, with what is read again. */
  readonly net: number | null;
  /** Absent where its events are not known. */
  readonly d?: RunDetail | undefined;
}

/** A mean over sessions with its interval. */
export interface PageMean {
  readonly group: number;
  readonly metric: number;
  readonly sessions: number;
  /** Of how many families they are, each of which counts once; absent where all are independent. */
  readonly families?: number;
  readonly value: number;
  /** `null` where there are too few sessions. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Points on two of several axes, the first two before anybody picks others. */
export interface PagePlane {
  readonly axes: readonly (Pick<Metric, 'label' | 'unit' | 'better'> & { readonly name: string })[];
  readonly points: readonly PagePoint[];
  /** The reason why points are drawn faintly. */
  readonly faint: string;
}

/** A point by its value on each axis. */
export interface PagePoint {
  readonly name: string;
  /** Parts of the name that may distinguish it from others. */
  readonly parts: readonly string[];
  readonly values: readonly (number | null)[];
  readonly mark?: 'today' | 'knee' | undefined;
  readonly isFaint?: boolean;
}

/** A table that sorts, filters and can be saved. */
export interface PageTable {
  /** Of its file, and of what the address says about it. */
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly PageColumn[];
  readonly rows: readonly (readonly PageCell[])[];
}

/** A column of a table. */
export interface PageColumn {
  readonly title: string;
  readonly isNumber?: boolean;
  /** It holds whole sentences. */
  readonly isWords?: boolean;
}

/** A cell: a text, a number, or a text that stands for a number or for something that is wrong. */
export type PageCell =
  | string
  | number
  | {
      readonly text: string;
      readonly value?: number | null;
      readonly isBad?: boolean;
      /** A drawing of characters behind the text. */
      readonly drawing?: string;
    };

/** Sentences under a title. */
export interface PageList {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Something that is otherwise than it was, with what stands before it. */
export interface PageDiff {
  readonly title: string;
  readonly facts: string;
  readonly lines: readonly (readonly [sign: ' ' | '-' | '+', text: string])[];
}

/** One number about several things as bars with intervals; unknown ones are `null`. */
export interface PageBars {
  readonly title: string;
  readonly unit: string;
  readonly better?: 'higher' | 'lower' | undefined;
  readonly bars: readonly {
    readonly name: string;
    readonly value: number | null;
    readonly low: number | null;
    readonly high: number | null;
    readonly sessions: number;
  }[];
}

/** Two settings of a sweep with the cell at each crossing. */
export interface PageGrid {
  readonly rowKey: string;
  readonly columnKey: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Other settings that were varied, with the values for which the grid stands; absent where there are none. */
  readonly rest?: string | undefined;
  /** Index of a group, row by row; `null` where there is none. */
  readonly cells: readonly (readonly (number | null)[])[];
}

/** The steps of a run as columns, and what happened at them. */
export interface RunDetail {
  /** Tokens that a request may have before the policy acts; `null` where it has no limit. */
  readonly usable: number | null;
  readonly window: number;
  /** System prompt and tools, in tokens; 0 where the run does not say. */
  readonly base: number;
  /** True tokens that each request held. */
  readonly context: readonly number[];
  readonly cached: readonly number[];
  readonly written: readonly number[];
  readonly output: readonly number[];
  readonly turn: readonly number[];
  /** Sums of `STEP_FLAGS`. */
  readonly flags: readonly number[];
  readonly moments: readonly Moment[];
  /** The views of its requests; absent where they were not recorded. */
  readonly view?: RunView | undefined;
}

/** Something that happened: at which step, from 0; what; in words; ids of what it happened to. */
export type Moment =
  | readonly [step: number, kind: MomentKind, words: string]
  | readonly [step: number, kind: MomentKind, words: string, ids: readonly string[]];

/** Kinds of moments. */
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

/** The rules by which a policy acts, in words, by the kind of moment that they lead to. */
type Rules = Readonly<Partial<Record<MomentKind, string>>>;

/** Flags of a step, to be added up. */
export const STEP_FLAGS = { opensTurn: 1, isCold: 2, isReread: 4, breaksPrefix: 8 } as const;

/** The rules of a policy; one of another release may lack some. */
export function rulesOf({ trigger, prune, cut, summary, view }: Partial<Policy>): Rules {
  return {
    ...(trigger && { overflow: `overflow rule ${trigger.overflow}` }),
    ...(prune && prunesOf(prune)),
    ...(cut && { pivot: `cut, which keeps ${cut.keep}` }),
    ...(summary && { summary: `instruction ${summary.instruction}` }),
    ...(view && { lost: `view rule ${view}` }),
  };
}

function prunesOf({ enabled, pass, when, cleanups = [] }: PrunePolicy): Rules {
  const passes = [
    ...cleanups.map((cleanup) => `clean-up ${cleanup.pass}, ${cleanup.when}`),
    ...(enabled ? [`prune pass ${pass}, ${when}`] : []),
  ];
  return passes.length === 0 ? {} : { prune: passes.join('; ') };
}
