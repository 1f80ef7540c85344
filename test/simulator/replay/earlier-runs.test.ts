import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy, type UsageRuleName } from '../../../src/engine/index.ts';
import type { RunOptions } from '../../../src/simulator/replay/run-trace.ts';
import { text, user } from '../../support/history.ts';
import { eventsOf, modelOf, PRICES, run, traceOf, wordsOf } from './lab.ts';
import { read, say } from './references/sessions.ts';

const model = modelOf({}, { limits: { contextTokens: 1_000_000 } });
const { limits } = model;
/** Clears every output at the end of each turn. */
const policy = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const readingAs = (usage: UsageRuleName) => resolvePolicy(policy, { reading: { usage } });
const lastOf = (windowMessages: number) =>
  resolvePolicy(policies['rolling-window'], { windowMessages });
/** Nothing of its first message is sent; its last step needs what the first one read. */
const session = [
  user('u0', { ...text('u0-0', 'Not sent.'), ignored: true }),
  user('u1'),
  read('s1', 'f1', `is_about ${wordsOf(100)}`),
  say('s2', 'ok'),
  user('u2'),
  say('s3', 'is_about'),
];
const stepsOf = (trace: Parameters<typeof run>[0], options: Partial<RunOptions>) =>
  eventsOf(run(trace, { policy, model, ...options }).events, 'step-end');

describe('what a step came to', () => {
  it.each<[string, Partial<RunOptions>, Partial<RunOptions>]>([
    ['in a closed loop', {}, { mode: 'closed-loop' }],
    ['in an open loop', { mode: 'closed-loop' }, {}],
    ['where it is shown less', { policy: lastOf(5) }, { policy: lastOf(4) }],
    ['where it costs more', {}, { model: modelOf({}, { limits, prices: dear() }) }],
    ['where no tokens are told', {}, { model: modelOf({ dialect: 'none' }, { limits }) }],
    ['where they are read otherwise', {}, { policy: readingAs('v1.0.61') }],
    ['where half of it is told', {}, { faults: [{ on: 'usage', step: 2, factor: 0.5 }] }],
    ['where all of it is told', { faults: [{ on: 'usage', step: 2, factor: 0.5 }] }, {}],
  ])('is told as if nobody had come to it before, %s', (_, before, options) => {
    const shared = traceOf(session);
    stepsOf(shared, before);
    const later = stepsOf(shared, options);
    expect(later).toEqual(stepsOf(traceOf(session), options));
  });

  it.each(['turn-cumulative', 'spikes'])(
    'is told by all that was told before, where reports are %s',
    (dialect) => {
      const long = [
        user('u1'),
        ...Array.from({ length: 24 }, (_, index) => say(`s${index}`, 'ok')),
      ];
      const shared = traceOf(long);
      const ofDialect = modelOf({ dialect }, { limits });
      // The second run goes another way from its sixth step on.
      for (const window of [100, 5]) {
        const options = { model: ofDialect, policy: lastOf(window) };
        expect(stepsOf(shared, options)).toEqual(stepsOf(traceOf(long), options));
      }
    },
  );
});

function dear() {
  return { ...PRICES, outputPicoUsd: PRICES.outputPicoUsd + 1_000 };
}
