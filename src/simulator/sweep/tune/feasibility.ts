import { type Metric, shareOf } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import { type Constraint, describeConstraint, isWithin } from './constraint.ts';
import { isSound, type Observation, type TableCell } from './tune-table.ts';

const known: Readonly<Record<string, Metric>> = metrics;

/** The first thing that keeps a cell from being chosen, in words; `undefined` where nothing does. */
export function findObstacle(
  cell: TableCell,
  sessions: readonly string[],
  constraints: readonly Constraint[],
): string | undefined {
  if (cell.outside !== undefined) return `outside ${describeConstraint(cell.outside)}`;
  const runs = sessions.flatMap((session) => cell.observations.get(session) ?? []);
  const unsound = runs.filter((run) => !isSound(run));
  const [first] = unsound;
  if (first !== undefined) {
    const words = first.state === 'completed' ? 'a refusal' : first.state;
    return `${words} in ${unsound.length} of ${sessions.length} sessions`;
  }
  const broken = constraints.find(
    (constraint) =>
      constraint.of === 'metric' && !isWithin(totalOf(constraint.name, runs), constraint),
  );
  return broken === undefined ? undefined : `outside ${describeConstraint(broken)}`;
}

/** Names of all metrics that a total needs: its own, and those that it is a share of. */
export function neededFor(name: string): readonly string[] {
  const metric = known[name];
  return metric?.unit === 'ratio' ? [name, ...metric.shareOf] : [name];
}

/** A metric over several runs; unknown where it is unknown for any. */
function totalOf(name: string, runs: readonly Observation[]): number | null {
  const metric = known[name];
  if (metric === undefined) return null;
  if (metric.unit === 'ratio') {
    const [part, whole] = metric.shareOf;
    return shareOf(totalOf(part, runs), totalOf(whole, runs));
  }
  const values = runs.flatMap(({ values: own }) => own[name] ?? []);
  if (values.length < runs.length) return null;
  return metric.ofSeveral === 'largest'
    ? Math.max(...values)
    : values.reduce((total, value) => total + value, 0);
}
