import { expect, it } from 'vitest';
import { compareSides } from '../../../../src/simulator/sweep/compare/compare-sides.ts';

const SESSIONS = 12;

/** Sessions at these costs, of which never compacting costs 100 more. */
const sideOf = (name: string, costOf: (index: number) => number) => ({
  name,
  schemaVersion: 1,
  mode: 'open-loop' as const,
  origin: { settings: {} },
  rows: Array.from({ length: SESSIONS }, (_, index) => {
    const costUsd = costOf(index);
    return {
      session: `s${index}`,
      policy: name,
      model: 'lab/model',
      summarizer: 'extractive',
      state: 'completed' as const,
      metrics: { costUsd, costSavedUsd: 100 - costUsd, compactions: 1 },
    };
  }),
});

const dear = (share: number) => (index: number) => (index === 0 ? 90 : share);
/** Certain by itself, but not among what else was named before. */
const swaying = (index: number) => (index % 2 === 0 ? 1.02 : 0.88);

function verdictsOf(before: (index: number) => number, after: (index: number) => number) {
  const outcome = compareSides(sideOf('a', before), sideOf('b', after), { seed: 1 });
  if (outcome.state !== 'compared') throw new Error(outcome.reason);
  const { metrics } = outcome.comparison;
  return ['costUsd', 'costSavedUsd'].map(
    (name) => metrics.find((metric) => metric.name === name)?.verdict,
  );
}

it('says of dollars saved the opposite of what it says of the cost, of which they are a part', () => {
  expect(verdictsOf(dear(1), dear(0.5))).toEqual(['lower', 'higher']);
  expect(verdictsOf(dear(0.5), dear(1))).toEqual(['higher', 'lower']);
  expect(verdictsOf(() => 1, swaying)).toEqual(['within noise', 'within noise']);
});
