import { beforeAll, describe, expect, it } from 'vitest';
import {
  PUBLISHED_RECALL,
  recallAt,
  type Violations,
  violationsOf,
} from '../../scripts/reproductions/lossy-context.ts';
import {
  compactRepeatedly,
  REPEATED,
  type WayName,
  WAYS,
} from '../../scripts/reproductions/repeated-compaction.ts';
import { tInterval } from '../../src/simulator/metrics/statistics/interval.ts';

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

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

describe('recall by the share that was compacted, as in Lost in Compaction', () => {
  it.each(PUBLISHED_RECALL)('at %d is %d, within five points', async (level, published) => {
    const recalls = await Promise.all([1, 2].map((seed) => recallAt(level, 200, seed)));
    expect(Math.abs(mean(recalls) - published)).toBeLessThanOrEqual(0.05);
  });
});

describe('rules that were given early, as in ConstraintRot', () => {
  let violations: Violations;
  beforeAll(async () => {
    violations = await violationsOf(200, 1);
  });

  it('are kept in sight, and broken in three of ten calls after a compaction', () => {
    expect(violations.visible).toBe(0);
    expect(violations.compacted).toBeGreaterThan(0.25);
    expect(violations.compacted).toBeLessThan(0.35);
  });

  it('are kept with a pin, and wherever the summary has them', () => {
    expect(violations.pinned).toBe(0);
    expect(violations.whereKept).toBe(0);
  });
});
