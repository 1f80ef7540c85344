import { array, assert, constantFrom, double, pre, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import type { ComparedScenario } from '../../../../src/simulator/report/check-report.ts';
import type { Gate } from '../../../../src/simulator/scenario/gate.ts';
import { toGateReport } from '../../../../src/simulator/sweep/gate/gate-report.ts';

const metric = 'compactions';
const NOTE = '; scenarios that replay sessions of one family count once';
const noninferior = (margin: number, name: string = metric): Gate => ({
  type: 'noninferior',
  metric: name,
  margin,
});

const numbersOf = (value: number) => ({ ...UNKNOWN_METRICS, [metric]: value, costUsd: value });

/** A scenario of one run that has so much more than its baseline. */
function held(scenario: string, by: number, family?: string): ComparedScenario {
  const numbers = { baseline: numbersOf(10), now: numbersOf(10 + by) };
  return {
    scenario,
    ...(family !== undefined && { family }),
    inconclusive: [],
    findings: [],
    runs: [{ run: 'main', isUnscored: false, numbers }],
  };
}

function concluded(gate: Gate, scenarios: readonly ComparedScenario[]) {
  const nothing = { mismatches: [], missing: [], unasked: [] };
  const part = { baseline: 'base', reason: 'first', ...nothing, gates: [gate], scenarios };
  return toGateReport(part);
}

function findingsOf(gate: Gate, scenarios: readonly ComparedScenario[]) {
  return concluded(gate, scenarios).findings;
}

const alone = (differences: readonly number[]) =>
  differences.map((by, index) => held(`s${index}`, by));
const forked = (differences: readonly number[]) =>
  differences.flatMap((by, index) => [
    held(`s${index}`, by, `s${index}`),
    held(`s${index}-fork`, by, `s${index}`),
  ]);

const differences = array(double({ min: -5, max: 5, noNaN: true }), {
  minLength: 2,
  maxLength: 14,
});

describe('a gate of no inferiority over forks', () => {
  it('says the same where each scenario is a family of its own', () => {
    assert(
      property(differences, constantFrom(metric, 'costUsd'), (all, name) => {
        const own = all.map((by, index) => held(`s${index}`, by, `s${index}`));
        expect(findingsOf(noninferior(0.1, name), own)).toEqual(
          findingsOf(noninferior(0.1, name), alone(all)),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('is no surer for a fork of each that came to the same, and says why', () => {
    assert(
      property(differences, constantFrom(metric, 'costUsd'), (all, name) => {
        const expected = findingsOf(noninferior(0.1, name), alone(all));
        const found = findingsOf(noninferior(0.1, name), forked(all));
        pre(expected.length > 0);
        expect(found).toEqual(
          expected.map((one) => ({ ...one, got: 'got' in one && `${one.got}${NOTE}` })),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('does not pass because a session was forked often', () => {
    const six = [0, 0, 0, 0, 0, 2];
    expect(findingsOf(noninferior(1), alone(six))).toHaveLength(1);
    expect(findingsOf(noninferior(1), forked(six))).toHaveLength(1);
    expect(findingsOf(noninferior(1), alone([...six, ...six]))).toEqual([]);
  });

  it('has of the forks of one session what it has of that: nothing for certain', () => {
    const forks = [0, 1, 2].map((by) => held(`s${by}`, by, 's0'));
    const { findings, inconclusive } = concluded(noninferior(1), forks);
    expect(findings).toEqual([]);
    expect(inconclusive).toHaveLength(1);
    expect(concluded(noninferior(1), [held('s1', 1)]).inconclusive).toEqual(inconclusive);
  });

  it('takes the runs of a scenario for one observation', () => {
    const six = alone([0, 0, 0, 0, 0, 4]);
    const runs = six.flatMap((one) => one.runs);
    expect(concluded(noninferior(1), [{ ...six[0]!, runs }])).toMatchObject({
      findings: [],
      inconclusive: [
        {
          reason:
            "Gate noninferior on compactions: expected two independent scenarios at least, got one, which has no interval; under 'cases' it asks single runs.",
        },
      ],
    });
    expect(findingsOf(noninferior(1), six)).toHaveLength(1);
  });

  it('says nothing of families where totals are asked for', () => {
    const gate: Gate = { type: 'max', metric, limit: 1 };
    expect(findingsOf(gate, forked([1]))).toEqual(findingsOf(gate, [held('a', 1), held('b', 1)]));
  });
});
