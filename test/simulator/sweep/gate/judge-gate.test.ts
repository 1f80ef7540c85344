import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retold } from '../../../support/retold.ts';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import type { Pair } from '../../../../src/simulator/metrics/statistics/mean-difference.ts';
import type { Gate } from '../../../../src/simulator/scenario/gate.ts';
import { checkGates, judgeGate } from '../../../../src/simulator/sweep/gate/compare-runs.ts';

const metric = 'compactions';
const higherIsBetter = 'tokensSaved';
const pairsOf = (differences: readonly number[]) =>
  differences.map((by) => ({ a: 10, b: 10 + by }));

describe('a gate over one run', () => {
  it('comes to what it came to', async () => {
    const path = join(import.meta.dirname, '../../../fixtures/gates.txt');
    const text = retold(path, (line) => {
      const [, gate = '', baseline = '', now = ''] = /^(.*) (\S+) (\S+)$/.exec(line) ?? [];
      const numbers = { baseline: JSON.parse(baseline), now: JSON.parse(now) };
      return [JSON.stringify(judgeGate(JSON.parse(gate) as Gate, numbers))];
    });
    await expect(text).toMatchFileSnapshot(path);
  });

  it('says what was expected and what came', () => {
    expect(
      judgeGate({ type: 'ratio', metric, limit: 1.5 }, { baseline: 4_000, now: 7_000 }),
    ).toEqual({
      state: 'failed',
      expected: 'at most 1.5 × 4,000',
      got: '7,000',
    });
    const gate: Gate = { type: 'noninferior', metric: 'hitRate', margin: 0.02 };
    expect(judgeGate(gate, { baseline: 0.92, now: 0.89 })).toMatchObject({ got: 'worse by 0.03' });
  });
});

describe('a gate of no inferiority over several runs', () => {
  const gate: Gate = { type: 'noninferior', metric, margin: 1 };

  it('passes where the whole interval of the mean lies within the margin', () => {
    const pairs = pairsOf(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 0.5 : -0.5)));
    expect(judgeGate(gate, { baseline: 400, now: 400, pairs }).state).toBe('passed');
  });

  it('fails where the mean is within the margin and its interval is not', () => {
    const pairs = pairsOf([0, 0, 0, 0, 0, 4]);
    expect(judgeGate(gate, { baseline: 60, now: 64, pairs }).state).toBe('failed');
  });

  it.each<[string, string, number, readonly number[], string]>([
    [
      'the mean with its interval',
      metric,
      1,
      [0, 0, 0, 0, 0, 4],
      'a mean difference of +0.6667 (95 % interval -1.047 … +2.38)',
    ],
    [
      'large numbers with their thousands apart',
      'inputTokens',
      1,
      [12_345, 23_456, 34_567],
      'a mean difference of +23,456 (95 % interval -4,145 … +51,057)',
    ],
    [
      'as many digits as tell the worse end from the margin',
      metric,
      2,
      [2.000_01, 2.000_01],
      'a mean difference of +2.00001 (95 % interval +2.00001 … +2.00001)',
    ],
    [
      'the sign of what is now less',
      higherIsBetter,
      1,
      [-3, -5, -4],
      'a mean difference of -4 (95 % interval -6.484 … -1.516)',
    ],
  ])('tells %s', (...[, name, margin, differences, got]) => {
    const asked: Gate = { type: 'noninferior', metric: name, margin };
    const verdict = judgeGate(asked, { baseline: 1, now: 1, pairs: pairsOf(differences) });
    expect(verdict).toMatchObject({ state: 'failed', got });
  });

  it('says nothing of no run', () => {
    expect(judgeGate(gate, { baseline: 0, now: 0, pairs: [] }).state).toBe('unscored');
  });

  it.each([0, 4])('decides nothing by one observation, of which there is no interval: %d', (by) => {
    const [pair] = pairsOf([by]);
    expect(judgeGate(gate, { baseline: 10, now: 10 + by, pairs: [pair!] }).state).toBe('undecided');
    const twice = [pair!, pair!].map((one) => ({ ...one, cluster: 'one' }));
    expect(judgeGate(gate, { baseline: 20, now: 20, pairs: twice }).state).toBe('undecided');
  });
});

/** Many cheap sessions at one ratio, and a dear one at another. */
function bills(cheap: number, dear: number): readonly Pair[] {
  const ofCheap = (index: number) => 0.1 * cheap * (index % 2 === 0 ? 0.99 : 1.01);
  const many = Array.from({ length: 39 }, (_, index) => ({ a: 0.1, b: ofCheap(index) }));
  return [...many, { a: 100, b: 100 * dear }];
}

describe('a gate of no inferiority in cost', () => {
  const gate: Gate = { type: 'noninferior', metric: 'costUsd', margin: 0.05 };
  it.each<[what: string, baseline: number, now: number, state: string]>([
    ['5 % more', 20, 21, 'passed'],
    ['6 % more', 20, 21.2, 'failed'],
    ['6 % more of little, whose margin in dollars is far', 0.1, 0.106, 'failed'],
    ['nothing of nothing', 0, 0, 'passed'],
    ['something of nothing', 0, 0.01, 'failed'],
  ])('has its margin as a share: %s', (_, baseline, now, state) => {
    expect(judgeGate(gate, { baseline, now }).state).toBe(state);
  });

  it.each<[what: string, cheap: number, dear: number, state: string]>([
    ['passes though one dear session alone moves the mean of dollars', 1, 1.06, 'passed'],
    ['fails though a dear session alone pays for all the others', 1.2, 0.9, 'failed'],
  ])('%s', (_, cheap, dear, state) => {
    expect(judgeGate(gate, { baseline: 0, now: 0, pairs: bills(cheap, dear) }).state).toBe(state);
  });

  it('says by which share a run is worse, and of several by which the mean, with its interval', () => {
    const expected = 'no worse than the baseline by more than 5 %';
    const alone = { state: 'failed', expected, got: 'worse by 10 %' };
    const numbers = { baseline: 1, now: 1.1 };
    expect(judgeGate(gate, numbers)).toEqual(alone);
    const pairs = [1.08, 1.1, 1.12].map((b) => ({ a: 1, b }));
    expect(judgeGate(gate, { ...numbers, pairs })).toEqual({
      state: 'failed',
      expected,
      got: 'a mean difference of +9.988 % (95 % interval +5.13 % … +15.07 %)',
    });
  });
});

describe('the gates of a configuration', () => {
  it('are of metrics that there are', () => {
    expect(() => checkGates([{ type: 'exact', metric: 'compaction' }])).toThrow(
      /Unknown metric 'compaction'; nearest: compactions/,
    );
  });

  it('ask for no worse only where it is known what is worse', () => {
    expect(() => checkGates([{ type: 'noninferior', metric: 'steps', margin: 1 }])).toThrow(
      HarnessError,
    );
  });
});
