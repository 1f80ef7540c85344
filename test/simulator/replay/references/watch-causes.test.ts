import { describe, expect, it } from 'vitest';
import {
  type Message,
  policies,
  type Policy,
  resolvePolicy,
} from '../../../../src/engine/index.ts';
import type { Fault } from '../../../../src/simulator/scenario/scenario.ts';
import { user } from '../../../support/history.ts';
import { answer, eventsOf, failing, modelOf, roomy, run } from '../lab.ts';
import { read, say } from './sessions.ts';

const clearing = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const rolling = resolvePolicy(policies['rolling-window'], { windowMessages: 3 });
const memory = resolvePolicy(policies['external-memory'], {
  memory: { keepMessages: 1, recallTokens: 1 },
});
const pivoting: readonly Fault[] = [{ on: 'compact', step: 4 }];

const begun: readonly Message[] = [
  user('u1', 'You must never touch legacy/core.ts.'),
  read('s1', 'src/parse.ts', 'parseQuery stands here'),
  say('s2', 'Done.'),
  user('u2', 'Go on.'),
  answer('s3', 9_000),
];

describe('what a missed part left the view by', () => {
  const messages = [...begun, user('u3', 'On.'), say('s4', 'parseQuery')];

  it.each<[name: string, policy: Policy, faults: readonly Fault[], by: string, all?: string]>([
    ['a prune that cleared it', clearing, [], 'prune'],
    ['a pivot', policies['opencode-1.2.16'], pivoting, 'pivot'],
    ['a pivot after a prune', clearing, pivoting, 'pivot', 'prune pivot'],
    ['a summary that failed', policies['opencode-0.8'], pivoting, 'failed-summary'],
    ['a window', rolling, [], 'window'],
    ['a move to a memory', memory, [], 'memory'],
  ])('is %s', (_, policy, faults, by, all = by) => {
    const model = policy === memory ? modelOf() : roomy;
    const summarizer = failing(policy.name === 'opencode-0.8' ? 9 : 0);
    const { events } = run(messages, { policy, faults, model, summarizer });
    expect(eventsOf(events, 'reference')).toMatchObject([{ partId: 's1-read', missedBy: by }]);
    const causes = new Set(eventsOf(events, 'eviction').map((event) => event.by));
    expect([...causes].join(' ')).toBe(all);
    const times = eventsOf(events, 'standing').map(({ at }) => at);
    const pivots = eventsOf(events, 'pivot').map(() => 'pivot');
    const moves = eventsOf(events, 'moved-out').map(() => 'moved-out');
    expect(times).toEqual([...pivots, ...moves, 'run-end']);
  });
});

describe('an eviction', () => {
  it('is told of no part where a memory recalls something else', () => {
    const more = [
      user('u3', 'Again src/parse.ts.'),
      say('s4', 'ok'),
      user('u4', 'legacy/core.ts.'),
    ];
    const policy = resolvePolicy(policies['external-memory'], { memory: { keepMessages: 1 } });
    const { events } = run([...begun, ...more, say('s5', 'ok')], { policy });
    expect(eventsOf(events, 'eviction').map(({ parts }) => parts)).toEqual([4, 2]);
  });
});
