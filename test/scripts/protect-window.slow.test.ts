import { beforeAll, describe, expect, it } from 'vitest';
import { tryWindows, type WindowResult } from '../../scripts/reproductions/protect-window.ts';

/** Where prunes cost little and long contexts much. */
const OPTIONS = { sessions: 20, windows: [0, 5_000, 10_000, 80_000] };

/** Closed loop, in shape only: sessions are generated, and so are their sizes. */
describe('the protect window, as in the study of how many observations to mask', () => {
  let results: readonly WindowResult[];
  beforeAll(async () => {
    results = await tryWindows(OPTIONS);
  });

  it('needs fewer turns the larger it is', () => {
    const steps = results.map((result) => result.steps);
    for (const [index, count] of steps.slice(1).entries())
      expect(count).toBeLessThan(steps[index]!);
  });

  it('adds no turn but to read again', () => {
    const recorded = results.map(({ steps, addedSteps }) => steps - addedSteps);
    expect(new Set(recorded).size).toBe(1);
  });

  it('costs more the larger it is, unlike in the study: little is read again', () => {
    const costs = results.map(({ usd }) => usd);
    expect(costs.toSorted((one, other) => one - other)).toEqual(costs);
  });

  it('is the same each time', async () => {
    const again = await tryWindows({ ...OPTIONS, windows: [5_000] });
    expect(again).toEqual([results[1]]);
  });
});
