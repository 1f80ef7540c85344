import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../src/engine/index.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import { file, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';
import {
  call,
  chat,
  eventsOf,
  failing,
  modelOf,
  PRICES,
  roomy,
  run,
  traceOf,
  wordsOf,
} from './lab.ts';

const names = Object.keys(policies) as readonly PolicyName[];
const session = [
  ...chat(6, 1_000),
  user('u7', wordsOf(500), file('f1', 'image/png')),
  ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((id) => call(id, 1_500, { parentId: 'u7' })),
  ...chat(3, 700).map((message) => ({ ...message, id: `later-${message.id}` })),
];
type Draft = typeof drafts extends fc.Arbitrary<infer Value> ? Value : never;
const fields = {
  name: fc.constantFrom(...names),
  tokens: fc.constantFrom(6_000, 8_000, 12_000),
  mode: fc.constantFrom('open-loop', 'closed-loop'),
  provider: fc.constantFrom<ProviderOverrides>(
    { cache: 'anthropic-5m' },
    { cache: 'anthropic-5m', cacheTtlMs: 90_000 },
    { cache: 'openai' },
    { cache: 'anthropic-5m', dialect: 'anthropic' },
    { cache: 'anthropic-5m', dialect: 'turn-cumulative' },
    { cache: 'anthropic-5m', dialect: 'spikes' },
  ),
  outputPicoUsd: fc.constantFrom(2_000, 5_000),
  faults: fc.constantFrom<readonly Fault[]>([], [{ on: 'usage', step: 2, factor: 0.5 }]),
  failures: fc.constantFrom(0, 0, 1),
  hasSummaryModel: fc.boolean(),
};
const drafts = fc.record(fields);
/** Runs like the first one but for a field or two, so that they go a part of its way. */
const runs = fc
  .tuple(
    drafts,
    fc.array(
      fc.tuple(drafts, fc.subarray(Object.keys(fields) as (keyof Draft)[], { maxLength: 2 })),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([first, others]) => [
    first,
    ...others.map(([other, changed]) => ({
      ...first,
      ...Object.fromEntries(changed.map((field) => [field, other[field]])),
    })),
  ]);

/** Options of a run; a summarizer that is told to wait is sent the same question once more. */
const optionsOf = (draft: Draft) => {
  const { name, tokens, mode, provider, outputPicoUsd, faults, failures, hasSummaryModel } = draft;
  const prices = { ...PRICES, outputPicoUsd };
  const model = modelOf({ ...provider, trueContextTokens: tokens }, { prices });
  return {
    policy: policies[name],
    mode,
    model,
    faults,
    summarizer: failing(failures, { failure: { type: 'rate-limit', retryAfterMs: 2_000 } }),
    ...(hasSummaryModel && { summaryModel: { ...model, limits: roomy.limits } }),
  } as const;
};

it('gives every run what it would have alone, whatever was run on its trace before', () => {
  const met = { pivots: 0, alikeSteps: 0, turnedOff: 0 };
  assertReaching(
    fc.property(runs, (list) => {
      const shared = traceOf(session);
      const known = new Set<string>();
      for (const draft of list) {
        const { events } = run(shared, optionsOf(draft));
        const alone = run(session, optionsOf(draft)).events;
        expect(JSON.stringify(events)).toBe(JSON.stringify(alone));
        const steps = eventsOf(events, 'step-end').map((step) => JSON.stringify(step));
        const isAlike = steps.map((step) => known.has(step));
        for (const step of steps) known.add(step);
        met.pivots += eventsOf(events, 'pivot').length;
        met.alikeSteps += isAlike.filter(Boolean).length;
        met.turnedOff += Number(isAlike[0] === true && isAlike.includes(false));
      }
    }),
    { numRuns: 60 },
  );
  expect(met.pivots).toBeGreaterThan(50);
  expect(met.alikeSteps).toBeGreaterThan(200);
  expect(met.turnedOff).toBeGreaterThan(5);
});
