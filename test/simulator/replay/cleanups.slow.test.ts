import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultCleanups,
  markerOf,
  type Message,
  type Move,
  policies,
  resolvePolicy,
  viewOf,
} from '../../../src/engine/index.ts';
import { commonPrefix } from '../../../src/simulator/provider/cache/prefix.ts';
import { ledgerOf } from '../../../src/simulator/replay/trace-caches.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { savedBy } from '../../../src/simulator/replay/saved-by.ts';
import { busyHistories } from '../../support/busy-histories.ts';
import { step, user } from '../../support/history.ts';
import { eventsOf, fixed, modelOf, traceOf } from './lab.ts';
import { called } from './references/sessions.ts';
import { assertReaching } from '../../support/reaching.ts';

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
        const ledger = ledgerOf(trace, tidy.render);
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
