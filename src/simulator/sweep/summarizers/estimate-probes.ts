import { sum } from '../../sum.ts';
import {
  accountProbes,
  falseRecallRate,
  LOSSES,
  normalisedRetention,
  type ProbeAccount,
  type ProbeResult,
} from '../../metrics/probes/accounts.ts';
import { CONDITIONS, PROBE_KINDS } from '../../metrics/probes/probe.ts';
import type { ArmProbes } from '../../report/summarizers/probes-report.ts';
import type { MeanEstimate } from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { countReasons } from '../../metrics/count-reasons.ts';
import { groupBy } from '../../session/statistics/group-by.ts';
import { estimateMean, estimateShare, estimateStatistic } from './estimate.ts';
import type { ArmRows } from './summarise-arms.ts';

type Results = readonly ProbeResult[];

/** What questions to an arm came to, over sessions; repetitions that cannot differ count once. */
export function estimateProbes({ name, rows }: ArmRows, seed: number): ArmProbes {
  const sessions = bySession(rows.filter(({ isRandom, repeat }) => isRandom || repeat === 1));
  const accounts = new Map([...sessions].map(([session, own]) => [session, accountProbes(own)]));
  const shareOf = (of: (account: ProbeAccount) => number | null) =>
    meanOver(accounts, of, { seed });
  // A difference may be below none.
  const differenceOf = (of: (account: ProbeAccount) => number | null) =>
    meanOver(accounts, of, { seed, estimate: estimateMean });
  const byCondition = CONDITIONS.map(
    (condition) => [condition, shareOf(({ accuracy }) => accuracy[condition])] as const,
  );
  const byLoss = LOSSES.map((loss) => [loss, shareOf((account) => account.loss[loss])] as const);
  return {
    arm: name,
    questions: sum([...accounts.values()].map(({ questions }) => questions)),
    unanswered: countReasons(rows.flatMap(({ unanswered = [] }) => unanswered)),
    accuracy: Object.fromEntries(byCondition) as ArmProbes['accuracy'],
    retention: estimateRetention([...accounts.values()], seed),
    loss: Object.fromEntries(byLoss) as ArmProbes['loss'],
    attentionLoss: differenceOf(({ attentionLoss }) => attentionLoss),
    summaryValue: differenceOf(({ summaryValue }) => summaryValue),
    falseRecallRate: meanOver(sessions, falseRecallRate, { seed }),
    kinds: estimateKinds(sessions, seed),
  };
}

interface MeanOptions {
  readonly seed: number;
  readonly estimate?: typeof estimateMean;
}

function bySession(rows: readonly SummaryRow[]): ReadonlyMap<string, Results> {
  const groups = groupBy(rows, ({ scenario }) => scenario);
  return new Map(
    [...groups].map(([name, own]) => [name, own.flatMap(({ probes = [] }) => probes)]),
  );
}

function meanOver<Value>(
  sessions: ReadonlyMap<string, Value>,
  of: (value: Value) => number | null,
  { seed, estimate = estimateShare }: MeanOptions,
): MeanEstimate {
  const known = [...sessions].flatMap(([name, own]) => {
    const value = of(own);
    return value === null ? [] : [[name, value] as const];
  });
  return estimate(new Map(known), seed);
}

/** A quotient of means, which is no mean of quotients. */
function estimateRetention(accounts: readonly ProbeAccount[], seed: number): MeanEstimate {
  const asked = accounts.filter(({ questions }) => questions > 0);
  return { ...estimateStatistic(asked, retentionOf, { seed }), sessions: asked.length };
}

function retentionOf(accounts: readonly ProbeAccount[]): number | null {
  return normalisedRetention({
    none: meanOf(accounts, 'none'),
    full: meanOf(accounts, 'full'),
    compacted: meanOf(accounts, 'compacted'),
  });
}

function meanOf(
  accounts: readonly ProbeAccount[],
  condition: keyof ProbeAccount['accuracy'],
): number {
  return sum(accounts.map(({ accuracy }) => accuracy[condition] ?? 0)) / accounts.length;
}

function estimateKinds(sessions: ReadonlyMap<string, Results>, seed: number): ArmProbes['kinds'] {
  const kinds = PROBE_KINDS.flatMap((kind) => {
    const right = (results: Results) => {
      const own = results.filter((result) => result.kind === kind);
      if (own.length === 0) return null;
      return own.filter(({ answers }) => answers.compacted.isRight).length / own.length;
    };
    const found = meanOver(sessions, right, { seed });
    return found.mean === null ? [] : [[kind, found] as const];
  });
  return Object.fromEntries(kinds);
}
