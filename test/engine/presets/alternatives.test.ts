import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../src/engine/index.ts';
import { step, toolIn, usage } from '../../support/history.ts';
import { final, play, said, stepped } from '../../support/script.ts';

describe('the alternatives of document 004', () => {
  it.each(['position', 'time'] as const)(
    'rolling-window shows as many as the policy says, and believes no more, newest by %s',
    (newestBy) => {
      const policy = resolvePolicy(policies['rolling-window'], {
        windowMessages: 2,
        trigger: { newestBy, auto: true, beforeRequest: true },
      });
      expect(policy).toPlay([
        [said('u1'), 'request u1'],
        [stepped('s1', 1), 'request u1 s1'],
        [stepped('s2', 1), 'request s1 s2'],
        [stepped('s3', 1), 'request s2 s3'],
      ]);
    },
  );

  it('external-memory moves out only what it still shows, and finds what a step works on', () => {
    const call = toolIn('t1', { status: 'completed', input: { bird: 'kingfisher' }, output: '' });
    const called = step('s11', [call], { finish: 'tool-calls', usage: usage({ input: 136 }) });
    const script = [
      [said('u1', 'The password of the staging server is kingfisher')],
      [final('s0', 1)],
      [said('u2', 'Go on.')],
      ...Array.from({ length: 9 }, (_, index) => [stepped(`s${index + 1}`, 1)] as const),
      [stepped('s10', 136)],
      [{ type: 'step-finished', message: called }],
    ] as const;
    const { state, played } = play(policies['external-memory'], script);
    expect(played.slice(-2).map((entries) => entries[2])).toEqual([
      'moved-out u1 s0 u2',
      'moved-out s1',
    ]);
    expect(JSON.stringify(state.memory?.recalled?.parts)).toContain('server is kingfisher');
  });
});
