import { addToGroup, keepIn, known } from '../lib/collections.ts';
import { createMetricSums } from '../metrics/metrics.ts';
import { type CountedState, countsAs } from '../metrics/record.ts';
import { countBaselines } from '../report/origin.ts';
import { UNKNOWN } from '../report/numbers.ts';
import { armRunOfRow, concludeCells, type KnobEffect, type SweepReport } from '../report/sweep.ts';
import type { ArmRun } from '../report/arms.ts';
import { type Axis, type Cell, isSimulated, type CellChoice } from './grid.ts';
import { outcomeKey } from './run/outcomes.ts';
import { inStretches } from './run/task.ts';
import { basisOf, isInShard, nameShard, storiesOf, type SweepHeader } from './store/header.ts';
import type { ResultRow } from './store/read-rows.ts';

type CellSums = ReturnType<typeof emptySums>;

/** Reasons that are told apart; runs that failed for others stand in the rows alone. */
const MOST_REASONS = 20;

export function summariseSweep(header: SweepHeader, rows: Iterable<ResultRow>) {
  const { axes, cells, unread } = header;
  // Those of today, as recorded and of an adapter stand behind the grid, and are on none of its axes.
  const size = axes.reduce((product, { values }) => product * values.length, 1);
  const grid = cells.filter(isSimulated).slice(0, size);
  const sums = new Map(cells.map(({ id }) => [id, emptySums()]));
  const watch = watchKnobs(axes);
  const partition = createPartition(grid.length);
  const failures = collectFailures();
  const armRuns = new Map<string, ArmRun[]>();
  const baselines = { recorded: 0, none: 0, unknown: 0 };
  for (const group of inStretches(rows, ({ session }) => session)) {
    for (const row of group) {
      addRow(sums.get(row.cell), row);
      failures.add(row);
      addToGroup(armRuns, row.cell, armRunOfRow(row));
    }
    const { recorded, none, unknown } = countBaselines(group);
    baselines.recorded += recorded;
    baselines.none += none;
    baselines.unknown += unknown;
    for (const digests of digestsOf(group, grid, header.seeds)) {
      watch.add(digests);
      partition.add(digests);
    }
  }
  const effects = watch.effects(grid.map(outcomeKey));
  const knobs = axes.map(({ key, values }, index) => {
    return { key, values, effect: effects[index] ?? 'unknown' };
  });
  const alike = partition.firstAlike();
  const failed = failures.found();
  const told = cells.map((cell, index) => ({
    ...describeCell(cell, axes, index < grid.length),
    ...totalsOf(sums.get(cell.id)),
    ...known({ sameAs: alike[index] === index ? undefined : alike[index] }),
  }));
  return {
    schemaVersion: header.schemaVersion,
    provenance: toProvenance(header),
    deadKnobs: knobs.flatMap(({ key, effect }) =>
      effect === 'none' || effect === 'unread' ? [key] : [],
    ),
    knobs,
    cells: told,
    baselines,
    ...(failed.length > 0 && { failures: failed }),
    unread,
    stories: storiesOf(header),
    ...concludeCells({ cells: told, knobs }, armRuns),
  };
}

export function collectFailures() {
  const byReason = new Map<string, NonNullable<SweepReport['failures']>[number]>();
  return {
    add: ({
      state,
      reason = 'no reason given',
      session,
      cell,
    }: Pick<ResultRow, 'state' | 'reason' | 'session' | 'cell'>) => {
      if (state !== 'failed') return;
      const known = byReason.get(reason);
      if (known !== undefined) byReason.set(reason, { ...known, times: known.times + 1 });
      else if (byReason.size < MOST_REASONS)
        byReason.set(reason, { reason, times: 1, session, cell });
    },
    found: () => [...byReason.values()].toSorted((one, other) => other.times - one.times),
  };
}

