import { describe, expect, it } from 'vitest';
import { type Limits, type Policy, resolvePolicy } from '../../src/engine/index.ts';
import { step } from '../support/history.ts';
import {
  document,
  final,
  modelChanged,
  opencode,
  play,
  said,
  type Script,
  stepped,
  summarised,
} from '../support/script.ts';

describe('another model', () => {
  const SMALLER: Limits = { contextTokens: 80, outputTokens: 50 };
  const finished: Script = [
    [said('u1'), 'request u1'],
    [final('s1', 60), 'stop finished'],
    [modelChanged(SMALLER)],
  ];
  const running: Script = [
    [said('u1'), 'request u1'],
    [modelChanged(SMALLER)],
    [stepped('s1', 60), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1 marker'],
  ];

  it.each<[string, Policy, Script]>([
    [
      'makes opencode-1.2.16 compact before the next request if it is too small',
      opencode,
      [
        ...finished,
        [said('u2'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1 u2 marker'],
        [summarised(1_000), 'compacted auto', 'request marker summary continue'],
        [final('s2', 10), 'stop finished'],
      ],
    ],
    [
      'makes opencode-1.2.16 compact at exactly as many tokens as are usable',
      opencode,
      [
        ...finished,
        [modelChanged({ contextTokens: 110, outputTokens: 50 })],
        [said('u2'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1 u2 marker'],
      ],
    ],
    [
      'does nothing before the next request if it is large enough',
      opencode,
      [
        ...finished,
        [modelChanged({ contextTokens: 111, outputTokens: 50 })],
        [said('u2'), 'request u1 s1 u2'],
      ],
    ],
    [
      'does nothing before the next request of document-002',
      document,
      [...finished, [said('u2'), 'request u1 s1 u2']],
    ],
    [
      'does nothing before the next request when auto is off',
      resolvePolicy(opencode, { trigger: { auto: false } }),
      [...finished, [said('u2'), 'request u1 s1 u2']],
    ],
    ['is what the running step of opencode-1.2.16 is measured by', opencode, running],
    ['is what the running step of document-002 is measured by', document, running],
    [
      'is measured by the last finished step, not by a smaller one without an end',
      opencode,
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 60), 'request u1 s1'],
        [modelChanged(SMALLER)],
        [
          stepped('s2', 10, { finish: undefined }),
          'overflow before-request',
          'marker-queued auto',
          'summarise u1 s1 s2 marker',
        ],
      ],
    ],
    [
      'is measured by the last finished step, not by one that was cut off',
      opencode,
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 60), 'request u1 s1'],
        [{ type: 'aborted', message: step('s2', [], { finish: undefined }) }, 'stop aborted'],
        [modelChanged(SMALLER)],
        [
          said('u2'),
          'overflow before-request',
          'marker-queued auto',
          'summarise u1 s1 s2 u2 marker',
        ],
      ],
    ],
  ])('%s', (_name, policy, script) => {
    expect(play(policy, script).played).toEqual(script);
  });
});
