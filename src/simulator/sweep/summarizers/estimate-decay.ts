import { decayOf, halfLifeOf } from '../../metrics/quality/repeated.ts';
import { SHARE } from '../../metrics/statistics/range.ts';
import type {
  ArmDecay,
  DecayEstimate,
  MeanEstimate,
  SurvivalEstimate,
} from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow, SurvivalCount } from '../../report/summarizers/summary-row.ts';
import { groupBy } from '../../group-by.ts';
import { estimateShare, estimateStatistic, sessionMeans } from './estimate.ts';
import { clustersOf, countSessions, type Sampling } from './sampling.ts';

/** What went through each pivot. */
type SurvivalCounts = readonly SurvivalCount[];

const countsOf = {
  summary: ({ survival }: SummaryRow) => survival,
  view: ({ viewSurvival = [] }: SummaryRow) => viewSurvival,
} as const;

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
  const known = [...countsBySession(rows, countsOf[what])].filter(([, own]) => own.length > 1);
  const sessions = new Map(known);
  const counted = countSessions(sessions.keys(), sampling);
  const clusters = clustersOf(sessions, sampling).map(meanCounts);
  const rho: MeanEstimate = {
    ...estimateStatistic(clusters, rhoOf, { ...sampling, range: SHARE }),
    ...counted,
  };
  return {
    retention: pivotsOf(rows).map((index) =>
      estimateShare(retentionsAt(rows, what, index), sampling),
    ),
    rho,
    halfLife: {
      mean: halfLifeOf(rho.mean),
      low: halfLifeOf(rho.low),
      high: halfLifeOf(rho.high),
      ...counted,
    },
  };
}

function retentionsAt(rows: readonly SummaryRow[], what: 'summary' | 'view', index: number) {
  return sessionMeans(rows, ({ pivots }) => pivots[index]?.[what].retention ?? null);
}

/**
 * By what survives, not by retention: that of a later pivot has facts in it that went through no pivot before. What is
 * lost once is lost, so that no pivot leaves more than the one before did.
 */
function rhoOf(counts: readonly SurvivalCounts[]): number | null {
  const longest = longestOf(counts);
  return decayOf(Array.from({ length: longest }, (_, index) => survivalAt(counts, index))).rho;
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
  const sessions = countsBySession(rows, countsOf.summary);
  const clusters = clustersOf(sessions, sampling).map(meanCounts);
  return Array.from({ length: longestOf(clusters) }, (_, index) => {
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
function countsBySession(
  rows: readonly SummaryRow[],
  of: (row: SummaryRow) => SurvivalCounts,
): ReadonlyMap<string, SurvivalCounts> {
  const groups = groupBy(rows, ({ scenario }) => scenario);
  return new Map([...groups].map(([session, own]) => [session, meanCounts(own.map(of))]));
}

/** Without those that were never compacted. */
function meanCounts(all: readonly SurvivalCounts[]): SurvivalCounts {
  const counted = all.filter(({ length }) => length > 0);
  return Array.from({ length: longestOf(counted) }, (_, index) => {
    const { atRisk, lost } = sumAt(counted, index);
    return { atRisk: atRisk / counted.length, lost: lost / counted.length };
  });
}

function longestOf(counts: readonly SurvivalCounts[]): number {
  return counts.reduce((most, { length }) => Math.max(most, length), 0);
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
