import { describe, expect, it } from 'vitest';
import { type LoopInput, policies, render, resolvePolicy } from '../../../src/engine/index.ts';
import { namesOf } from '../../support/drive.ts';
import { step, tool, toolIn, usage } from '../../support/history.ts';
import { compact, final, play, said, type Script, stepped } from '../../support/script.ts';

describe('the alternatives of document 004', () => {
  it('rolling-window shows the newest fifty messages, and goes on when its own prompt is out of them', () => {
    const inputs = [
      said('u1'),
      ...Array.from({ length: 51 }, (_, index) => stepped(`s${index}`, 1)),
    ];
    const { played } = play(
      policies['rolling-window'],
      inputs.map((input) => [input]),
    );
    const shown = Array.from({ length: 50 }, (_, index) => `s${index + 1}`).join(' ');
    expect(played.at(-1)?.slice(1)).toEqual([`request ${shown}`]);
  });

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

  it.each(['rolling-window', 'selective-pruning', 'external-memory'] as const)(
    '%s asks for no summary by hand either',
    (name) => {
      expect(policies[name]).toPlay([
        [said('u1'), 'request u1'],
        [final('s1', 1), 'stop finished'],
        [compact, 'ignored compact'],
      ]);
    },
  );

  it('rolling-window never asks for a summary', () => {
    expect(policies['rolling-window']).toPlay([
      [said('u1'), 'request u1'],
      [stepped('s1', 1_000_000), 'request u1 s1'],
    ]);
  });

  it('selective-pruning takes out every tool output, and keeps text and calls', () => {
    const called: LoopInput = {
      type: 'step-finished',
      message: step('s1', [tool('t1', 'out', { tool: 'skill' })], {
        finish: 'tool-calls',
        usage: usage({ input: 136 }),
      }),
    };
    const script: Script = [
      [said('u1'), 'request u1'],
      [called, 'overflow after-step', 'pruned fire t1', 'request u1 s1'],
      [stepped('s2', 136), 'overflow after-step', 'pruned nothing', 'request u1 s1 s2'],
    ];
    const { played, state } = play(policies['selective-pruning'], script);
    expect(played).toEqual(script);
    const sent = JSON.stringify(render(state.history, state.policy.render));
    expect(sent).toContain('"tool-call"');
    expect(sent).not.toContain('"out"');
  });

  it('external-memory moves all but ten messages out, and finds what a prompt asks for', () => {
    const fact = said('u1', 'The password of the staging server is kingfisher');
    const filler = Array.from({ length: 11 }, (_, index) => stepped(`s${index}`, 1));
    const script = [
      ...[fact, ...filler].map((input) => [input] as const),
      [
        stepped('s11', 136),
        'overflow after-step',
        'moved-out u1 s0 s1',
        'request recalled s2 s3 s4 s5 s6 s7 s8 s9 s10 s11',
      ],
      [final('s12', 1), 'stop finished'],
      [said('u2', 'What is the password of the staging server?')],
    ] as const;
    const { state, played } = play(policies['external-memory'], script);
    expect(played[12]).toEqual(script[12]);
    const recalled = state.memory?.recalled;
    expect(JSON.stringify(recalled?.parts)).toContain('kingfisher');
    expect(played.at(-1)?.at(-1)).toMatch(/^request recalled /);
    expect(namesOf(state.history)).toContain('u1');
  });

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
