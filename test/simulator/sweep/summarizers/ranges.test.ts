import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../../../src/simulator/metrics/probes/accounts.ts';
import type { IntervalEstimate } from '../../../../src/simulator/report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../../../src/simulator/report/summarizers/summary-row.ts';
import { estimateDecay } from '../../../../src/simulator/sweep/summarizers/estimate-decay.ts';
import { estimateProbes } from '../../../../src/simulator/sweep/summarizers/estimate-probes.ts';
import {
  compareArms,
  summariseArm,
} from '../../../../src/simulator/sweep/summarizers/summarise-arms.ts';
import { pivot, probe, row } from './summary-rows.ts';

const SAMPLING = { seed: 1, families: new Map<string, string>() };

/** An arm on two sessions that differ so much that what is said of all of them reaches very far. */
const armOf = (...rows: readonly Partial<SummaryRow>[]) => ({
  name: 'arm',
  rows: rows.map((more, index) => row({ scenario: `s${index}`, ...more })),
});
const kept = (...shares: readonly number[]) =>
  armOf(...shares.map((share) => ({ pivots: [pivot(share)] })));
const sized = (...sizes: readonly number[]) =>
  armOf(
    ...sizes.map((summaryTokens) => {
      const { summary } = pivot(0.5);
      const compression = 1 - summaryTokens / 1_000;
      return { pivots: [pivot(0.5, { summaryTokens, summary: { ...summary, compression } })] };
    }),
  );
const lasting = (...left: readonly number[]) =>
  armOf(
    ...left.map((share) => ({
      survival: [
        { atRisk: 10, lost: 2 },
        { atRisk: 8, lost: 8 * (1 - share) },
      ],
    })),
  );

const right = { isRight: true, isAbstained: false, by: 'rule' } as const;
const wrong = { isRight: false, isAbstained: true, by: 'rule' } as const;
const answering = (answers: Partial<ProbeResult['answers']>) => {
  const { answers: usual, ...rest } = probe(true);
  return { probes: [{ ...rest, answers: { ...usual, ...answers } }] };
};
const helped = armOf(
  answering({ compacted: right, tail: wrong }),
  answering({ compacted: wrong, tail: right }),
);

const differenceOf = (
  metric: 'retention' | 'summaryTokens',
  arms: readonly ReturnType<typeof kept>[],
) => {
  const [base, arm] = arms as [ReturnType<typeof kept>, ReturnType<typeof kept>];
  return compareArms(base, [arm], SAMPLING).find((one) => one.metric === metric)!.difference;
};
const metricOf = (
  metric: 'retention' | 'summaryTokens' | 'compression',
  arm: ReturnType<typeof kept>,
) => summariseArm(arm, SAMPLING).metrics[metric];

describe('the interval of what rests on few sessions', () => {
  it.each<[string, () => IntervalEstimate, { readonly low?: number; readonly high?: number }]>([
    ['a share', () => metricOf('retention', kept(0, 1)), { low: 0, high: 1 }],
    ['a size', () => metricOf('summaryTokens', sized(10, 900)), { low: 0 }],
    ['what a text takes off', () => metricOf('compression', sized(10, 3_000)), { high: 1 }],
    [
      'a difference of two shares',
      () => differenceOf('retention', [kept(0, 1), kept(1, 0)]),
      { low: -1, high: 1 },
    ],
    [
      'a rate of what is left',
      () => estimateDecay(lasting(1, 0.2).rows, SAMPLING).summary.rho,
      { high: 1 },
    ],
    [
      'a difference of two shares of answers',
      () => estimateProbes(helped, SAMPLING).summaryValue,
      { low: -1, high: 1 },
    ],
  ])('of %s ends where no number can lie', (_, estimate, ends) => {
    expect(estimate()).toMatchObject(ends);
  });

  it.each<[string, () => IntervalEstimate]>([
    [
      'a difference of two sizes',
      () => differenceOf('summaryTokens', [sized(10, 900), sized(900, 10)]),
    ],
    ['what a text takes off', () => metricOf('compression', sized(10, 3_000))],
  ])('of %s may lie below none', (_, estimate) => {
    expect(estimate().low).toBeLessThan(-1);
  });
});
