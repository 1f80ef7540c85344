import { expect, it } from 'vitest';
import type {
  GateFinding,
  GateReport,
} from '../../../../src/simulator/report/check/gate-report.ts';
import { headline, momentOf } from '../../../../src/simulator/report/check/gate-text.ts';

const finding: GateFinding = {
  kind: 'gate',
  scenario: 'one',
  run: 'main',
  type: 'exact',
  metric: 'steps',
  expected: '3',
  got: '4',
};
const gateOf = (gate: Partial<GateReport>): GateReport => ({
  baseline: 'kept',
  reason: 'first',
  unscoredRuns: 0,
  comparedRuns: 2,
  findings: [],
  inconclusive: [],
  ...gate,
});

it.each<[Partial<GateReport>, string]>([
  [{}, 'Against kept, 2 runs: as before.'],
  [{ findings: [finding] }, 'Against kept, 2 runs: 1 difference.'],
  [{ comparedRuns: 0 }, 'Against kept, 0 runs: nothing was compared.'],
  [{ comparedRuns: 0, findings: [finding] }, 'Against kept, 0 runs: 1 difference.'],
  [
    { findings: [finding], inconclusive: [{ reason: 'no baseline' }] },
    'Against kept, 2 runs: inconclusive.',
  ],
])('a gate of %j is told as %j', (gate, expected) => {
  expect(headline(gateOf(gate))).toBe(expected);
});

it.each<[Parameters<typeof momentOf>[0], string]>([
  [{ step: 3 }, 'step 3'],
  [{}, 'before the first step'],
  [{ isUnlogged: true }, 'somewhere in the run'],
])('where %j stands is told as %j', (moment, expected) => {
  expect(momentOf(moment)).toBe(expected);
});
