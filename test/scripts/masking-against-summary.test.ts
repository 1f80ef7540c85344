import { describe, expect, it } from 'vitest';
import { ARMS, costsOfArms } from '../../scripts/reproductions/masking-against-summary.ts';

const costs = costsOfArms();
const distance = (value: number, expected: number) => Math.abs(value / expected - 1);

/** Open loop: turns and sizes of requests are those of the study, and only the bill is worked out. */
describe('masking against summaries, as in the Complexity Trap', () => {
  it.each([
    ['masking', 0.47],
    ['summary', 0.49],
  ] as const)('%s costs %d of what raw does, within 20 %%', (arm, ratio) => {
    expect(distance(costs[arm] / costs.raw, ratio)).toBeLessThanOrEqual(0.2);
  });

  it.each(['raw', 'masking', 'summary'] as const)('%s costs what it did, within 20 %%', (arm) => {
    expect(distance(costs[arm], ARMS[arm].publishedUsd)).toBeLessThanOrEqual(0.2);
  });
});
