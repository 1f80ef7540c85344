import { describe, expect, it } from 'vitest';
import { recordFidelity, summariseErrors } from '../../../src/simulator/metrics/fidelity.ts';
import { withUsage, worldOf } from '../replay/world.ts';

const NOTHING = {
  contextOneStep: [],
  contextFreeRunning: [],
  fitOneStep: [],
  fitFreeRunning: [],
  cacheShare: [],
  cost: [],
};

describe('summariseErrors', () => {
  it.each<[string, readonly number[], readonly number[]]>([
    ['one error', [-3], [1, -3, -3, 3]],
    ['an odd number of them', [4, -1, 9], [3, 4, 9, 4]],
    ['an even number, of which the lower middle one counts', [1, 2, -3, 4], [4, 1, 4, 2]],
    ['errors that cancel out, but not by size', [-2, 0, 2, -2, 2], [5, 0, 2, 2]],
    [
      'ten, of which the ninth by size is the percentile',
      [1, -2, 3, -4, 5, -6, 7, -8, -9, 10],
      [10, -2, -9, 5],
    ],
  ])('of %s', (_, errors, [steps, medianSigned, p90Signed, medianAbsolute]) => {
    expect(summariseErrors(errors)).toEqual({ steps, medianSigned, p90Signed, medianAbsolute });
  });

  it('of none is nothing', () => {
    expect(summariseErrors([])).toBeUndefined();
  });
});

const session = worldOf({ sizes: [1, 2, 3, 4] });

describe('recordFidelity', () => {
  it('tells of what was compared', () => {
    const inputCost = { predicted: 3, recorded: 4 };
    const steps = [
      { messageId: 'a', inputCost },
      { messageId: 'b', inputCost: { predicted: 10, recorded: 90 }, surprise: 'cache-lost' },
      { messageId: 'c', inputCost: { predicted: 5, recorded: 5 }, surprise: 'after-compaction' },
      { messageId: 'd', surprise: 'cache-lost' },
    ] as const;
    const decisions = [
      { kind: 'compaction', recordedAfterStep: 2, predictedAfterStep: null },
    ] as const;
    expect(recordFidelity(session, steps, { decisions, preset: 'pi' })).toEqual({
      session: 'world.jsonl',
      format: 'pi',
      model: 'anthropic/claude-sonnet-4-5',
      steps: 4,
      errors: { ...NOTHING, cost: [-0.25, -80 / 90, 0] },
      decisions,
      preset: 'pi',
      surprises: { 'cache-lost': 2, 'after-compaction': 1 },
      costs: {
        predictedNanoUsd: 18,
        recordedNanoUsd: 99,
        lostPredictedNanoUsd: 10,
        lostRecordedNanoUsd: 90,
      },
    });
  });

  it.each<[string, typeof session]>([
    ['no usage is recorded', withUsage(withUsage(session, 'm1', undefined), 'm3', undefined)],
    ['only one step has recorded usage', withUsage(session, 'm3', undefined)],
  ])('says that %s', (reason, without) => {
    expect(recordFidelity(without, [])).toMatchObject({ steps: 0, reason });
  });
});
