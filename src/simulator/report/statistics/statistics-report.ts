import type { Evidence } from '../../events.ts';
import type { Repeats } from '../../session/repeats.ts';
import type { SessionFigures } from '../../session/statistics/pool.ts';
import type { EstimatorName } from '../../session/statistics/sample.ts';
import type { WorkloadStatistics } from '../../session/statistics/workload.ts';
import type { Origin } from '../origin.ts';
import type { UnreadInput } from '../report.ts';

/** What recorded sessions are like, ready to be rendered. */
export interface StatisticsReport extends Statistics {
  /** No catalog and no setting has a part in it. */
  readonly origin: Origin;
}

/** What recorded sessions are like. Copies are counted nowhere, a shared beginning once. */
export interface Statistics extends Repeats {
  /** What tokens of content are; `measured` only where it is every session's own tokenizer. */
  readonly estimator: { readonly name: EstimatorName; readonly evidence: Evidence };
  readonly overall: WorkloadStatistics;
  readonly byFormat: Readonly<Record<string, WorkloadStatistics>>;
  readonly sessions: readonly SessionFigures[];
  readonly unread: readonly UnreadInput[];
}

/** What a statistics table is divided by. */
export const DIVISIONS = ['tool', 'format', 'session'] as const;

/** How a report is to be shown; JSON always holds everything. */
export interface StatisticsView {
  readonly by: (typeof DIVISIONS)[number];
  readonly charts: boolean;
}
