import { policies } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import type { Bill, BillReference } from '../../report/check-bill.ts';
import type { UnreadInput } from '../../report/report.ts';
import { type Arm, armRunOf, onEqualTerms } from '../../report/arms.ts';
import { conclude } from '../../report/verdict.ts';
import { type ComparisonOutcome, compareSides, toSideRuns } from './compare-sides.ts';
import type { Side } from './pair-sides.ts';

/** A side of runs that have just been made. */
export interface RunSide extends Side {
  readonly rows: readonly RunRecord[];
}

/** Somebody's own compaction, and what it is held against. */
export interface AdapterSides {
  readonly adapter: RunSide;
  /** The control. */
  readonly never: RunSide;
  /** Policies; the first of them is what all others are held against, and compared in every metric. */
  readonly others: readonly RunSide[];
}

interface CompareAdapterOptions {
  readonly seed: number;
  readonly unread: readonly UnreadInput[];
  /** The first step of each session at which the adapter broke the cache; absent where it never did. */
  readonly firstBreaks: ReadonlyMap<string, number>;
}

/** Holds an adapter against never compacting and against each policy. */
export function compareAdapter(
  { adapter, never, others }: AdapterSides,
  { firstBreaks, ...options }: CompareAdapterOptions,
): ComparisonOutcome {
  const [first] = others;
  if (first === undefined) throw new TypeError('Expected a policy to hold the adapter against.');
  const outcome = compareSides(first, adapter, options);
  if (outcome.state === 'incomparable') return outcome;
  const bases = others.includes(never) ? others : [never, ...others];
  const sessions = sharedBy(adapter, others);
  const beside = bases.filter((one) => one !== first);
  const arms = onEqualTerms([first, adapter, ...beside].map(toArm));
  const [own, last, ...further] = arms;
  const { verdict, ...conclusion } = conclude(arms, { baseline: first.name });
  const comparison = {
    ...outcome.comparison,
    verdict,
    conclusion,
    runs: { a: toSideRuns(own), b: toSideRuns(last) },
    others: further.map((arm) => ({ name: arm.name, runs: toSideRuns(arm) })),
    bill: {
      ...totalsOf(adapter, sessions, firstBreaks),
      against: bases.map((base) => referenceTo(base, sessions)),
    },
  };
  return { state: 'compared', comparison };
}

/** The sessions that all sides completed. */
function sharedBy(first: RunSide, others: readonly RunSide[]): readonly string[] {
  const completed = ({ rows }: RunSide) => rows.filter((row) => countsAs(row) === 'completed');
  const ofOthers = others.map((side) => new Set(completed(side).map(({ session }) => session)));
  const names = completed(first).map(({ session }) => session);
  return names.filter((session) => ofOthers.every((own) => own.has(session)));
}

function toArm({ name, rows }: RunSide): Arm {
  return { name, runs: rows.map((row) => armRunOf(row.session, row)) };
}

function totalsOf(
  { rows }: RunSide,
  sessions: readonly string[],
  firstBreaks: ReadonlyMap<string, number>,
): Omit<Bill, 'against'> {
  const own = rowsOf(rows, sessions);
  const total = (name: keyof RunRecord['metrics']) => totalOf(own, name);
  const session = sessions.find((name) => firstBreaks.has(name)) ?? '';
  const step = firstBreaks.get(session);
  return {
    sessions: sessions.length,
    compactions: total('compactions') ?? 0,
    ineffectiveCompactions: total('ineffectiveCompactions') ?? 0,
    costUsd: total('costUsd'),
    summariesUsd: total('costSummariesUsd'),
    inputTokens: total('inputTokens') ?? 0,
    cacheBreaks: total('prefixBreaks') ?? 0,
    ...(step !== undefined && {
      firstCacheBreak: { step, ...(sessions.length > 1 && { session }) },
    }),
  };
}

function referenceTo({ name, rows }: RunSide, sessions: readonly string[]): BillReference {
  const own = rowsOf(rows, sessions);
  const impossible = own.filter((row) => row.impossible !== undefined).length;
  const isWhole =
    own.length === sessions.length && own.every((row) => countsAs(row) === 'completed');
  return {
    policy: name,
    ...(impossible > 0 && name === policies.none.name && { impossibleSessions: impossible }),
    costUsd: isWhole ? totalOf(own, 'costUsd') : null,
    inputTokens: isWhole ? totalOf(own, 'inputTokens') : null,
  };
}

function rowsOf(rows: readonly RunRecord[], sessions: readonly string[]): readonly RunRecord[] {
  const wanted = new Set(sessions);
  return rows.filter(({ session }) => wanted.has(session));
}

/** The sum of a metric; `null` where it is unknown for any. */
function totalOf(rows: readonly RunRecord[], name: keyof RunRecord['metrics']): number | null {
  const values = rows.flatMap(({ metrics }) => metrics[name] ?? []);
  return values.length < rows.length ? null : sum(values);
}
