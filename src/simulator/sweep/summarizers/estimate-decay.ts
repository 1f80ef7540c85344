import { decayOf, halfLifeOf } from '../../metrics/quality/repeated.ts';
import type {
  ArmDecay,
  DecayEstimate,
  MeanEstimate,
  SurvivalEstimate,
} from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow, SurvivalCount } from '../../report/summarizers/summary-row.ts';
import { groupBy } from '../../group-by.ts';
import { sum } from '../../sum.ts';
import { estimateShare, estimateStatistic, sessionMeans } from './estimate.ts';
import { clustersOf, countSessions, type Sampling } from './sampling.ts';

/** A number after each pivot of one session; `null` where unknown. */
type Curve = readonly (number | null)[];

/** What went through each pivot. */
type SurvivalCounts = readonly SurvivalCount[];

const SHARE = { low: 0, high: 1 };
const RATE = { low: 0, high: Infinity };

/** How what an arm keeps falls off over pivots. */
export function estimateDecay(rows: readonly SummaryRow[], sampling: Sampling): ArmDecay {
  return {
    summary: decayIn(rows, 'summary', sampling),
    view: decayIn(rows, 'view', sampling),
    survival: estimateSurvival(rows, sampling),
  };
}

function decayIn(
  rows: readonly SummaryRow[],
  what: 'summary' | 'view',
  sampling: Sampling,
): DecayEstimate {
  const means = pivotsOf(rows).map((index) =>
    sessionMeans(rows, ({ pivots }) => pivots[index]?.[what].retention ?? null),
  );
  const sessions = [...new Set(means.flatMap((own) => [...own.keys()]))];
  const curves = sessions.map(
    (session) => [session, means.map((own) => own.get(session) ?? null)] as const,
  );
  const fitted = new Map(
    curves.filter(([, curve]) => curve.filter((share) => share !== null).length > 1),
  );
  const counted = countSessions(fitted.keys(), sampling);
  const clusters = clustersOf(fitted, sampling).map(meanCurve);
  const rho: MeanEstimate = {
    ...estimateStatistic(clusters, rhoOf, { ...sampling, range: RATE }),
    ...counted,
  };
  return {
    retention: means.map((own) => estimateShare(own, sampling)),
    rho,
    halfLife: {
      mean: halfLifeOf(rho.mean),
      low: halfLifeOf(rho.low),
      high: halfLifeOf(rho.high),
      ...counted,
    },
  };
}

function rhoOf(curves: readonly Curve[]): number | null {
  return decayOf(meanCurve(curves)).rho;
}

function meanCurve(curves: readonly Curve[]): Curve {
  const longest = curves.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) =>
    meanKnown(curves.map((curve) => curve[index] ?? null)),
  );
}

function meanKnown(values: Curve): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sum(known) / known.length;
}

function pivotsOf(rows: readonly SummaryRow[]): readonly number[] {
  const most = rows.reduce((longest, { pivots }) => Math.max(longest, pivots.length), 0);
  return Array.from({ length: most }, (_, index) => index);
}

/** Sessions are drawn again whole, with all of their facts, and families with the mean of their sessions. */
function estimateSurvival(
  rows: readonly SummaryRow[],
  sampling: Sampling,
): readonly SurvivalEstimate[] {
  const sessions = countsBySession(rows);
  const clusters = clustersOf(sessions, sampling).map(meanCounts);
  const longest = clusters.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) => {
    const { atRisk, lost } = sumAt(clusters, index);
    const survival = estimateStatistic(clusters, (drawn) => survivalAt(drawn, index), {
      ...sampling,
      range: SHARE,
    });
    const known = [...sessions].filter(([, counts]) => (counts[index]?.atRisk ?? 0) > 0);
    const counted = countSessions(new Map(known).keys(), sampling);
    return { pivots: index + 1, atRisk, lost, survival: { ...survival, ...counted } };
  });
}

/** The counts of each session, averaged over its repetitions. */
function countsBySession(rows: readonly SummaryRow[]): ReadonlyMap<string, SurvivalCounts> {
  const groups = groupBy(rows, ({ scenario }) => scenario);
  return new Map(
    [...groups].map(([session, own]) => [session, meanCounts(own.map(({ survival }) => survival))]),
  );
}

/** Without those that were never compacted. */
function meanCounts(all: readonly SurvivalCounts[]): SurvivalCounts {
  const counted = all.filter(({ length }) => length > 0);
  const longest = counted.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) => {
    const { atRisk, lost } = sumAt(counted, index);
    return { atRisk: atRisk / counted.length, lost: lost / counted.length };
  });
}

function sumAt(counts: readonly SurvivalCounts[], index: number): SurvivalCount {
  return counts.reduce(
    (total, own) => ({
      atRisk: total.atRisk + (own[index]?.atRisk ?? 0),
      lost: total.lost + (own[index]?.lost ?? 0),
    }),
    { atRisk: 0, lost: 0 },
  );
}

/** After Kaplan and Meier; unknown where nothing went through so many pivots. */
function survivalAt(counts: readonly SurvivalCounts[], index: number): number | null {
  let survival = 1;
  for (let at = 0; at <= index; at++) {
    const { atRisk, lost } = sumAt(counts, at);
    if (atRisk === 0) return null;
    survival *= 1 - lost / atRisk;
  }
  return survival;
}
