import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../src/engine/index.ts';
import { foldRun, prepareBounds } from '../../../src/simulator/metrics/fold.ts';
import { recordRun } from '../../../src/simulator/metrics/record.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { user } from '../../support/history.ts';
import { fixed, modelOf, traceOf, wordsOf } from '../replay/lab.ts';
import { edit, read, say } from '../replay/references/sessions.ts';

const LINE = 'This line is about the shop.';
const messages = [
  user('u1'),
  read('s1', 'f1', `${LINE}\n${wordsOf(300)}`),
  say('s2', 'ok'),
  user('u2'),
  edit('s3', 'f1', LINE),
  say('s4', 'ok'),
];
const policy = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const model = modelOf({}, { limits: { contextTokens: 1_000_000 } });
const options = { policy, model, summarizer: fixed, seed: 1 };
const costOf = (mode: 'open-loop' | 'closed-loop') => {
  const { costs } = foldRun(runTrace(traceOf(messages), { ...options, mode }));
  return costs!.stepsNanoUsd + costs!.summariesNanoUsd;
};

/** The regret of a run in one of the loops, in nano-dollars. */
function regretIn(mode: 'open-loop' | 'closed-loop', session = messages): number | null {
  const trace = traceOf(session);
  const own = { ...options, mode };
  const key = { session: 'lab', policy: 'p', model: 'm', summarizer: 's', seed: 1 };
  const events = [...runTrace(trace, own)];
  const { metrics } = recordRun({ ...key, ...(mode === 'closed-loop' && { mode }) }, events, {
    runBounds: prepareBounds(trace, own),
  });
  return metrics.regretUsd === null ? null : Math.round(metrics.regretUsd * 1e9);
}

describe('the price of losing', () => {
  it('is what the closed loop costs more than the open one, whichever of them is run', () => {
    const difference = costOf('closed-loop') - costOf('open-loop');
    expect(difference).toBeGreaterThan(0);
    expect([regretIn('open-loop'), regretIn('closed-loop')]).toEqual([difference, difference]);
  });

  it('is nothing where the session reads again by itself what it lost', () => {
    const lines = [1, 2, 3].map((nth) => `Line ${nth} of the file about the shop.`).join('\n');
    const session = [
      user('u1'),
      read('s1', 'f1', lines),
      user('u2'),
      read('s2', 'f1', lines),
      say('s3', 'ok'),
    ];
    const { regret } = foldRun(runTrace(traceOf(session), options));
    expect([regret.misses, regret.habitNeeds]).toEqual([0, 1]);
    expect(regretIn('open-loop', session)).toBe(0);
  });

  it('is unknown where nobody can run the other loop', () => {
    const trace = traceOf(messages);
    const events = [...runTrace(trace, options)];
    const key = { session: 'lab', policy: 'p', model: 'm', summarizer: 's', seed: 1 };
    expect(recordRun(key, events).metrics.regretUsd).toBeNull();
  });
});
