import { describe, expect, it } from 'vitest';
import {
  addCosts,
  recordFidelity,
  recordUncompared,
} from '../../../src/simulator/metrics/session-fidelity.ts';
import { withUsage, worldOf } from '../replay/predict/world.ts';

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
    expect(recordFidelity(session, steps)).toEqual({
      session: 'world.jsonl',
      format: 'pi',
      model: 'anthropic/claude-sonnet-4-5',
      steps: 4,
      errors: {
        contextOneStep: [],
        contextFreeRunning: [],
        cacheShare: [],
        cost: [-0.25, -80 / 90, 0],
      },
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

  it('names no model where the session names none', () => {
    const { model: _model, ...unnamed } = session;
    expect(recordFidelity(unnamed, [])).not.toHaveProperty('model');
  });
});

describe('recordUncompared', () => {
  it('says why', () => {
    expect(recordUncompared(session, 'a copy of x')).toMatchObject({
      steps: 0,
      reason: 'a copy of x',
    });
  });
});

describe('addCosts', () => {
  it('is unknown of none', () => {
    expect(addCosts([])).toBeNull();
    expect(addCosts([recordUncompared(session, 'a copy of x').costs])).toBeNull();
  });
});
