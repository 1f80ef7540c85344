import { describe, expect, it } from 'vitest';
import {
  compactRepeatedly,
  REPEATED,
  type WayName,
  WAYS,
} from '../../scripts/reproductions/repeated-compaction.ts';
import { tInterval } from '../../src/simulator/metrics/statistics/interval.ts';

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);

function retention(name: WayName): readonly number[] {
  return SEEDS.map((seed) => compactRepeatedly(name, seed).retention);
}

/** In the order of the study only: how much is kept depends on the room and on what a pass loses. */
describe('ways to compact again and again, as in Lost in Compaction', () => {
  it.each([
    ['incremental', 'brutal'],
    ['frozen', 'incremental'],
    ['frozenRanked', 'frozen'],
  ] as const)('%s keeps more than %s', (better, worse) => {
    const [ofBetter, ofWorse] = [retention(better), retention(worse)];
    const differences = ofBetter.map((kept, index) => kept - ofWorse[index]!);
    expect(tInterval(differences)?.low).toBeGreaterThan(0);
  });

  it('takes a fact through half the rounds, or through their logarithm', () => {
    const [brutal, ranked] = [compactRepeatedly('brutal', 1), compactRepeatedly('frozenRanked', 1)];
    expect(brutal.meanPasses).toBe((REPEATED.rounds + 1) / 2);
    expect(ranked.mostPasses).toBeLessThanOrEqual(1 + Math.log2(REPEATED.rounds));
    expect(compactRepeatedly('frozen', 1).mostPasses).toBe(1);
  });

  it.each(WAYS)('%s loses nothing where nothing is lost and there is room', (way) => {
    const lossless = { ...REPEATED, keep: 1, budgetLines: 1_000 };
    expect(compactRepeatedly(way, 1, lossless).retention).toBe(1);
  });
});
