/** Charts of a page as plain data; only a page draws them. */

import type { Metric } from '../metrics/metric.ts';
import type { RunView } from './saved/run-view.ts';

export interface PlotAxis {
  readonly label: string;
  readonly unit: Metric['unit'];
}

/** Left out where either value that is drawn is unknown. */
export interface PlotPoint {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly says?: string;
  readonly mark?: string | undefined;
  readonly isHollow?: boolean;
}

/** The step is from 0. */
export type Moment = readonly [step: number, kind: MomentKind, words: string];

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

/** Without events, only the context is known. */
export interface TimelineRun {
  readonly name: string;
  /** Before the policy acts; `null` where it has no limit. */
  readonly usable: number | null;
  readonly isHollow?: boolean;
  readonly context: readonly number[];
  readonly cached?: readonly number[];
  readonly written?: readonly number[];
  readonly output?: readonly number[];
  readonly flags?: Readonly<Record<number, string>>;
  readonly moments: readonly Moment[];
  readonly view?: RunView | undefined;
}

/** A chart of a page: points on two of several axes, contexts over the steps, or numbers with intervals. */
export type Plot =
  | {
      readonly kind: 'scatter';
      readonly title: string;
      readonly axes: readonly PlotAxis[];
      readonly points: readonly PlotPoint[];
      /** Values of the first axis that have no other. */
      readonly lines?: readonly { readonly name: string; readonly at: number }[];
      readonly note?: string;
    }
  | { readonly kind: 'timeline'; readonly title: string; readonly runs: readonly TimelineRun[] }
  | {
      readonly kind: 'bars';
      readonly title: string;
      readonly unit: Metric['unit'];
      readonly bars: readonly {
        readonly name: string;
        readonly value: number | null;
        readonly low: number | null;
        readonly high: number | null;
      }[];
    };
