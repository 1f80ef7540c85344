import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Move, policies, resolvePolicy, viewOf } from '../../../src/engine/index.ts';
import { foldRun } from '../../../src/simulator/metrics/fold.ts';
import { commonPrefix } from '../../../src/simulator/provider/prompt.ts';
import { savedBy } from '../../../src/simulator/replay/apply-input.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { createLedger } from '../../../src/simulator/replay/ledger.ts';
import { createTokenizer } from '../../../src/simulator/tokens/tokenizer.ts';
import { step, toolIn } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';
import { ask, call, eventsOf, fixed, modelOf, traceOf, wordsOf } from './lab.ts';

const policy = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 300, minimumTokens: 0, guardTurns: 0 } },
});
const model = modelOf({}, { limits: { contextTokens: 1_000_000 } });
const isFired = ({ next }: Move): boolean =>
  next.events.some((event) => event.type === 'pruned' && event.plan.state === 'fire');

describe('savedBy', () => {
  it('counts what whole views differ in', () => {
    let fired = 0;
    assertReaching(
      fc.property(fc.array(fc.nat({ max: 400 }), { minLength: 4, maxLength: 16 }), (sizes) => {
        const trace = traceOf(
          sizes.map((size, at) => (at % 4 === 0 ? ask(`u${at}`, size) : call(`s${at}`, size))),
        );
        const moves: Move[] = [];
        const onTransition = (move: Move) => moves.push(move);
        const options = { policy, model, summarizer: fixed, seed: 1, onTransition };
        expect([...runTrace(trace, options)]).not.toEqual([]);
        const ledger = createLedger({
          ...trace,
          render: policy.render,
        });
        for (const move of moves.filter(isFired)) {
          const old = ledger.prompt(viewOf(move.before)).whole;
          const now = ledger.prompt(viewOf(move.next.state)).whole;
          expect(savedBy(move, ledger)).toEqual({
            prunedTokens: old.tokens - now.tokens,
            survivingTokens: now.tokens - commonPrefix(old, now).tokens,
          });
          fired += 1;
        }
      }),
      { numRuns: 50 },
    );
    expect(fired).toBeGreaterThan(20);
  });
});

describe.each(['last-n-observations', 'dcp'] as const)('a prune of %s', (name) => {
  const sessionOf = (outputTokens: number) => [
    ask('u1', 10),
    ...Array.from({ length: 13 }, (_, at) => {
      const state = { status: 'completed', input: {}, output: wordsOf(outputTokens) } as const;
      return step(`s${at}`, [toolIn(`s${at}-0`, state)], { finish: 'tool-calls', parentId: 'u1' });
    }),
  ];
  const totalsUnder = (outputTokens: number) => {
    const options = { policy: policies[name], model, summarizer: fixed, seed: 1 };
    return foldRun(runTrace(traceOf(sessionOf(outputTokens)), options));
  };

  it('that adds is told below 0 by both counters, and counted', () => {
    const { prunes, prunesThatAdded, prunedTokens, prunedTokensEstimated } = totalsUnder(1);
    expect(prunesThatAdded).toBe(prunes);
    expect(prunesThatAdded).toBeGreaterThan(0);
    expect(prunedTokens).toBeLessThan(0);
    expect(prunedTokensEstimated).toBeLessThan(0);
  });

  it('that removes is told above 0 by both', () => {
    const { prunesThatAdded, prunedTokens, prunedTokensEstimated } = totalsUnder(500);
    expect(prunesThatAdded).toBe(0);
    expect(prunedTokens).toBeGreaterThan(0);
    expect(prunedTokensEstimated).toBeGreaterThan(prunedTokens);
  });
});

describe('an estimator that is named', () => {
  it('decides and is told in the place of characters', () => {
    const estimated = (tokenizer: string | undefined) => {
      const named = resolvePolicy(policy, { estimator: { charsPerToken: 2, tokenizer } });
      const trace = traceOf([ask('u1', 10), ...['s1', 's2', 's3'].map((id) => call(id, 400))]);
      const options = { policy: named, model, summarizer: fixed, seed: 1 };
      return eventsOf([...runTrace(trace, options)], 'prune-end').map(
        ({ estimatedTokens }) => estimatedTokens,
      );
    };
    const { count } = createTokenizer('cl100k_base');
    expect(estimated(undefined)).toEqual([2_400]);
    expect(estimated('cl100k_base')).toEqual([3 * count(wordsOf(400))]);
  });
});
