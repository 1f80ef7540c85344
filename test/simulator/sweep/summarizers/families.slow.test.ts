import { array, assert, boolean, double, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  SummarizersReport,
  SummaryRow,
} from '../../../../src/simulator/report/summarizers-report.ts';
import { buildSummarizersReport } from '../../../../src/simulator/sweep/summarizers/build-report.ts';
import { pivot, probe, provenanceOf, row } from './summary-rows.ts';

/** What a session comes to under the second arm; the first one keeps half of everything. */
interface Outcome {
  readonly kept: number;
  readonly rate: number;
  readonly lost: number;
  readonly costNanoUsd: number;
  readonly right: readonly boolean[];
}

/** Sessions by name, each with its family where it has one. */
type Named = readonly (readonly [name: string, outcome: Outcome, family?: string])[];

const OUTCOMES = Array.from({ length: 12 }, (_, index): Outcome => {
  const right = [index % 2 === 0, index % 3 === 0, index % 5 === 0, true];
  return {
    kept: 0.9 - index / 20,
    rate: 0.5 + index / 30,
    lost: index % 7,
    costNanoUsd: 1e6,
    right,
  };
});
const anyOutcome = record({
  kept: double({ min: 0, max: 1, noNaN: true }),
  rate: double({ min: 0, max: 1, noNaN: true }),
  lost: nat(10),
  costNanoUsd: nat(1e9),
  right: array(boolean(), { maxLength: 4 }),
});

const rowOf = (
  scenario: string,
  summarizer: string,
  { kept, rate, lost, costNanoUsd, right }: Outcome,
): SummaryRow =>
  row({
    scenario,
    summarizer,
    reader: 'scripted:empty',
    pivots: [0, 1, 2].map((index) =>
      pivot(kept * rate ** index, { mustDropped: lost, costNanoUsd }),
    ),
    survival: [0, 1, 2].map(() => ({ atRisk: 10, lost })),
    probes: right.map((isRight) => probe(isRight)),
  });

const HALF: Outcome = { kept: 0.5, rate: 0.5, lost: 5, costNanoUsd: 5e5, right: [true, false] };

function reportOn(sessions: Named): SummarizersReport {
  const rows = [
    ...sessions.map(([name]) => rowOf(name, 'tail', HALF)),
    ...sessions.map(([name, outcome]) => rowOf(name, 'extractive', outcome)),
  ];
  const provenance = provenanceOf(sessions.map(([name]) => name));
  const scenarios = provenance.scenarios.map((one, index) => {
    const family = sessions[index]?.[2];
    return { ...one, ...(family !== undefined && { family }) };
  });
  return buildSummarizersReport({ rows, unread: [], provenance: { ...provenance, scenarios } });
}

/** Everything that is said with more or less certainty, by where it stands. */
function estimatesIn(value: unknown, path = ''): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  const { mean, low, high, verdict, highestRate } = value as Record<string, unknown>;
  const own = { mean, low, high, verdict, highestRate };
  const isOne = Object.values(own).some((one) => one !== undefined);
  return [
    ...(isOne ? [[path, own] as const] : []),
    ...Object.entries(value).flatMap(([key, one]) => estimatesIn(one, `${path}/${key}`)),
  ];
}

const named = (outcomes: readonly Outcome[]): Named =>
  outcomes.map((outcome, index) => [`s${index}`, outcome]);
const forked = (outcomes: readonly Outcome[], isTold = true): Named =>
  outcomes.flatMap((outcome, index) => {
    const family = isTold ? ([`s${index}`] as const) : ([] as const);
    return [
      [`s${index}`, outcome, ...family] as const,
      [`s${index}-fork`, outcome, ...family] as const,
    ];
  });

function widthOf({ arms }: SummarizersReport): number {
  const { low, high } = arms[1]!.metrics.factsKept;
  return high! - low!;
}

describe('summarizers on sessions of families', () => {
  it('say the same as without where each is a family of its own', () => {
    assert(
      property(array(anyOutcome, { minLength: 1, maxLength: 13 }), (outcomes) => {
        const alone = reportOn(named(outcomes));
        const own = reportOn(outcomes.map((outcome, index) => [`s${index}`, outcome, `s${index}`]));
        expect({ ...own, provenance: alone.provenance }).toEqual(alone);
      }),
      { numRuns: 10 },
    );
  });

  it('are no surer for a fork of each session that came to the same, whatever they came to', () => {
    assert(
      property(array(anyOutcome, { minLength: 1, maxLength: 13 }), (outcomes) => {
        const estimates = estimatesIn(reportOn(forked(outcomes)));
        expect(estimates).toEqual(estimatesIn(reportOn(named(outcomes))));
        expect(estimates.length).toBeGreaterThan(50);
      }),
      { numRuns: 10 },
    );
  });

  it('would be surer if forks were taken for independent', () => {
    const known = reportOn(forked(OUTCOMES));
    const unknown = reportOn(forked(OUTCOMES, false));
    expect(widthOf(unknown)).toBeLessThan(0.8 * widthOf(known));
    const [ofKnown, ofUnknown] = [known, unknown].map(({ arms }) => arms[1]!.mustFacts);
    expect(ofUnknown!.highestRate!).toBeLessThan(ofKnown!.highestRate!);
    expect(ofUnknown).toMatchObject({ of: ofKnown!.of, dropped: ofKnown!.dropped });
    expect(known.arms[1]!.metrics.factsKept).toMatchObject({ sessions: 24, families: 12 });
    expect(unknown.arms[1]!.metrics.factsKept).not.toHaveProperty('families');
  });
});
