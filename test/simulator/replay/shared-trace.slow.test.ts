import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultCleanups,
  markerOf,
  type Message,
  type Move,
  policies,
  type PolicyName,
  resolvePolicy,
  viewOf,
} from '../../../src/engine/index.ts';
import { commonPrefix } from '../../../src/simulator/provider/prompt.ts';
import { savedBy } from '../../../src/simulator/replay/apply-input.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { createLedger } from '../../../src/simulator/replay/ledger.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import { busyHistories } from '../../support/busy-histories.ts';
import { file, step, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';
import {
  call,
  chat,
  eventsOf,
  failing,
  fixed,
  modelOf,
  PRICES,
  roomy,
  run,
  traceOf,
  wordsOf,
} from './lab.ts';
import { called } from './references/sessions.ts';

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

/** All clean-ups, of whatever age and tool, and a pass of its own behind them. */
const tidy = resolvePolicy(policies.dcp, {
  prune: {
    enabled: true,
    byAge: { protectTokens: 20, minimumTokens: 12, guardTurns: 1, protectedTools: ['read'] },
    cleanups: Object.values(defaultCleanups).map(({ olderThan, ...rules }) => ({
      ...rules,
      protectedTools: [],
      ...(olderThan && { olderThan: { ...olderThan, count: 1 } }),
    })),
  },
});
const model = modelOf({ cache: 'anthropic-5m' }, { limits: { contextTokens: 1_000_000 } });
const sessions = busyHistories.map((messages) => [
  user('first', 'Begin.'),
  ...messages.filter(
    (message) => markerOf(message) === undefined && !('summary' in message && message.summary),
  ),
]);

const isPruned = ({ next }: Move) => next.events.some(({ type }) => type === 'pruned');

function movesOf(messages: readonly Message[], policy = tidy) {
  const trace = traceOf(messages);
  const moves: Move[] = [];
  const onTransition = (move: Move) => moves.push(move);
  const events = [...runTrace(trace, { policy, model, summarizer: fixed, seed: 1, onTransition })];
  return { trace, events, moves };
}

describe('clean-ups in a run', () => {
  it('save what the views differ in, once for each move, and break no law', () => {
    let fired = 0;
    assertReaching(
      fc.property(sessions, (messages) => {
        const { trace, events, moves } = movesOf(messages);
        const ledger = createLedger({
          ...trace,
          render: tidy.render,
        });
        const prunes = eventsOf(events, 'prune-end').filter(({ state }) => state === 'fired');
        let prunedTokens = 0;
        for (const { before, input, next } of moves.filter(isPruned)) {
          const now = viewOf(next.state);
          const added = 'message' in input && input.message !== undefined ? [input.message] : [];
          const old = added.length === 0 ? viewOf(before) : [...viewOf(before), ...added];
          const [whole, left] = [ledger.prompt(old).whole, ledger.prompt(now).whole];
          const saved = savedBy({ before, input, next }, ledger);
          expect(saved).toEqual({
            prunedTokens: whole.tokens - left.tokens,
            survivingTokens: left.tokens - commonPrefix(whole, left).tokens,
          });
          prunedTokens += saved.prunedTokens;
        }
        expect(prunes.reduce((total, prune) => total + prune.prunedTokens, 0)).toBe(prunedTokens);
        expect(eventsOf(events, 'law-violated')).toEqual([]);
        fired += prunes.length;
      }),
    );
    expect(fired).toBeGreaterThan(100);
  });

  it('tell once what they saved together with a pass that made room in the same move', () => {
    const output = 'x'.repeat(80_000);
    const { events, moves } = movesOf(
      [
        user('u1'),
        step('s1', [called('s1', 'bash', { command: 'pwd' }, output)], { finish: 'tool-calls' }),
        ...['s2', 's3'].map((id) =>
          step(id, [called(id, 'bash', { command: 'ls' }, output)], { finish: 'tool-calls' }),
        ),
        step('s4', [], { finish: 'tool-calls' }),
        step('s5'),
      ],
      resolvePolicy(policies['document-001'], {
        trigger: { windowShare: 0.02 },
        cut: { keep: 'everything' },
        prune: {
          byAge: { protectTokens: 50_000, guardTurns: 0 },
          cleanups: [defaultCleanups.duplicates],
        },
      }),
    );
    const told = moves.flatMap(({ next }) => {
      const pruned = next.events.filter(({ type }) => type === 'pruned');
      return pruned.length === 0 ? [] : [pruned.length];
    });
    expect(told).toContain(2);
    const saved = eventsOf(events, 'prune-end').map(({ prunedTokens }) => prunedTokens > 0);
    expect(saved.filter(Boolean)).toHaveLength(1);
  });

  it('come to the same in each run of a trace, whatever was run before', () => {
    fc.assert(
      fc.property(sessions, (messages) => {
        const trace = traceOf(messages);
        const options = { model, summarizer: fixed, seed: 1 };
        const alone = [...runTrace(traceOf(messages), { ...options, policy: tidy })];
        expect([...runTrace(trace, { ...options, policy: policies.dcp })]).not.toEqual([]);
        expect([...runTrace(trace, { ...options, policy: tidy })]).toEqual(alone);
      }),
    );
  });

  it('break the cached prefix at the call whose input they took out', () => {
    const content = 'word '.repeat(4_000);
    const { events } = movesOf(
      [
        user('u1'),
        step('s1', [called('s1', 'write', { filePath: 'a.ts', content }, 'ok')], {
          finish: 'tool-calls',
        }),
        step('s2', [called('s2', 'bash', { command: 'ls' }, 'x'.repeat(8_000))], {
          finish: 'tool-calls',
        }),
        step('s3', [called('s3', 'read', { filePath: 'a.ts' }, content)], { finish: 'tool-calls' }),
        step('s4'),
      ],
      policies.dcp,
    );
    const [, , before, after] = eventsOf(events, 'step-end');
    const [pruned] = eventsOf(events, 'prune-end');
    expect(pruned?.prunedTokens).toBeGreaterThan(3_000);
    expect(after?.cacheReadTokens).toBeLessThan(before?.cacheReadTokens ?? 0);
    expect(pruned?.survivingTokens).toBeGreaterThan(after?.cacheReadTokens ?? 0);
  });
});
