import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scaleLimits } from '../../../src/cli/commands/whatif.ts';
import { callMain } from '../../support/command.ts';

const scenarios = join(import.meta.dirname, '../../../scenarios/recorded');
const recorded = join(scenarios, 'csv-format.json');
const unions = join(scenarios, 'discriminated-unions.json');
const whatIf = (file: string, ...argv: readonly string[]) =>
  callMain(['whatif', file, ...argv, '--details']);

describe('whatif', () => {
  it.each([
    ['with pivots after steps', recorded, ['--window', '64k']],
    ['with a prompt that is sent again', recorded, ['--window', '32k']],
    [
      'with pivots before requests',
      unions,
      [
        ['--policy', 'document-000', '--window', '57k', '--set', 'outputTokens=8000'],
        ['--summarizer', 'extractive'],
      ].flat(),
    ],
  ])(
    'holds the misses of the run between the bounds of its window: %s',
    async (_, file, options) => {
      const json = await whatIf(file, ...options, '--curve', '--format', 'json');
      const [{ missCurve, metrics }] = JSON.parse(json.stdout).variants;
      const today = missCurve.points.find(
        ({ protectTokens }: { protectTokens: number }) => protectTokens === 40_000,
      );
      expect(missCurve.references).toBe(metrics.references);
      // A metric has hundredths.
      expect(metrics.misses + 0.005).toBeGreaterThanOrEqual(today.fewest);
      expect(metrics.misses - 0.005).toBeLessThanOrEqual(today.most);
    },
  );
});

describe('scaleLimits', () => {
  it('shrinks the caps with the window, and lets them be in a larger one', () => {
    const limits = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 };
    expect(scaleLimits(limits, 40_000)).toEqual({
      contextTokens: 40_000,
      inputTokens: 27_200,
      outputTokens: 12_800,
    });
    expect(scaleLimits(limits, 800_000)).toEqual({ ...limits, contextTokens: 800_000 });
    // A limit of 0 would be none.
    expect(scaleLimits(limits, 1)).toEqual({ contextTokens: 1, inputTokens: 1, outputTokens: 1 });
    expect(scaleLimits({ contextTokens: 0 }, 16_000)).toEqual({ contextTokens: 16_000 });
  });
});
