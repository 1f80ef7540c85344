import { sum } from '../../sum.ts';
import {
  accountProbes,
  falseRecallRate,
  LOSSES,
  normalisedRetention,
  type ProbeAccount,
} from '../../metrics/probes/accounts.ts';
import { CONDITIONS, PROBE_KINDS, type ProbeKind } from '../../metrics/probes/probe.ts';
import type { ArmProbes } from '../../report/summarizers/probes-report.ts';
import type { MeanEstimate } from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { countReasons } from '../../metrics/count-reasons.ts';
import { estimateMean, estimateShare, estimateStatistic, sessionMeans } from './estimate.ts';
import type { ArmRows } from './summarise-arms.ts';
import { withoutCopies } from './without-copies.ts';

type Rows = readonly SummaryRow[];
type OfAccount = (account: ProbeAccount) => number | null;

/** What a retention is made from. */
type Told = Parameters<typeof normalisedRetention>[0];

/** What questions to an arm came to, over sessions; repetitions that cannot differ count once. */
export function estimateProbes({ name, rows }: ArmRows, seed: number): ArmProbes {
  const own = withoutCopies(rows);
  const meansOf = (of: OfAccount) => sessionMeans(own, (row) => of(accountOf(row)));
  const shareOf = (of: OfAccount) => estimateShare(meansOf(of), seed);
  // A difference may be below none.
  const differenceOf = (of: OfAccount) => estimateMean(meansOf(of), seed);
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
    retention: estimateRetention(own, seed),
    loss: Object.fromEntries(byLoss) as ArmProbes['loss'],
    attentionLoss: differenceOf(({ attentionLoss }) => attentionLoss),
    summaryValue: differenceOf(({ summaryValue }) => summaryValue),
    falseRecallRate: estimateShare(falseRecall, seed),
    kinds: estimateKinds(own, seed),
  };
}

function accountOf({ probes = [] }: SummaryRow): ProbeAccount {
  return accountProbes(probes);
}

/** A quotient of means, which is no mean of quotients. */
function estimateRetention(rows: Rows, seed: number): MeanEstimate {
  const meansOf = (condition: keyof Told) =>
    sessionMeans(rows, (row) => accountOf(row).accuracy[condition]);
  const [none, full, compacted] = [meansOf('none'), meansOf('full'), meansOf('compacted')];
  const sessions = [...full].map(([session, ofFull]) => ({
    none: none.get(session) ?? null,
    full: ofFull,
    compacted: compacted.get(session) ?? null,
  }));
  return { ...estimateStatistic(sessions, retentionOf, { seed }), sessions: sessions.length };
}

function retentionOf(sessions: readonly Told[]): number | null {
  const meanOf = (condition: keyof Told) =>
    sum(sessions.map((told) => told[condition] ?? 0)) / sessions.length;
  return normalisedRetention({
    none: meanOf('none'),
    full: meanOf('full'),
    compacted: meanOf('compacted'),
  });
}

function estimateKinds(rows: Rows, seed: number): ArmProbes['kinds'] {
  const kinds = PROBE_KINDS.flatMap((kind) => {
    const means = sessionMeans(rows, (row) => shareRight(row, kind));
    return means.size === 0 ? [] : [[kind, estimateShare(means, seed)] as const];
  });
  return Object.fromEntries(kinds);
}

function shareRight({ probes = [] }: SummaryRow, kind: ProbeKind): number | null {
  const own = probes.filter((result) => result.kind === kind);
  if (own.length === 0) return null;
  return own.filter(({ answers }) => answers.compacted.isRight).length / own.length;
}
