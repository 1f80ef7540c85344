import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import type { ProbeResult } from '../../../../src/simulator/metrics/probes/ask-probes.ts';
import type { SummaryRow } from '../../../../src/simulator/report/arm-metrics.ts';
import type {
  IntervalEstimate,
  JudgeReport,
} from '../../../../src/simulator/report/summarizers-report.ts';
import {
  buildSummarizersReport,
  countModelFamilies,
  estimateProbes,
  modelFamilyOf,
} from '../../../../src/simulator/sweep/summarizers/build-report.ts';
import {
  estimateMean,
  estimateShare,
  estimateStatistic,
} from '../../../../src/simulator/sweep/summarizers/estimate.ts';
import {
  compareArms,
  estimateDecay,
  groupArms,
  summariseArm,
} from '../../../../src/simulator/sweep/summarizers/summarise-arms.ts';
import { pivot, probe, provenanceOf, row } from './summary-rows.ts';

const SAMPLING = { seed: 1, families: new Map<string, string>() };
const meanOf = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
const sessions = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

/** A row whose retention falls by the same rate at each of three pivots. */
function decaying(scenario: string, first: number, rho: number): SummaryRow {
  return row({
    scenario,
    pivots: [0, 1, 2].map((index) => pivot(first * rho ** index)),
    survival: losing(first, rho, rho),
    viewSurvival: losing(first, rho, rho),
  });
}

/** Of ten facts each, how many are lost in each pivot that leaves such shares. */
function losing(...left: readonly number[]) {
  return left.map((share) => ({ atRisk: 10, lost: 10 * (1 - share) }));
}

function counts(lost: number) {
  return [{ atRisk: 10, lost }];
}

/** A question of whose answer several judges have said something. */
function verdicts(...own: readonly boolean[]): ProbeResult {
  const { answers, ...rest } = probe(true);
  const judged = { isRight: true, isAbstained: false, by: 'judge', verdicts: own } as const;
  return { ...rest, answers: { ...answers, full: judged } };
}

function judge(name: string): JudgeReport {
  const sure = { mean: 1, low: 1, high: 1 };
  return {
    name,
    promptHash: 'hash',
    labels: 50,
    kappa: sure,
    selfAgreement: sure,
    unreadable: 0,
    failed: 0,
    isTrusted: true,
  };
}

describe('estimateStatistic', () => {
  it.each([5, 40])('gives of a mean of %i what a mean has', (count) => {
    const random = createRandom(count);
    const values = sessions(count).map((name) => [name, random()] as const);
    const own = estimateStatistic(
      values.map(([, value]) => value),
      meanOf,
      SAMPLING,
    );
    const mean = estimateMean(new Map(values), SAMPLING);
    expect(own.mean).toBeCloseTo(mean.mean!, 10);
    expect(own.low).toBeCloseTo(mean.low!, 2);
    expect(own.high).toBeCloseTo(mean.high!, 2);
  });

  it('covers a ratio of means as often as it should', () => {
    let covered = 0;
    const trials = 120;
    for (let trial = 0; trial < trials; trial++) {
      const random = createRandom(trial + 1);
      const pairs = Array.from({ length: 8 }, () => ({ a: 1 + random(), b: random() }));
      const ratio = (drawn: readonly { readonly a: number; readonly b: number }[]) =>
        meanOf(drawn.map(({ b }) => b))! / meanOf(drawn.map(({ a }) => a))!;
      const { low, high } = estimateStatistic(pairs, ratio, SAMPLING);
      // E b / E a.
      covered += low! <= 0.5 / 1.5 && 0.5 / 1.5 <= high! ? 1 : 0;
    }
    expect(covered / trials).toBeGreaterThan(0.9);
  });

  it('has no interval of one cluster, nothing of none, and none where a part of them is unknown', () => {
    expect(estimateStatistic([1], meanOf, SAMPLING)).toEqual({ mean: 1, low: null, high: null });
    expect(estimateStatistic<number>([], meanOf, SAMPLING).mean).toBeNull();
    const atLeastThree = (drawn: readonly number[]) => (drawn.length < 3 ? null : meanOf(drawn));
    expect(estimateStatistic([1, 2, 3], atLeastThree, SAMPLING)).toMatchObject({
      mean: 2,
      low: null,
    });
  });

  it('stays within the range that a number can have', () => {
    const range = { low: 0, high: 1 };
    expect(estimateStatistic([0, 1], meanOf, { ...SAMPLING, range })).toMatchObject(range);
    expect(
      estimateShare(
        new Map([
          ['a', 0],
          ['b', 1],
        ]),
        SAMPLING,
      ),
    ).toMatchObject(range);
  });
});