export function watchKnobs(axes: readonly Axis[]) {
  const isLive = axes.map(() => false);
  const wasCompared = axes.map(() => false);
  const strides = axes.map((_, index) =>
    axes.slice(index + 1).reduce((product, { values }) => product * values.length, 1),
  );
  const baseOf = (cell: number, axis: number): number => {
    const stride = strides[axis] ?? 1;
    const size = axes[axis]?.values.length ?? 1;
    return cell - (Math.floor(cell / stride) % size) * stride;
  };
  const compare = (axis: number, digests: readonly string[]): void => {
    const firsts = new Map<number, string>();
    for (const [cell, digest] of digests.entries()) {
      // The first value may be one that was not run.
      if (digest === '') continue;
      const base = baseOf(cell, axis);
      const first = firsts.get(base);
      if (first === undefined) firsts.set(base, digest);
      wasCompared[axis] ||= first !== undefined;
      isLive[axis] ||= first !== undefined && first !== digest;
    }
  };
  return {
    add: (digests: readonly string[]) => {
      for (const axis of axes.keys()) compare(axis, digests);
    },
    effects: (keys: readonly string[]): readonly KnobEffect[] =>
      axes.map(({ values }, axis) => {
        if (values.length < 2 || !wasCompared[axis]) return 'unknown';
        if (isLive[axis]) return 'some';
        const isRead = keys.some((key, cell) => key !== keys[baseOf(cell, axis)]);
        return isRead ? 'none' : 'unread';
      }),
  };
}

/** Tells apart cells that ever differ, session by session; none of that many does yet. */
export function createPartition(cells: number) {
  let classes: readonly number[] = Array.from({ length: cells }, () => 0);
  return {
    add: (digests: readonly string[]) => {
      const known = new Map<string, number>();
      classes = classes.map((group, index) => {
        const key = `${group} ${digests[index] ?? ''}`;
        return keepIn(known, key, () => known.size);
      });
    },
    firstAlike: () => classes.map((group) => classes.indexOf(group)),
  };
}

function emptySums() {
  const counts = { runs: 0, completedRuns: 0, failedRuns: 0 };
  return { ...counts, endedEarly: new Map<CountedState, number>(), metrics: createMetricSums() };
}

/** As a sum of all at once would be, to the last bit. */
function addRow(sums: CellSums | undefined, row: ResultRow) {
  if (sums === undefined) return;
  const state = countsAs(row);
  sums.runs += 1;
  if (state === 'failed') sums.failedRuns += 1;
  if (state !== 'completed') {
    sums.endedEarly.set(state, (sums.endedEarly.get(state) ?? 0) + 1);
    return;
  }
  sums.completedRuns += 1;
  sums.metrics.add(row.metrics);
}

function digestsOf(group: readonly ResultRow[], cells: readonly Cell[], seeds: readonly number[]) {
  const digests = new Map(group.map((row) => [`${row.cell} ${row.seed}`, row.eventDigest]));
  return seeds
    .map((seed) => cells.map(({ id }) => digests.get(`${id} ${seed}`) ?? ''))
    .filter((ofTrial) => ofTrial.some((digest) => digest !== ''));
}

function toProvenance(header: SweepHeader) {
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
      cells
        .filter(isSimulated)
        .map(({ id, policy, model }) => [id, { policy, limits: model.limits }]),
    ),
  };
}

function describeCell(cell: Cell, axes: readonly Axis[], isOnGrid: boolean) {
  const { id, settings, policy, model, summarizer } = cell;
  return {
    id,
    settings,
    policy: policy.name,
    model: model.id,
    summarizer,
    ...(isSimulated(cell) && !isOnGrid && { isToday: true as const }),
    values: isOnGrid ? axes.flatMap((axis) => valueOn(axis, cell) ?? []) : nameApart(axes, cell),
  };
}

function nameApart(axes: readonly Axis[], { policy, model }: Cell) {
  const place = Math.max(
    axes.findIndex(({ key }) => key === 'policy'),
    axes.findIndex(({ key }) => key !== 'model'),
  );
  if (place < 0) return axes.map(() => `${policy.name}, ${model.id}`);
  return axes.map(({ key }, index) => {
    if (index === place) return policy.name;
    return key === 'model' ? model.id : UNKNOWN;
  });
}

function totalsOf({ endedEarly, metrics, ...counts }: CellSums = emptySums()) {
  return {
    ...counts,
    ...(endedEarly.size > 0 && { endedEarly: Object.fromEntries(endedEarly) }),
    metrics: metrics.total(),
  };
}

function valueOn(
  { key }: Axis,
  cell: Pick<CellChoice, 'summarizer' | 'settings'> & {
    readonly policy: { readonly name: string };
    readonly model: { readonly id: string };
  },
) {
  if (key === 'policy') return cell.policy.name;
  if (key === 'model') return cell.model.id;
  return key === 'summarizer' ? cell.summarizer : cell.settings[key];
}
