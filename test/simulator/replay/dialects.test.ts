import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, policies, type PolicyName } from '../../../src/engine/index.ts';
import { type CacheName, cacheRules } from '../../../src/simulator/provider/behaviours.ts';
import { type DialectName, dialects } from '../../../src/simulator/provider/usage.ts';
import { toolHistories } from '../../support/arbitraries.ts';
import { step, text } from '../../support/history.ts';
import { answer, ask, call, eventsOf, modelOf, roomy, run, traceOf, wordsOf } from './lab.ts';

const NAMES = Object.keys(dialects) as readonly DialectName[];
const CACHES = Object.keys(cacheRules) as readonly CacheName[];
const none = policies.none;

type Step = ReturnType<typeof run>['steps'][number];
const truthOf = ({ reported: _reported, ...truth }: Step) => truth;

/** What lasts of the steps of a run: what was sent, written and paid, and what was told of it. */
function tell(messages: readonly Message[], dialect: DialectName, cache: CacheName) {
  const { steps } = run(messages, { policy: none, model: modelOf({ dialect, cache }) });
  return {
    truth: steps.map(truthOf),
    reported: steps.map(({ reported }) => reported),
  };
}

/** Three turns with calls, thoughts and a cache that is read; times lie a minute apart. */
const session: readonly Message[] = [
  ask('u1', 3_000),
  call('s1', 2_000, { createdAt: 60_000 }),
  step('s2', [{ type: 'reasoning', id: 's2-0', text: wordsOf(50) }, text('s2-1', wordsOf(70))]),
  ask('u2', 10, 120_000),
  answer('s3', 20, { createdAt: 180_000 }),
];

describe('the usage dialect', () => {
  it('changes nothing of what was sent, written and paid', () => {
    fc.assert(
      fc.property(
        toolHistories.map((messages) => [ask('opening', 10), ...messages]),
        fc.constantFrom(...NAMES),
        fc.constantFrom(...NAMES),
        fc.constantFrom(...CACHES),
        (messages, some, other, cache) => {
          const { truth } = tell(messages, some, cache);
          fc.pre(truth.length > 0);
          expect(tell(messages, other, cache).truth).toEqual(truth);
        },
      ),
    );
  });

  it('changes what a policy is told, but where two dialects say the same in other words', () => {
    const told = NAMES.map((name) => JSON.stringify(tell(session, name, 'anthropic-5m').reported));
    const groups = [...new Set(told)].map((report) =>
      NAMES.filter((_, index) => told[index] === report).join(', '),
    );
    expect(groups).toMatchInlineSnapshot(`
      [
        "none",
        "zero",
        "anthropic, bedrock, spikes",
        "openai, openai-compatible",
        "google",
        "openai-compatible-cache-outside",
        "ollama",
        "turn-cumulative",
        "total-counts-cache-twice",
      ]
    `);
  });

  it('tells of a step what was sent and written, split by the cache', () => {
    const { reported, truth } = tell(session, 'anthropic', 'anthropic-5m');
    expect(truth.map(({ contextTokens, outputTokens }) => [contextTokens, outputTokens])).toEqual([
      [3_500, 5],
      [5_505, 120],
      [5_635, 20],
    ]);
    expect(
      reported.map((usage) => usage && [usage.input, usage.cacheRead, usage.cacheWrite]),
    ).toEqual([
      [0, 0, 3_500],
      [0, 3_500, 2_005],
      [0, 5_505, 130],
    ]);
  });

  it('may add up over a turn, and starts again with the next', () => {
    const { reported } = tell(session, 'turn-cumulative', 'anthropic-5m');
    expect(reported.map((usage) => usage?.cacheWrite)).toEqual([3_500, 5_505, 130]);
    expect(reported.map((usage) => usage?.output)).toEqual([5, 125, 20]);
  });
});

describe('the cache', () => {
  it('divides the whole context of each step, and nothing else', () => {
    fc.assert(
      fc.property(toolHistories, fc.constantFrom(...CACHES), (messages, cache) => {
        const { steps } = run(traceOf([ask('u0', 1), ...messages]), {
          policy: none,
          model: modelOf({ cache, dialect: 'anthropic' }),
        });
        fc.pre(steps.length > 0);
        for (const { contextTokens, cacheReadTokens, cacheWriteTokens, freshTokens } of steps)
          expect(cacheReadTokens + cacheWriteTokens + freshTokens).toBe(contextTokens);
      }),
    );
  });

  it('runs out while nobody asks', () => {
    const later = [...session, ask('u3', 10, 600_000), answer('s4', 10, { createdAt: 600_001 })];
    const { steps } = run(later, { policy: none, model: modelOf({ cache: 'anthropic-5m' }) });
    expect(steps.map(({ isCold }) => isCold)).toEqual([false, false, false, true]);
    expect(steps.at(-1)?.cacheReadTokens).toBe(0);
  });
});

const MINUTE_MS = 60_000;
/** Seven outputs, and a prompt so long after the last step. */
const sessionOfPause = (pauseMs: number): readonly Message[] => [
  ask('u1', 10),
  ...Array.from({ length: 7 }, (_, index) => call(`s${index + 1}`, 100)),
  answer('s8', 10, { createdAt: MINUTE_MS }),
  ask('u2', 10, MINUTE_MS + pauseMs),
  answer('s9', 10, { parentId: 'u2', createdAt: MINUTE_MS + pauseMs + 1_000 }),
];
const prunes = (name: PolicyName, pauseMs: number) =>
  eventsOf(
    run(sessionOfPause(pauseMs), { policy: policies[name], model: roomy }).events,
    'prune-end',
  ).map(({ state, partIds }) => `${state} ${partIds.length}`);

describe('a pause between two turns', () => {
  it('is as long as from the last step to the next prompt', () => {
    expect(prunes('qwen-code', 60 * MINUTE_MS - 1)).toEqual([]);
    expect(prunes('qwen-code', 60 * MINUTE_MS)).toEqual(['fired 2']);
  });

  it('makes the next request smaller, and no one before it', () => {
    const { steps } = run(sessionOfPause(60 * MINUTE_MS), {
      policy: policies['qwen-code'],
      model: roomy,
    });
    const unpruned = run(sessionOfPause(0), {
      policy: policies['qwen-code'],
      model: roomy,
    }).steps;
    const saved = unpruned.map(
      ({ contextTokens }, index) => contextTokens - (steps[index]?.contextTokens ?? 0),
    );
    expect(saved.slice(0, -1).every((tokens) => tokens === 0)).toBe(true);
    expect(saved.at(-1)).toBeGreaterThan(150);
  });

  it('is none before the first turn, however long ago the clock began', () => {
    const late = sessionOfPause(0).map((message) => ({ ...message, createdAt: 1e12 }));
    const { events } = run(late, { policy: policies['qwen-code'], model: roomy });
    expect(eventsOf(events, 'prune-end')).toEqual([]);
  });

  it('means nothing to policies that do not wait for one', () => {
    expect(prunes('none', 600 * MINUTE_MS)).toEqual([]);
    expect(prunes('codex-local', 600 * MINUTE_MS)).toEqual([]);
  });
});