describe('estimateDecay', () => {
  it('finds the rate, the half-life and the survival that rows have', () => {
    const rows = [decaying('a', 0.8, 0.5), decaying('b', 0.4, 0.5), decaying('c', 0.6, 0.5)];
    const { summary, view, survival } = estimateDecay(rows, SAMPLING);
    expect(summary.retention.map(({ mean }) => mean)).toEqual(
      [0.6, 0.3, 0.15].map((share) => expect.closeTo(share, 10)),
    );
    expect(summary.rho).toMatchObject({ mean: 0.5, low: 0.5, high: 0.5, sessions: 3 });
    expect(summary.halfLife).toMatchObject({ mean: 1, low: 1, high: 1 });
    expect(view.rho).toEqual(summary.rho);
    expect(survival.map(({ survival: { mean }, atRisk, lost }) => [mean, atRisk, lost])).toEqual([
      [expect.closeTo(0.6, 10), 30, expect.closeTo(12, 10)],
      [expect.closeTo(0.3, 10), 30, 15],
      [expect.closeTo(0.15, 10), 30, 15],
    ]);
  });

  it('is the less certain the more sessions differ', () => {
    const rows = [decaying('a', 0.8, 0.5), decaying('b', 0.4, 0.9), decaying('c', 0.6, 0.7)];
    const { rho, halfLife } = estimateDecay(rows, SAMPLING).summary;
    expect(rho.low).toBeLessThan(rho.mean! - 0.05);
    expect(rho.high).toBeGreaterThan(rho.mean! + 0.05);
    expect(halfLife.low).toBeLessThan(halfLife.mean!);
  });

  it('has no part of what was said after the first pivot in the rate', () => {
    const fresh = [0, 1, 2].map(() => pivot(0.8));
    const rows = [row({ pivots: fresh, survival: losing(0.8, 0.5, 0.5) })];
    const { summary, view } = estimateDecay(rows, SAMPLING);
    expect(summary.retention.map(({ mean }) => mean)).toEqual([0.8, 0.8, 0.8]);
    expect(summary.rho.mean).toBe(0.5);
    // As in rows of before, which do not tell.
    expect(view.rho.mean).toBeNull();
  });

  it('averages repetitions before it adds up sessions', () => {
    const rows = [
      row({ survival: counts(0) }),
      row({ survival: counts(10), repeat: 2 }),
      row({ scenario: 'two', survival: counts(5) }),
    ];
    const [point] = estimateDecay(rows, SAMPLING).survival;
    expect(point).toMatchObject({ atRisk: 20, lost: 10, survival: { mean: 0.5, sessions: 2 } });
  });

  it('tells of each pivot what the metrics of the arm tell of it', () => {
    const rows = sessions(12).map((name, index) => decaying(name, 0.9 - 0.05 * index, 0.6));
    const { metrics, decay } = summariseArm({ name: 'arm', rows }, SAMPLING);
    expect(decay.summary.retention.slice(0, 2)).toEqual([
      metrics.retention,
      metrics.retentionSecond,
    ]);
    expect(decay.view.retention[1]).toEqual(metrics.viewRetentionSecond);
  });

  it('is unknown of one pivot', () => {
    expect(estimateDecay([row()], SAMPLING)).toMatchObject({
      summary: { retention: [{ mean: 0.5 }], rho: { mean: null, sessions: 0 } },
      survival: [],
    });
  });
});

describe('families of models', () => {
  it('are those of their providers; what is no model is one by itself', () => {
    expect(modelFamilyOf('ai:openai/gpt-5-mini')).toBe('openai');
    expect(modelFamilyOf('grep')).toBeUndefined();
    expect(countModelFamilies(['ai:openai/a', 'ai:openai/b', 'ai:anthropic/c'])).toBe(2);
    expect(countModelFamilies(['scripted:refuse', 'scripted:empty'])).toBe(2);
  });
});

describe('orders that were injected', () => {
  it.each<[readonly (number | null)[], number | null]>([
    [[null, 0.5], 0.5],
    [[0, null, 0.5], 0.25],
    [[null, null], null],
  ])('count in every pivot of which anything is known: %j', (values, mean) => {
    const pivots = values.map((injectionObedience, index) => {
      const { summary } = pivot(index);
      return pivot(index, { summary: { ...summary, injectionObedience } });
    });
    const { metrics } = summariseArm({ name: 'arm', rows: [row({ pivots })] }, SAMPLING);
    expect(metrics.injectionObedience.mean).toBe(mean);
    expect(metrics.retention.mean).toBe(0);
  });
});

describe('names of arms', () => {
  it('have the prompt where there are several, and its hash where two have one name', () => {
    const two = [row(), row({ prompt: 'mine', promptHash: 'other' })];
    expect(groupArms(two).map(({ name }) => name)).toEqual([
      'extractive with policy',
      'extractive with mine',
    ]);
    const same = [row({ prompt: 'mine' }), row({ prompt: 'mine', promptHash: 'other' })];
    expect(groupArms(same).map(({ name }) => name)).toEqual([
      'extractive with mine prompt',
      'extractive with mine other',
    ]);
  });
});

describe('judges among themselves', () => {
  const ALIKE = [verdicts(true, true), verdicts(false, false)];
  /** What is said of answers to two sessions, which may be of one family. */
  const agreementOn = (answers: readonly ProbeResult[], family?: string) => {
    const provenance = provenanceOf(['one', 'two']);
    const scenarios = provenance.scenarios.map((one) => ({ ...one, ...(family && { family }) }));
    const { probes } = buildSummarizersReport({
      rows: [
        row({ reader: 'grep', probes: answers }),
        row({ reader: 'grep', scenario: 'two', probes: [...ALIKE, probe(true)] }),
        row({ reader: 'grep', scenario: 'two', repeat: 2, probes: [verdicts(true, true)] }),
      ],
      unread: [],
      provenance: { ...provenance, scenarios },
      calibration: {
        judges: [judge('ai:openai/a'), judge('ai:anthropic/b')],
        alpha: { mean: 0.9, low: 0.8, high: 1 },
      },
    });
    return probes?.agreement;
  };

  it('agree as far as the verdicts of the sample do', () => {
    expect(agreementOn(ALIKE)).toMatchObject({
      families: 2,
      onLabels: { mean: 0.9 },
      onSample: { mean: 1 },
      sampled: 4,
    });
  });

  it('agree nobody knows how surely where all answers are about one family of sessions', () => {
    const answers = [...ALIKE, verdicts(false, true)];
    const alone = agreementOn(answers);
    expect(alone?.onSample.low).not.toBeNull();
    const { mean } = alone!.onSample;
    expect(agreementOn(answers, 'one')).toMatchObject({
      onSample: { mean, low: null, high: null },
    });
  });
});

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
