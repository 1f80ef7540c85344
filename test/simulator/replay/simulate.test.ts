import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies, type PolicyName, resolvePolicy } from '../../../src/engine/index.ts';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import type { ModelProfile } from '../../../src/simulator/provider/model-profile.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import { file, user } from '../../support/history.ts';
import {
  answer,
  ask,
  call,
  chat,
  modelOf,
  OVERHEAD_TOKENS,
  roomy,
  run,
  summarizerOf,
  traceOf,
  wordsOf,
} from './lab.ts';

const names = Object.keys(policies) as readonly PolicyName[];

describe('simulate', () => {
  const faults: readonly Fault[] = [
    { on: 'step', step: 2, times: 2, failure: { type: 'rate-limit' } },
    { on: 'summary', call: 1, times: 1, failure: { type: 'fail' } },
    { on: 'compact', step: 9 },
    { on: 'model', step: 12, model: 'lab/other' },
  ];
  const session = [
    ...chat(6, 1_000),
    user('u7', wordsOf(500), file('f1', 'image/png')),
    ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((id) => call(id, 1_500, { parentId: 'u7' })),
    ask('u8', 10),
    answer('s8', 100, { parentId: 'u8' }),
  ];

  it('yields the same bytes for the same run', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.boolean(), (name, isBad) => {
        const events = () =>
          JSON.stringify(
            run(session, {
              policy: policies[name],
              summaryModel: roomy,
              findModel: () => modelOf({ cache: 'openai' }, { id: 'lab/other' }),
              model: modelOf({ cache: 'anthropic-5m', trueContextTokens: 8_000 }),
              ...(isBad && { faults }),
            }).events,
          );
        expect(events()).toBe(events());
      }),
      { numRuns: 30 },
    );
  });

  it.each(names)('replays every recorded step once and in order, if it ends well: %s', (name) => {
    const { steps, lines } = run(session, {
      // In so small a window a breaker would end the run.
      policy: resolvePolicy(policies[name], { guards: { maxRefilled: 0 } }),
      summaryModel: roomy,
      model: modelOf({ trueContextTokens: 100_000 }),
    });
    expect(lines.at(-1)).toBe('completed');
    expect(steps.map(({ step, messageId }) => `${step} ${messageId}`)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((step) => `${step} s${step}`),
      ...[1, 2, 3, 4, 5, 6].map((step) => `${step + 6} c${step}`),
      '13 s8',
    ]);
    expect(steps.filter(({ opensTurn }) => opensTurn).map(({ step }) => step)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 13,
    ]);
  });

  it('tells at its start what it is, and at its end what a next request would hold', () => {
    const { events } = run(chat(1, 100), { model: modelOf({ cache: 'anthropic-5m' }) });
    expect(events[0]).toMatchObject({
      type: 'run-start',
      session: 'lab',
      policy: 'opencode-1.2.16',
      model: 'lab/model',
      summarizer: 'lab',
      seed: 1,
      usableTokens: 9_000,
      prices: { cacheReadPicoUsd: 3_000 },
      recordedCompactions: 0,
      recordedMicrocompactions: 0,
    });
    expect(events.at(-1)).toEqual({
      type: 'run-end',
      state: 'completed',
      finalContextTokens: OVERHEAD_TOKENS + 10 + 100,
    });
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'turn-start',
      'step-end',
      'prune-end',
      'turn-end',
      'standing',
      'run-end',
    ]);
  });

  it('counts recorded compactions by kind', () => {
    const trace = traceOf(chat(1, 100), {
      recordedCompactions: [
        { kind: 'full', messageIndex: 1 },
        { kind: 'micro', messageIndex: 1 },
        { kind: 'micro', messageIndex: 2 },
      ],
    });
    expect(run(trace).events[0]).toMatchObject({
      recordedCompactions: 1,
      recordedMicrocompactions: 2,
    });
  });

  it('tells nothing of limits to the control, and of prices only where they are known', () => {
    const [start] = run(chat(1, 100), { policy: policies.none }).events;
    expect(start).toMatchObject({ limits: { contextTokens: 0 } });
    expect(start).toHaveProperty('usableTokens', undefined);
    const { prices: _, ...unpriced } = modelOf();
    const { events, steps } = run(chat(1, 100), { model: unpriced });
    expect(events[0]).toHaveProperty('prices', undefined);
    expect(steps[0]?.costNanoUsd).toBeUndefined();
    expect(JSON.stringify(steps[0])).not.toContain('costNanoUsd');
  });

  it('ends a run whose policy broke a law that it does not list', () => {
    const policy = { ...policies['opencode-1.2.16'], breaks: [] };
    const { lines } = run(chat(7, 2_000), { policy, summaryModel: roomy });
    expect(lines.filter((line) => line.startsWith('broke'))).not.toEqual([]);
    expect(lines.at(-1)).toMatch(/^failed: laws broken: [a-z-]+ \(\d+\)/);
  });

  it('asks a summarizer once for each request', () => {
    let calls = 0;
    const counting = summarizerOf(() => {
      calls += 1;
      return { state: 'finished', text: 'All.', finish: 'stop' };
    });
    const { lines } = run(chat(5, 2_000), { summarizer: counting, summaryModel: roomy });
    expect(lines.filter((line) => line === 'summary answered')).toHaveLength(calls);
    expect(calls).toBe(1);
  });
});

const SMALL = { contextTokens: 4_000, outputTokens: 1_000 };
const other = (overrides: ProviderOverrides = {}, over: Partial<ModelProfile> = {}) =>
  modelOf(overrides, { id: 'lab/other', limits: SMALL, ...over });
const switchTo = (step: number, model = 'lab/other'): Fault => ({ on: 'model', step, model });
const from = (step: number, model = other()) => ({
  faults: [switchTo(step)],
  findModel: () => model,
});

describe('a switch of model', () => {
  it('may be recorded, at a step by its id', () => {
    const messages = chat(5, 1_000);
    const modelChanges = [{ messageId: 's3', model: other() }];
    const { events } = run(messages, { modelChanges, summaryModel: roomy });
    expect(events).toEqual(run(messages, { ...from(3), summaryModel: roomy }).events);
  });

  it('asks for the catalog where there is none', () => {
    const message = "Expected the catalog at a switch to model 'lab/other', got none.";
    expect(() => run(chat(2, 100), { faults: [switchTo(2)] })).toThrow(
      new HarnessError('UNKNOWN_NAME', message),
    );
  });
});
