import { describe, expect, it } from 'vitest';
import { type Policy, type PolicyOverrides, resolvePolicy } from '../../src/engine/index.ts';
import { file, text } from '../support/history.ts';
import {
  compacted,
  document,
  final,
  opencode,
  OVER,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
} from '../support/script.ts';

describe('a refused request', () => {
  const secondTurn: Script = [
    [said('u1'), 'request u1'],
    [final('s1', 10), 'stop finished'],
    [said('u2', 'what is this?', file('cat', 'image/png')), 'request u1 s1 u2'],
  ];
  const refusedOnce: Script = [
    ...secondTurn,
    [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1'],
    [summarised(), 'compacted auto replay', 'request marker summary replay'],
  ];
  const refusedFirst: Script = [
    [said('u1'), 'request u1'],
    [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 marker'],
    [summarised(), 'compacted auto', 'request marker summary continue'],
  ];
  const refusedTwice: Script = [
    ...refusedOnce,
    [refused, 'overflow refused', 'marker-queued auto', 'summarise marker summary replay marker'],
    [summarised(), 'compacted auto', 'request marker summary continue'],
  ];
  it.each<[string, Policy, Script]>([
    ['is summarised without its prompt, which is then sent again', opencode, refusedOnce],
    [
      'loses the steps that its turn had made',
      opencode,
      [
        ...secondTurn,
        [stepped('s2', 10), 'request u1 s1 u2 s2'],
        [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1'],
        [summarised(), 'compacted auto replay', 'request marker summary replay'],
      ],
    ],
    [
      'sends the newest prompt again, also if that came while the model worked',
      opencode,
      [
        [said('u1'), 'request u1'],
        [said('u2')],
        [refused, 'overflow refused', 'marker-queued auto', 'summarise u1'],
        [summarised(), 'compacted auto replay', 'request marker summary replay'],
      ],
    ],
    [
      'is what a step over the limit that never finished counts as',
      opencode,
      [
        ...secondTurn,
        [
          stepped('s2', OVER, { finish: undefined }),
          'overflow after-step',
          'marker-queued auto',
          'summarise u1 s1',
        ],
        [summarised(), 'compacted auto replay', 'request marker summary replay'],
      ],
    ],
    ['is summarised whole if no prompt precedes its own', opencode, refusedFirst],
    ['is summarised whole if its replay is refused too', opencode, refusedTwice],
    [
      'is refused once more after everything was summarised, and compacts once more',
      opencode,
      [
        ...refusedTwice,
        [
          refused,
          'overflow refused',
          'marker-queued auto',
          'summarise marker summary continue marker',
        ],
      ],
    ],
    [
      'is compacted by opencode-1.2.16 even when auto is off',
      withTrigger({ auto: false }),
      refusedOnce,
    ],
    [
      'is compacted while auto is on where the policy heeds that',
      withTrigger({ onRefusal: 'compact-if-auto' }),
      refusedOnce,
    ],
    [
      'ends the turn when auto is off where the policy heeds that',
      withTrigger({ onRefusal: 'compact-if-auto', auto: false }),
      [...secondTurn, [refused, 'overflow refused', 'stop auto-off']],
    ],
    [
      'ends the turn of document-002',
      document,
      [
        ...secondTurn,
        [refused, 'overflow refused', 'stop refused'],
        [said('u3'), 'request u1 s1 u2 u3'],
      ],
    ],
    [
      'is summarised whole where the policy sends nothing again',
      resolvePolicy(opencode, { resume: { replayRefusedPrompt: false } }),
      [
        ...secondTurn,
        [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1 u2 marker'],
        [summarised(), 'compacted auto', 'request marker summary continue'],
      ],
    ],
  ])('%s', (_name, policy, script) => {
    expect(play(policy, script).played).toEqual(script);
  });

  it('comes again with its media as text', () => {
    expect(play(opencode, refusedOnce).state.history.at(-1)?.parts).toEqual([
      text(expect.any(String), 'what is this?'),
      text(expect.any(String), '[Attached image/png: cat.bin]'),
    ]);
  });

  it.each<[string, Script, RegExp]>([
    [
      'if it cannot be sent again',
      refusedFirst,
      /^The previous request exceeded .*\n\nContinue if /,
    ],
    ['if it was sent again in vain', refusedTwice, /^The previous request exceeded /],
    ['and nothing else is', compacted, /^Continue if you have next steps, or /],
  ])('is explained %s', (_name, script, pattern) => {
    const parts = play(opencode, script).state.history.at(-1)?.parts;
    expect(parts).toMatchObject([{ text: expect.stringMatching(pattern) }]);
  });
});

function withTrigger(trigger: PolicyOverrides['trigger'] & object): Policy {
  return resolvePolicy(opencode, { trigger });
}
