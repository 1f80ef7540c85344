import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import type { ModelProfile } from '../../../src/simulator/provider/model-profile.ts';
import { billedPrices } from '../../../src/simulator/replay/billed-prices.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import { answer, ask, chat, eventsOf, LIMITS, modelOf, PRICES, roomy, run, work } from './lab.ts';

const SMALL = { contextTokens: 4_000, outputTokens: 1_000 };
const other = (overrides: ProviderOverrides = {}, over: Partial<ModelProfile> = {}) =>
  modelOf(overrides, { id: 'lab/other', limits: SMALL, ...over });
const switchTo = (step: number, model = 'lab/other'): Fault => ({ on: 'model', step, model });
const from = (step: number, model = other()) => ({
  faults: [switchTo(step)],
  findModel: () => model,
});

describe('a switch of model', () => {
  it('comes before the request of its step, with the limits from there on', () => {
    const { events, lines } = run(chat(5, 1_000), { ...from(3), summaryModel: roomy });
    expect(eventsOf(events, 'model-changed')).toEqual([
      {
        type: 'model-changed',
        step: 3,
        model: 'lab/other',
        limits: SMALL,
        usableTokens: 3_000,
        prices: billedPrices(other()),
      },
    ]);
    expect(lines).toEqual([
      'step 1',
      'step 2',
      'model lab/other from 3, usable 3000',
      'step 3',
      'overflow after-step',
      'summary answered',
      'pivot auto',
      'step 4',
      'step 5',
      'completed',
    ]);
  });

  it('is known to the check before the first request of a turn', () => {
    const { lines } = run(chat(4, 1_000), {
      ...from(4),
      policy: policies['document-000'],
      summaryModel: roomy,
    });
    expect(lines.slice(3)).toEqual([
      'model lab/other from 4, usable 3000',
      'overflow before-request',
      'summary answered',
      'pivot auto',
      'step 4',
      'completed',
    ]);
  });

  it('may come in the middle of a turn', () => {
    const { lines } = run(work(3, 1_000), from(2));
    expect(lines.slice(0, 3)).toEqual(['step 1', 'model lab/other from 2, usable 3000', 'step 2']);
  });

  it('tells no usable tokens where there is no limit', () => {
    const { events } = run(chat(2, 100), from(2, other({}, { limits: { contextTokens: 0 } })));
    expect(eventsOf(events, 'model-changed')[0]).not.toHaveProperty('usableTokens');
  });

  it('goes to a provider with its own window, words, usage and demands', () => {
    const strange = other({ trueContextTokens: 3_000, refusal: 'anthropic', dialect: 'none' });
    const { events, steps } = run(chat(4, 1_000), { ...from(3, strange), summaryModel: roomy });
    expect(steps.map(({ reported }) => reported !== undefined)).toEqual([true, true, false, false]);
    expect(eventsOf(events, 'step-refused')).toMatchObject([{ step: 4, windowTokens: 3_000 }]);
    const alternating = other({ checks: ['roles-alternate'] }, { limits: LIMITS });
    const long = [...chat(5, 2_000), ask('u6', 10), answer('s6', 10)];
    expect(run(long, { ...from(2, alternating), summaryModel: roomy }).lines.at(-1)).toMatch(
      /^failed: malformed request: /,
    );
  });

  it('finds nothing in the cache of the other model, and on the way back its own', () => {
    const { steps } = run(chat(4, 2_000), {
      policy: policies.none,
      model: modelOf({ cache: 'anthropic-1h' }),
      faults: [switchTo(3), switchTo(4, 'lab/model')],
      findModel: () => other({ cache: 'anthropic-1h' }),
    });
    expect(steps.map(({ cacheReadTokens }) => cacheReadTokens)).toEqual([0, 0, 0, 2_520]);
    expect(steps.map(({ cacheWriteTokens }) => cacheWriteTokens)).toEqual([0, 2_520, 4_530, 4_020]);
  });

  it('is billed with the prices of the model that answered', () => {
    const dear = { ...PRICES, inputPicoUsd: 10_000 };
    const { steps } = run(chat(2, 100), from(2, other({}, { prices: dear })));
    expect(steps.map(({ costNanoUsd }) => costNanoUsd)).toEqual([510 + 200, 6_200 + 200]);
  });

  it('takes the summaries along', () => {
    const told = eventsOf(
      run(chat(5, 1_000), from(3, other({ trueContextTokens: 2_000 }))).events,
      'summary-end',
    );
    expect(told[0]?.reason).toMatch(/2000 tokens/);
  });

  it('leaves the summaries to the model that was named for them', () => {
    const { events } = run(chat(5, 1_000), {
      ...from(3, other({ trueContextTokens: 3_500 })),
      summaryModel: roomy,
    });
    expect(eventsOf(events, 'summary-end').map(({ state }) => state)).toEqual(['answered']);
  });

  it('lifts the limit for the control, whichever model it goes to', () => {
    const { lines } = run(chat(9, 2_000), {
      ...from(2, other({ maxRequestBytes: 10, checks: ['roles-alternate'] })),
      policy: policies.none,
    });
    expect(lines.slice(-2)).toEqual(['step 9', 'completed']);
  });

  it('asks for the catalog where there is none', () => {
    const message = "Expected the catalog at a switch to model 'lab/other', got none.";
    expect(() => run(chat(2, 100), { faults: [switchTo(2)] })).toThrow(
      new HarnessError('UNKNOWN_NAME', message),
    );
  });
});
