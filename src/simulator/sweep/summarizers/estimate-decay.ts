import { decayOf, halfLifeOf } from '../../metrics/quality/repeated.ts';
import type {
  ArmDecay,
  DecayEstimate,
  MeanEstimate,
  SurvivalEstimate,
} from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow, SurvivalCount } from '../../report/summarizers/summary-row.ts';
import { groupBy } from '../../session/statistics/group-by.ts';
import { estimateShare, estimateStatistic, sessionMeans } from './estimate.ts';

/** A number after each pivot of one session; `null` where unknown. */
type Curve = readonly (number | null)[];

const SHARE = { low: 0, high: 1 };
const RATE = { low: 0, high: Infinity };

/** How what an arm keeps falls off over pivots. */
export function estimateDecay(rows: readonly SummaryRow[], seed: number): ArmDecay {
  return {
    summary: decayIn(rows, 'summary', seed),
    view: decayIn(rows, 'view', seed),
    survival: estimateSurvival(rows, seed),
  };
}

function decayIn(
  rows: readonly SummaryRow[],
  what: 'summary' | 'view',
  seed: number,
): DecayEstimate {
  const means = pivotsOf(rows).map((index) =>
    sessionMeans(rows, ({ pivots }) => pivots[index]?.[what].retention ?? null),
  );
  const sessions = [...new Set(means.flatMap((own) => [...own.keys()]))];
  const curves = sessions.map((session) => means.map((own) => own.get(session) ?? null));
  const fitted = curves.filter((curve) => curve.filter((share) => share !== null).length > 1);
  const rho: MeanEstimate = {
    ...estimateStatistic(fitted, rhoOf, { seed, range: RATE }),
    sessions: fitted.length,
  };
  return {
    retention: means.map((own) => estimateShare(own, seed)),
    rho,
    halfLife: {
      mean: halfLifeOf(rho.mean),
      low: halfLifeOf(rho.low),
      high: halfLifeOf(rho.high),
      sessions: rho.sessions,
    },
  };
}

function rhoOf(curves: readonly Curve[]): number | null {
  const longest = curves.reduce((most, { length }) => Math.max(most, length), 0);
  const together = Array.from({ length: longest }, (_, index) =>
    meanKnown(curves.map((curve) => curve[index] ?? null)),
  );
  return decayOf(together).rho;
}

function meanKnown(values: Curve): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function pivotsOf(rows: readonly SummaryRow[]): readonly number[] {
  const most = rows.reduce((longest, { pivots }) => Math.max(longest, pivots.length), 0);
  return Array.from({ length: most }, (_, index) => index);
}

/** Sessions are drawn again whole, with all of their facts. */
function estimateSurvival(rows: readonly SummaryRow[], seed: number): readonly SurvivalEstimate[] {
  const sessions = countsBySession(rows);
  const longest = sessions.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) => {
    const { atRisk, lost } = sumAt(sessions, index);
    const survival = estimateStatistic(sessions, (drawn) => survivalAt(drawn, index), {
      seed,
      range: SHARE,
    });
    const known = sessions.filter((counts) => (counts[index]?.atRisk ?? 0) > 0).length;
    return { pivots: index + 1, atRisk, lost, survival: { ...survival, sessions: known } };
  });
}

/** The counts of each session, averaged over its repetitions. */
function countsBySession(rows: readonly SummaryRow[]): readonly (readonly SurvivalCount[])[] {
  const groups = groupBy(rows, ({ scenario }) => scenario);
  return [...groups.values()].map((own) => {
    const counted = own.map(({ survival }) => survival).filter(({ length }) => length > 0);
    const longest = counted.reduce((most, { length }) => Math.max(most, length), 0);
    return Array.from({ length: longest }, (_, index) => {
      const { atRisk, lost } = sumAt(counted, index);
      return { atRisk: atRisk / counted.length, lost: lost / counted.length };
    });
  });
}

function sumAt(counts: readonly (readonly SurvivalCount[])[], index: number): SurvivalCount {
  return counts.reduce(
    (sum, own) => ({
      atRisk: sum.atRisk + (own[index]?.atRisk ?? 0),
      lost: sum.lost + (own[index]?.lost ?? 0),
    }),
    { atRisk: 0, lost: 0 },
  );
}

/** After Kaplan and Meier; unknown where nothing went through so many pivots. */
function survivalAt(counts: readonly (readonly SurvivalCount[])[], index: number): number | null {
  let survival = 1;
  for (let at = 0; at <= index; at++) {
    const { atRisk, lost } = sumAt(counts, at);
    if (atRisk === 0) return null;
    survival *= 1 - lost / atRisk;
  }
  return survival;
}
