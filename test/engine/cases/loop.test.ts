import { describe, expect, it } from 'vitest';
import {
  isContextOverflow,
  type Limits,
  policies,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { usage } from '../../support/history.ts';
import {
  compact,
  final,
  modelChanged,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
  turnEnded,
} from '../../support/script.ts';

const latest = policies['opencode-1.18'];

describe('create', () => {
  it('create-002: a compaction by hand is a marker that is not automatic, and nothing continues after it', () => {
    const script: Script = [
      [said('u1'), 'request u1'],
      [final('s1', 1), 'stop finished'],
      [compact, 'marker-queued manual', 'summarise u1 s1'],
      [summarised(), 'compacted manual', 'stop finished'],
    ];
    const { played, state } = play(latest, script);
    expect(played).toEqual(script);
    expect(state.history[2]?.parts).toMatchObject([{ type: 'compaction', auto: false }]);
  });
});

describe('loop', () => {
  it('loop-001: a step over the limit keeps its text, and a compaction is asked for', () => {
    const limits: Limits = { contextTokens: 20, outputTokens: 10 };
    const script: Script = [
      [said('u1'), 'request u1'],
      [
        stepped('after', 100, { finish: 'stop', usage: usage({ input: 100 }) }),
        'overflow after-step',
        'marker-queued auto',
        'summarise u1 after',
      ],
    ];
    const { played, state } = play(latest, script, limits);
    expect(played).toEqual(script);
    expect(state.history[1]).toMatchObject({ finish: 'stop', parts: [{ text: 'after' }] });
  });

  it.each([
    ['opencode-1.16', 'v1.3.4'],
    ['opencode-1.18', 'v1.18.4'],
  ] as const)(
    'loop-003: a refusal with auto off ends in an error, without a marker: %s',
    (...row) => {
      const [name, errors] = row;
      const off = resolvePolicy(policies[name], { trigger: { auto: false } });
      const body = JSON.stringify({ error: { message: 'request entity too large' } });
      expect(
        isContextOverflow({ message: 'request entity too large', statusCode: 413, body }, errors),
      ).toBe(true);
      const script: Script = [
        [said('u1'), 'request u1'],
        [refused, 'overflow refused', 'stop auto-off'],
      ];
      const { played, state } = play(off, script);
      expect(played).toEqual(script);
      expect(state.history.map(({ id }) => id)).toEqual(['u1']);
    },
  );

  it.each([
    'opencode-1.2.16',
    'opencode-1.14.19',
    'opencode-1.14.21',
    'opencode-1.15',
    'opencode-1.16',
    'opencode-1.18',
  ] as const)('loop-004: a summary over the limit goes on all the same: %s', (name) => {
    const { played } = play(policies[name], [
      [said('u1')],
      [stepped('s1', 101)],
      [summarised(5_000)],
    ]);
    expect(played.at(-1)?.slice(1)).toEqual(['compacted auto', 'request marker summary continue']);
  });

  it('loop-006: the check before a request has the limits of the next model', () => {
    const small = modelChanged({ contextTokens: 128_000, outputTokens: 16_000 });
    const script: Script = [
      [said('u1'), 'request u1'],
      [stepped('s1', 0, { finish: 'stop', usage: usage({ input: 150_000 }) }), 'stop finished'],
      [small],
      [said('u2'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1 u2'],
    ];
    const limits = { contextTokens: 200_000, outputTokens: 16_000 };
    expect(play(latest, script, limits).played).toEqual(script);
  });

  it.each(Object.values(policies).filter(({ name }) => name.startsWith('opencode-')))(
    'loop-007: no request follows a compaction by hand: $name',
    (policy) => {
      const silent = resolvePolicy(policy, { guards: { remindMissingHeadings: false } });
      const { played } = play(silent, [[said('u1')], [final('s1', 1)], [compact], [summarised()]]);
      expect(played.at(-1)?.slice(1)).toEqual(['compacted manual', 'stop finished']);
    },
  );

  it('loop-010: a prune runs after the end of the loop, never between steps', () => {
    expect(policies['opencode-1.2.16']).toPlay([
      [said('u1'), 'request u1'],
      [stepped('s1', 1), 'request u1 s1'],
      [final('s2', 1), 'stop finished'],
      [turnEnded, 'pruned nothing'],
    ]);
  });
});
