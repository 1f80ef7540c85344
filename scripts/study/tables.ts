/** Rows of costs and of published claims. */

import { sum } from '../../src/simulator/lib/collections.ts';
import type { Estimate } from '../../src/simulator/metrics/statistics/interval.ts';
import { ratioOfTotals } from '../../src/simulator/metrics/statistics/mean-difference.ts';
import { countsAs } from '../../src/simulator/metrics/record.ts';
import { armRunOf, onEqualTerms } from '../../src/simulator/report/arms.ts';
import {
  formatCount,
  formatFixed,
  formatPercent,
  formatShare,
  formatUsd,
  UNKNOWN,
  withEnds,
} from '../../src/simulator/report/numbers.ts';
import { type ArmVerdict, conclude } from '../../src/simulator/report/verdict.ts';
import type { Swept } from './gather.ts';

/** Arms against a base, in some sessions of a sweep. */
export interface Group {
  readonly sweep: string;
  /** Sessions that wrote to a cache of `five minutes` or `one hour`; absent for all. */
  readonly of?: string;
  readonly label?: string;
  readonly base: string;
  /** By name, what the table calls each. */
  readonly arms: Readonly<Record<string, string>>;
}

/** A claim with the bounds that it sets; what nothing here measures says why. */
export interface Claim {
  readonly claim: string;
  readonly published: string;
  readonly measure?: Measure;
  readonly least?: number;
  readonly most?: number;
  readonly undecided?: string;
}

/** Totals of a metric over those of another one, or over its own in another arm; without a metric, of net costs. */
interface Measure {
  readonly sweep: string;
  readonly arm: string;
  readonly part?: string;
  readonly whole?: string;
  readonly base?: string;
  readonly leastSteps?: number;
  readonly isShare?: boolean;
  readonly what: string;
}

const FIVE_MINUTES_MS = 300_000;
const UNDECIDED = 'cannot be decided here';

export const showTwo = (value: number) => formatFixed(value, 2);

/** A row for each arm of a group. */
export function costRows(swept: Swept | undefined, group: Group): readonly (readonly string[])[] {
  if (swept === undefined) return [];
  const verdicts = judge(swept, group);
  return Object.entries(group.arms).map(([name, label]) => {
    const runs = rowsIn(swept, group).filter(
      (row) => row.arm === name && row.state === 'completed',
    );
    const verdict = verdicts.get(name);
    const { from = null, to = null } = verdict?.costUsd ?? {};
    const acting = runs.filter(({ metrics }) => metrics.prunes || metrics.compactions).length;
    const totalOf = (key: string) => sum(runs.map((run) => amountOf(run, key)));
    const prunes = totalOf('prunes');
    return [
      [group.label, label].filter((word) => word !== undefined).join(', '),
      formatCount(verdict?.sessions ?? null),
      formatCount(verdict?.differing ?? null),
      `${formatCount(acting)} of ${formatCount(runs.length)}`,
      prunes === 0
        ? UNKNOWN
        : `${formatCount(prunes)} (${formatShare(totalOf('prunesPaidBack'), prunes)})`,
      formatCount(totalOf('prunesBelowMinimum')),
      showEstimate(totalsOf({ ...group, arm: name, part: 'inputTokens' }, rowsIn(swept, group))),
      formatUsd(from),
      formatUsd(to),
      showEstimate(ratioOf(verdict)),
      [verdict?.losses.to, verdict?.lostForGood?.to]
        .map((one) => formatCount(one ?? null))
        .join(' / '),
      verdict?.state ?? UNKNOWN,
    ];
  });
}

