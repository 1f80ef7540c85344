import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSummary, policies, type PolicyName, resolvePolicy } from '../../../src/engine/index.ts';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import type { ModelProfile } from '../../../src/simulator/provider/model-profile.ts';
import type { DialectName } from '../../../src/simulator/provider/usage.ts';
import type { RunOptions } from '../../../src/simulator/replay/run-trace.ts';
import { billedPrices } from '../../../src/simulator/replay/service.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import { file, user } from '../../support/history.ts';
import {
  answer,
  ask,
  call,
  chat,
  eventsOf,
  failing,
  fixed,
  LIMITS,
  modelOf,
  OVERHEAD_TOKENS,
  PRICES,
  roomy,
  run,
  summarizerOf,
  traceOf,
  wordsOf,
  work,
} from './lab.ts';

/** A model for summaries that cuts requests of more than 5,000 tokens without a word. */
const cutting = (dialect: DialectName = 'ollama') =>
  modelOf({ refusal: 'ollama-silent', dialect, trueContextTokens: 5_000 }, { id: 'lab/cutting' });
/** What was kept of each summary request. */
const keptIn = (options: Partial<RunOptions>) =>
  eventsOf(run(chat(5, 2_000), options).events, 'summary-end').map(({ keptTokens }) => keptTokens);
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

  it('ends a run that compacts again and again without a step', () => {
    // Each prompt works the marker off again that a failed summary left behind.
    const prompts = Array.from({ length: 9 }, (_, index) => ask(`p${index}`, 1));
    const { lines } = run([...chat(5, 2_000), ...prompts], {
      summarizer: failing(99),
      summaryModel: roomy,
    });
    expect(lines.filter((line) => line === 'summary failed: overloaded')).toHaveLength(5);
    expect(lines.at(-1)).toBe('loop: 5 compactions in a row without a step');
  });

  it('ends a run whose policy broke a law that it does not list', () => {
    const policy = { ...policies['opencode-1.2.16'], breaks: [] };
    const { lines } = run(chat(7, 2_000), { policy, summaryModel: roomy });
    expect(lines.filter((line) => line.startsWith('broke'))).not.toEqual([]);
    expect(lines.at(-1)).toMatch(/^failed: laws broken: [a-z-]+ \(\d+\)/);
  });

  it('ends a run when a breaker opens, with its reason', () => {
    const policy = resolvePolicy(policies['document-002'], { guards: { maxFailures: 2 } });
    const { lines } = run(work(9, 2_000), {
      policy,
      summarizer: failing(9),
      model: modelOf({ trueContextTokens: 100_000 }),
    });
    expect(lines.at(-1)).toBe('breaker: 2 failed compactions in a row');
  });

  it('ends a run whose system prompt and newest prompt fill the window, with their sizes', () => {
    const policy = resolvePolicy(policies['document-002'], { guards: { stopIrreducible: true } });
    const model = modelOf({ trueContextTokens: 100_000 });
    const { lines } = run([ask('u1', 9_000), call('s1', 200), answer('s2', 20)], { policy, model });
    expect(lines.at(-1)).toBe(
      'irreducible: system and tools 500 + newest request 9000 ≥ usable 9000 tokens',
    );
  });

  it('tells why a summary was not taken', () => {
    const policy = resolvePolicy(policies['opencode-1.2.16'], {
      guards: { rejectEmptySummary: true },
    });
    const summarizer = summarizerOf(() => ({ state: 'finished', text: ' ', finish: 'stop' }));
    const { lines } = run(chat(5, 2_000), { policy, summarizer, summaryModel: roomy });
    expect(lines).toContain('rejected: the summary is empty');
  });

  it('tells of an overflow by how much, and of a pivot what it replaced, without its marker', () => {
    const { events } = run(chat(5, 2_000), { summaryModel: roomy });
    expect(eventsOf(events, 'overflow')).toMatchObject([
      { countTokens: 10_550, usableTokens: 9_000 },
    ]);
    expect(eventsOf(events, 'pivot')).toMatchObject([{ contextBeforeTokens: 10_550 }]);
  });

  it.each<[string, boolean, string]>([
    ['an error', false, 'APIError'],
    ['an overflow', true, 'ContextOverflowError'],
  ])('gives the engine what a summarizer failed with: %s', (_, isOverflow, name) => {
    const { state, lines } = run(chat(5, 2_000), {
      summarizer: failing(9, { isOverflow }),
      summaryModel: roomy,
    });
    expect(lines).toContain('summary failed: overloaded');
    expect(state.history.at(-1)).toMatchObject({ summary: true, error: { name } });
  });

  it('bills a summary with the model that wrote it, and gives the policy its usage', () => {
    const { events, state } = run(chat(5, 2_000), { summaryModel: roomy });
    const [end] = eventsOf(events, 'summary-end');
    expect(end).toMatchObject({ state: 'answered', headMessages: 11, outputTokens: 5 });
    expect(end?.freshTokens).toBe(end?.inputTokens);
    expect(end?.costNanoUsd).toBe((end?.inputTokens ?? 0) + 2 * 5);
    const summary = state.history.find(isSummary);
    expect(summary).toMatchObject({ usage: { input: end?.inputTokens, output: 5 } });
  });

  it.each<[DialectName, 'kept' | 'sent', number]>([
    ['ollama', 'kept', 2_502],
    ['openai', 'sent', 10_512],
  ])('reports in %s of a summary request that was cut what was %s', (dialect, _, input) => {
    const { state } = run(chat(5, 2_000), { summaryModel: cutting(dialect) });
    const summary = state.history.find(isSummary);
    expect(summary).toMatchObject({ usage: { input } });
  });

  it('reports a summary as one of the turn in which it is asked for', () => {
    const model = modelOf({ dialect: 'turn-cumulative', trueContextTokens: 100_000 });
    const { events, steps, state } = run(chat(5, 2_000), { model });
    const [asked] = eventsOf(events, 'summary-end');
    const input = (steps.at(-1)?.contextTokens ?? 0) + (asked?.inputTokens ?? 0);
    expect(state.history.find(isSummary)).toMatchObject({ usage: { input, output: 2_005 } });
  });

  it('tells of a summary request that was cut how much was kept, if nobody measured what was read', () => {
    const usage = { input: 9, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    const measuring = summarizerOf((request, tools) => ({
      ...fixed.summarise(request, tools),
      call: { usage },
    }));
    expect(keptIn({ summaryModel: cutting() })).toEqual([2_502]);
    expect(keptIn({ summaryModel: cutting(), summarizer: measuring })).toEqual([undefined]);
    expect(keptIn({ summaryModel: roomy })).toEqual([undefined]);
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

describe('what a run tells of a prune', () => {
  /** Calls weigh 5 tokens, outputs 1,800, cleared ones 9; in document 001 they weigh 8. */
  const outputTokens = 1_800;
  const byAge = { protectTokens: 2_000, minimumTokens: 0, guardTurns: 0 };

  it.each<[string, PolicyName, steps: number, prunedTokens: number, survivingTokens: number]>([
    ['at the end of a turn', 'opencode-1.2.16', 5, 4 * 1_791, 9 + 3 * 14 + 1_805],
    [
      'at an overflow, with the step that led to it',
      'document-001',
      6,
      5 * 1_792,
      8 + 4 * 13 + 1_805,
    ],
    ['of every output', 'selective-pruning', 6, 6 * 1_791, 9 + 5 * 14],
  ])('%s', (_, name, steps, prunedTokens, survivingTokens) => {
    const policy = resolvePolicy(policies[name], { prune: { byAge } });
    const { events } = run(work(steps, outputTokens), { policy, summaryModel: roomy });
    const fired = eventsOf(events, 'prune-end').filter(({ state }) => state === 'fired');
    expect(fired).toMatchObject([{ prunedTokens, survivingTokens }]);
  });

  it('stands behind the overflow that led to it', () => {
    const policy = resolvePolicy(policies['selective-pruning'], { prune: { byAge } });
    const { events } = run(work(6, outputTokens), { policy });
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'overflow' || type === 'prune-end')).toEqual([
      'overflow',
      'prune-end',
    ]);
  });

  it('is nothing where too little was found', () => {
    const rules = { prune: { byAge: { ...byAge, minimumTokens: 90_000 } } };
    const policy = resolvePolicy(policies['opencode-1.2.16'], rules);
    expect(eventsOf(run(work(5, outputTokens), { policy }).events, 'prune-end')).toMatchObject([
      { state: 'below-minimum', prunedTokens: 0, survivingTokens: 0, estimatedTokens: 7_200 },
    ]);
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

  it('may be recorded, at a step by its id', () => {
    const messages = chat(5, 1_000);
    const modelChanges = [{ messageId: 's3', model: other() }];
    const { events } = run(messages, { modelChanges, summaryModel: roomy });
    expect(events).toEqual(run(messages, { ...from(3), summaryModel: roomy }).events);
  });

  it('may be recorded as another window of the model, whose cache stays', () => {
    const model = modelOf({ cache: 'anthropic-5m' });
    const modelChanges = [{ messageId: 's3', model: { ...model, limits: SMALL } }];
    const { events, steps } = run(chat(3, 1_100), { model, modelChanges, policy: policies.none });
    expect(eventsOf(events, 'model-changed')).toMatchObject([{ step: 3, model: 'lab/model' }]);
    expect(steps.map(({ cacheReadTokens }) => cacheReadTokens > 0)).toEqual([false, false, true]);
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
