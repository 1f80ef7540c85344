import { perKey } from '../../../engine/internal.ts';
import { sum } from '../../sum.ts';
import {
  accountProbes,
  falseRecallRate,
  LOSSES,
  normalisedRetention,
  type ProbeAccount,
} from '../../metrics/probes/accounts.ts';
import { CONDITIONS, PROBE_KINDS, type ProbeKind } from '../../metrics/probes/probe.ts';
import { rangeOfDifference, SHARE } from '../../metrics/statistics/range.ts';
import type { ArmProbes } from '../../report/summarizers/probes-report.ts';
import type { MeanEstimate } from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { countReasons } from '../../metrics/count-reasons.ts';
import {
  estimateMean,
  estimateShare,
  estimateStatistic,
  exactMean,
  sessionMeans,
} from './estimate.ts';
import { clustersOf, countSessions, type Sampling } from './sampling.ts';
import type { ArmRows } from './summarise-arms.ts';
import { withoutCopies } from './without-copies.ts';

type Rows = readonly SummaryRow[];
type OfAccount = (account: ProbeAccount) => number | null;

/** What a retention is made from. */
type Told = Parameters<typeof normalisedRetention>[0];

/** A row is asked for many figures. */
const accountOf = perKey(({ probes = [] }: SummaryRow): ProbeAccount => accountProbes(probes));

/** What questions to an arm came to, over sessions; repetitions that cannot differ count once. */
export function estimateProbes({ name, rows }: ArmRows, sampling: Sampling): ArmProbes {
  const own = withoutCopies(rows);
  const meansOf = (of: OfAccount) => sessionMeans(own, (row) => of(accountOf(row)));
  const shareOf = (of: OfAccount) => estimateShare(meansOf(of), sampling);
  const range = rangeOfDifference(SHARE);
  const differenceOf = (of: OfAccount) => estimateMean(meansOf(of), { ...sampling, range });
  const byCondition = CONDITIONS.map(
    (condition) => [condition, shareOf(({ accuracy }) => accuracy[condition])] as const,
  );
  const byLoss = LOSSES.map((loss) => [loss, shareOf((account) => account.loss[loss])] as const);
  const falseRecall = sessionMeans(own, ({ probes = [] }) => falseRecallRate(probes));
  return {
    arm: name,
    questions: sum(own.map((row) => accountOf(row).questions)),
    unanswered: countReasons(own.flatMap(({ unanswered = [] }) => unanswered)),
    accuracy: Object.fromEntries(byCondition) as ArmProbes['accuracy'],
    retention: estimateRetention(own, sampling),
    loss: Object.fromEntries(byLoss) as ArmProbes['loss'],
    attentionLoss: differenceOf(({ attentionLoss }) => attentionLoss),
    summaryValue: differenceOf(({ summaryValue }) => summaryValue),
    falseRecallRate: estimateShare(falseRecall, sampling),
    kinds: estimateKinds(own, sampling),
  };
}

/** A quotient of means, which is no mean of quotients. */
function estimateRetention(rows: Rows, sampling: Sampling): MeanEstimate {
  const meansOf = (condition: keyof Told) =>
    sessionMeans(rows, (row) => accountOf(row).accuracy[condition]);
  const [none, full, compacted] = [meansOf('none'), meansOf('full'), meansOf('compacted')];
  const sessions = new Map(
    [...full].map(([session, ofFull]): [string, Told] => [
      session,
      { none: none.get(session) ?? null, full: ofFull, compacted: compacted.get(session) ?? null },
    ]),
  );
  return {
    ...estimateStatistic(clustersOf(sessions, sampling), retentionOf, { seed: sampling.seed }),
    ...countSessions(sessions.keys(), sampling),
  };
}

function retentionOf(clusters: readonly (readonly Told[])[]): number | null {
  return normalisedRetention({
    none: meanOf(clusters, 'none'),
    full: meanOf(clusters, 'full'),
    compacted: meanOf(clusters, 'compacted'),
  });
}

function meanOf(clusters: readonly (readonly Told[])[], condition: keyof Told): number {
  const means = clusters.map((own) => exactMean(own.map((told) => told[condition] ?? 0)));
  return sum(means) / means.length;
}

function estimateKinds(rows: Rows, sampling: Sampling): ArmProbes['kinds'] {
  const kinds = PROBE_KINDS.flatMap((kind) => {
    const means = sessionMeans(rows, (row) => shareRight(row, kind));
    return means.size === 0 ? [] : [[kind, estimateShare(means, sampling)] as const];
  });
  return Object.fromEntries(kinds);
}

function shareRight({ probes = [] }: SummaryRow, kind: ProbeKind): number | null {
  const own = probes.filter((result) => result.kind === kind);
  if (own.length === 0) return null;
  return own.filter(({ answers }) => answers.compacted.isRight).length / own.length;
}