/** A row of the table: claim, published, measured, verdict; `known` has estimates that no sweep makes. */
export function claimRow(
  claim: Claim,
  sweptAs: (name: string) => Swept | undefined,
  known: Readonly<Record<string, Estimate | undefined>>,
): readonly string[] {
  const { measure, undecided } = claim;
  const swept = sweptAs(measure?.sweep ?? '');
  const estimate = swept && measure ? estimateOf(measure, swept) : known[measure?.sweep ?? ''];
  const show = (value: number) => (measure?.isShare ? formatPercent(value, 1) : showTwo(value));
  const verdict = undecided === undefined ? decide(estimate, claim) : `${UNDECIDED}: ${undecided}`;
  const measured = estimate ? `${showEstimate(estimate, show)} ${measure?.what}`.trim() : UNKNOWN;
  return [claim.claim, claim.published, measured, verdict];
}

function showEstimate(estimate: Estimate | undefined, show = showTwo): string {
  return estimate ? withEnds(show(estimate.value), estimate.interval, show) : UNKNOWN;
}

/** The verdicts of a group by arm. */
function judge(swept: Swept, group: Group): ReadonlyMap<string, ArmVerdict> {
  const rows = rowsIn(swept, group);
  const arms = [group.base, ...Object.keys(group.arms)].map((name) => ({
    name,
    runs: rows.filter(({ arm }) => arm === name).map((row) => armRunOf(row.session, row)),
  }));
  const { verdict } = conclude(onEqualTerms(arms), { baseline: group.base });
  return new Map(verdict.map((one) => [one.change, one]));
}

/** What an arm costs of what its base costs; `undefined` where that is unknown. */
function ratioOf(verdict: ArmVerdict | undefined) {
  const { from = null, to = null, low = null, high = null } = verdict?.costUsd ?? {};
  if (from === null || to === null || from === 0) return undefined;
  const interval = low === null || high === null ? null : { low: low / from, high: high / from };
  return { value: to / from, interval };
}

function rowsIn({ rows, sessions }: Swept, { of }: Group): Swept['rows'] {
  if (of === undefined) return rows;
  const wanted = sessions.filter(({ setup }) => {
    const isShort = setup?.cacheTtlMs === FIVE_MINUTES_MS;
    return setup?.cacheTtlMs !== undefined && isShort === (of === 'five minutes');
  });
  const names = new Set(wanted.map(({ name }) => name));
  return rows.filter(({ session }) => names.has(session));
}

function estimateOf(measure: Measure, swept: Swept): Estimate | undefined {
  const { arm, base = '', part } = measure;
  if (part !== undefined) return totalsOf({ ...measure, part }, swept.rows);
  return ratioOf(judge(swept, { sweep: '', base, arms: { [arm]: arm } }).get(arm));
}

/** In sessions that both arms completed, and that fit where nothing compacts. */
function totalsOf(
  { arm, base = arm, part, whole = part, leastSteps = 0 }: Omit<Measure, 'sweep' | 'what'>,
  rows: Swept['rows'],
) {
  const bases = new Map(
    rows
      .filter((row) => row.arm === base && countsAs(row) === 'completed')
      .map((row) => [row.session, row]),
  );
  const pairs = rows.flatMap((row) => {
    const own = bases.get(row.session);
    const counts = row.arm === arm && row.state === 'completed';
    if (own === undefined || !counts || (row.metrics.steps ?? 0) < leastSteps) return [];
    const { family = row.session } = row;
    return [{ a: amountOf(own, whole), b: amountOf(row, part), cluster: family }];
  });
  return ratioOfTotals(pairs, { seed: 1 });
}

function amountOf({ metrics }: Swept['rows'][number], key = ''): number {
  if (key === 'sessions') return 1;
  if (key === 'compactedSessions') return metrics.recordedCompactions ? 1 : 0;
  return (metrics as Readonly<Record<string, number | null>>)[key] ?? 0;
}

/** Reversed where the whole interval lies beyond a bound, and holds where none of it does. */
function decide(estimate: Estimate | undefined, { least = -Infinity, most = Infinity }: Claim) {
  const { low, high } = estimate?.interval ?? { low: -Infinity, high: Infinity };
  if (low >= least && high <= most) return 'holds';
  return high < least || low > most ? 'reverses' : UNDECIDED;
}
