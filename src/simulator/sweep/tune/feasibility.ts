import { isShare, type Metric, shareOf } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import { formatAmount } from '../../report/amounts.ts';
import { sum } from '../../sum.ts';
import { type Constraint, describeConstraint, isWithin } from './constraint.ts';
import { isSound, type Observation, type TableCell } from './tune-table.ts';

/** What a cell has to keep, and where. */
export interface Demands {
  /** Sessions in which every run has to go well. */
  readonly sessions: readonly string[];
  /** All sessions, which the ranges of metrics are of. */
  readonly all: readonly string[];
  readonly constraints: readonly Constraint[];
}

const known: Readonly<Record<string, Metric>> = metrics;

/** The first thing that keeps a cell from being chosen, in words; `undefined` where nothing does. */
export function findObstacle(
  cell: TableCell,
  { sessions, all, constraints }: Demands,
): string | undefined {
  if (cell.outside !== undefined) return `outside ${describeConstraint(cell.outside)}`;
  const unsound = runsOf(cell, sessions).filter((run) => !isSound(run));
  const [first] = unsound;
  if (first !== undefined) {
    const words = first.state === 'completed' ? 'a refusal' : first.state;
    return `${words} in ${unsound.length} of ${sessions.length} sessions`;
  }
  return findOutOfRange(runsOf(cell, all), constraints);
}

/** Names of all metrics that a total needs: its own, and those that it is a share of. */
export function neededFor(name: string): readonly string[] {
  const metric = known[name];
  return metric !== undefined && isShare(metric) ? [name, ...metric.shareOf] : [name];
}

function runsOf({ observations }: TableCell, sessions: readonly string[]): readonly Observation[] {
  return sessions.flatMap((session) => observations.get(session) ?? []);
}

/** The first metric that is out of its range, with what it comes to. */
function findOutOfRange(
  runs: readonly Observation[],
  constraints: readonly Constraint[],
): string | undefined {
  for (const constraint of constraints.filter((one) => one.of === 'metric')) {
    const total = totalOf(constraint.name, runs);
    if (isWithin(total, constraint)) continue;
    return `outside ${describeConstraint(constraint)}: ${describeTotal(constraint.name, total)}`;
  }
  return undefined;
}

function describeTotal(name: string, total: number | null): string {
  if (total === null) return 'unknown in some session';
  return `${formatAmount(total, known[name]?.unit ?? 'count')} over all sessions`;
}

/** A metric over several runs; unknown where it is unknown for any. */
function totalOf(name: string, runs: readonly Observation[]): number | null {
  const metric = known[name];
  if (metric === undefined) return null;
  if (isShare(metric)) {
    const [part, whole] = metric.shareOf;
    return shareOf(totalOf(part, runs), totalOf(whole, runs));
  }
  const values = runs.flatMap(({ values: own }) => own[name] ?? []);
  if (values.length < runs.length) return null;
  return metric.ofSeveral === 'largest' ? Math.max(...values) : sum(values);
}
