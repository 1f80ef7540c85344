import type { RunState } from '../../events.ts';
import { createMetricSums, type MetricSums } from '../../metrics/metrics.ts';
import type { SweepCell, SweepProvenance, SweepReport } from '../../report/sweep/sweep-report.ts';
import { type Axis, valueOn } from '../grid/axes.ts';
import type { Cell } from '../grid/cell.ts';
import type { ResultRow } from '../result-row.ts';
import { effectiveKey } from '../run/effective-key.ts';
import { basisOf } from '../store/basis.ts';
import type { SweepHeader } from '../store/header.ts';
import { isInShard, nameShard } from '../store/shard.ts';
import { collectFailures } from './failures.ts';
import { type KnobWatch, watchKnobs } from './knobs.ts';
import { createPartition, type Partition } from './partition.ts';

/** Sums of one cell so far. */
interface CellSums {
  runs: number;
  completedRuns: number;
  failedRuns: number;
  readonly endedEarly: Map<RunState, number>;
  readonly metrics: MetricSums;
}

/** What the rows of a sweep come to; they are in their order, and one session of them is in memory at a time. */
export function summariseSweep(header: SweepHeader, rows: Iterable<ResultRow>): SweepReport {
  const { axes, cells, unread } = header;
  const sums = new Map(cells.map(({ id }) => [id, emptySums()]));
  const watch = watchKnobs(axes);
  const partition = createPartition(cells.length);
  const failures = collectFailures();
  for (const group of groupBySession(rows)) {
    for (const row of group) {
      addRow(sums.get(row.cell), row);
      failures.add(row);
    }
    compareCells(group, header, { watch, partition });
  }
  const effects = watch.effects(cells.map(effectiveKey));
  const knobs = axes.map(({ key, values }, index) => {
    return { key, values, effect: effects[index] ?? 'unknown' };
  });
  const alike = partition.firstAlike();
  const failed = failures.found();
  return {
    schemaVersion: header.schemaVersion,
    provenance: toProvenance(header),
    deadKnobs: knobs.filter(({ effect }) => isDead(effect)).map(({ key }) => key),
    knobs,
    cells: cells.map((cell, index) =>
      toSweepCell(cell, axes, { sums: sums.get(cell.id), index, alike: alike[index] }),
    ),
    ...(failed.length > 0 && { failures: failed }),
    unread,
  };
}

function isDead(effect: string): boolean {
  return effect === 'none' || effect === 'unread';
}

function* groupBySession(rows: Iterable<ResultRow>): Generator<readonly ResultRow[], void, void> {
  let group: ResultRow[] = [];
  for (const row of rows) {
    if (group[0] !== undefined && group[0].session !== row.session) {
      yield group;
      group = [];
    }
    group.push(row);
  }
  if (group.length > 0) yield group;
}

function emptySums(): CellSums {
  return {
    runs: 0,
    completedRuns: 0,
    failedRuns: 0,
    endedEarly: new Map(),
    metrics: createMetricSums(),
  };
}

/** As a sum of all at once would be, to the last bit. */
function addRow(sums: CellSums | undefined, { state, metrics }: ResultRow): void {
  if (sums === undefined) return;
  sums.runs += 1;
  if (state === 'failed') sums.failedRuns += 1;
  if (state !== 'completed') {
    sums.endedEarly.set(state, (sums.endedEarly.get(state) ?? 0) + 1);
    return;
  }
  sums.completedRuns += 1;
  sums.metrics.add(metrics);
}

/** A session that was not run says nothing about what cells would do to it. */
function compareCells(
  group: readonly ResultRow[],
  { cells, seeds }: SweepHeader,
  { watch, partition }: { readonly watch: KnobWatch; readonly partition: Partition },
): void {
  const digests = new Map(group.map((row) => [`${row.cell} ${row.seed}`, row.eventDigest]));
  for (const seed of seeds) {
    const ofTrial = cells.map(({ id }) => digests.get(`${id} ${seed}`) ?? '');
    if (ofTrial.every((digest) => digest === '')) continue;
    watch.add(ofTrial);
    partition.add(ofTrial);
  }
}

function toSweepCell(
  cell: Cell,
  axes: readonly Axis[],
  found: {
    readonly sums: CellSums | undefined;
    readonly index: number;
    readonly alike: number | undefined;
  },
): SweepCell {
  const { runs, completedRuns, failedRuns, endedEarly, metrics } = found.sums ?? emptySums();
  const { index, alike = index } = found;
  return {
    id: cell.id,
    settings: cell.settings,
    policy: cell.policy.name,
    model: cell.model.id,
    summarizer: cell.summarizer,
    values: axes.flatMap((axis) => valueOn(axis, cell) ?? []),
    runs,
    completedRuns,
    failedRuns,
    ...(endedEarly.size > 0 && { endedEarly: Object.fromEntries(endedEarly) }),
    metrics: metrics.total(),
    ...(alike !== index && { sameAs: alike }),
  };
}

function toProvenance(header: SweepHeader): SweepProvenance {
  const { version, sweep, shard, mode, seeds, catalog, cells } = header;
  const sessions = header.sessions.filter(({ hash }) => isInShard(hash, shard));
  return {
    version,
    sweep,
    shard: nameShard(shard),
    mode,
    sessions: sessions.length,
    skippedSessions: sessions.filter(({ skipped }) => skipped !== undefined).length,
    sharingSessions: sessions.filter((one) => one.sharedMessages !== undefined).length,
    seeds,
    catalog,
    ...basisOf(header),
    cells: Object.fromEntries(
      cells.map(({ id, policy, model }) => [id, { policy, limits: model.limits }]),
    ),
  };
}
