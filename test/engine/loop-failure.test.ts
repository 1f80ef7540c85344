import { describe, expect, it } from 'vitest';
import type { LoopInput, Policy } from '../../src/engine/index.ts';
import { namesOf } from '../support/drive.ts';
import {
  aborted,
  compact,
  document,
  final,
  opencode,
  OVER,
  overflown,
  play,
  said,
  type Script,
  stepped,
  summarised,
  summaryFailed,
  summaryOverflowed,
  turnEnded,
  UNDER,
} from '../support/script.ts';

describe('a summary that failed', () => {
  const failedOnce: Script = [
    ...overflown,
    [summaryFailed, 'summary-failed', 'stop summary-failed'],
  ];

  it.each<[string, Policy, Script]>([
    [
      'is tried again by opencode-1.2.16 in the next turn, in vain: the whole history stays in view',
      opencode,
      [
        ...failedOnce,
        [said('u2'), 'summarise u1 s1 marker failed-summary u2'],
        [summarised(), 'compacted auto', 'request u1 s1 marker failed-summary u2 summary continue'],
        [final('s2', UNDER), 'stop finished'],
      ],
    ],
    [
      'leaves the next turn of opencode-1.2.16 unchecked if it was too large itself',
      opencode,
      [
        ...overflown,
        [summaryOverflowed, 'summary-failed', 'stop summary-failed'],
        [said('u2'), 'request u1 s1 marker failed-summary u2'],
        [
          stepped('s2', OVER),
          'overflow after-step',
          'marker-queued auto',
          'summarise u1 s1 marker failed-summary u2 s2 marker',
        ],
        [summarised(), 'compacted auto', 'request marker summary continue'],
      ],
    ],
    [
      'is worked off with a newer marker, oldest first, by one summary that answers the newest',
      opencode,
      [
        ...failedOnce,
        [compact, 'marker-queued manual', 'summarise u1 s1 marker failed-summary marker'],
        [summarised(), 'compacted auto', 'request marker summary continue'],
      ],
    ],
    [
      'leaves the next turn of document-002 unchecked',
      document,
      [...failedOnce, [said('u2'), 'request u1 s1 u2']],
    ],
    [
      'leaves the next turn of document-002 unchecked if it was too large itself',
      document,
      [
        ...overflown,
        [summaryOverflowed, 'summary-failed', 'stop summary-failed'],
        [said('u2'), 'request u1 s1 u2'],
      ],
    ],
  ])('%s', (_name, policy, script) => {
    expect(play(policy, script).played).toEqual(script);
  });

  it.each<[string, LoopInput]>([
    ['a plain error', summaryFailed],
    ['its own size', summaryOverflowed],
  ])(
    'leaves no trace in document-002, to the byte, but for the count of failures: %s',
    (_name, failure) => {
      const turn: Script = [[said('u1')], [stepped('s1', UNDER)], [turnEnded]];
      const before = play(document, turn).state;
      const after = play(document, [...turn, [compact], [failure]]).state;
      const health = { ...before.health, failures: 1 };
      expect(JSON.stringify(after)).toBe(JSON.stringify({ ...before, health }));
    },
  );

  it.each<[string, Policy, string]>([
    ['opencode-1.2.16', opencode, 'u1 s1 marker failed-summary u2'],
    ['document-002', document, 'u1 s1 u2'],
  ])('keeps the prompts that came meanwhile: %s', (_name, policy, expected) => {
    const { state } = play(policy, [...overflown, [said('u2')], [summaryFailed]]);
    expect(namesOf(state.history)).toBe(expected);
  });
});

describe('an aborted summary', () => {
  it.each<[string, Policy, Script]>([
    [
      'is tried again by opencode-1.2.16 in the next turn',
      opencode,
      [
        ...overflown,
        [aborted, 'stop aborted'],
        [said('u2'), 'summarise u1 s1 marker failed-summary u2'],
      ],
    ],
    [
      'is forgotten by document-002',
      document,
      [...overflown, [aborted, 'stop aborted'], [said('u2'), 'request u1 s1 u2']],
    ],
  ])('%s', (_name, policy, script) => {
    expect(play(policy, script).played).toEqual(script);
  });

  it('leaves a summary without a finish in opencode-1.2.16', () => {
    const left = play(opencode, [...overflown, [aborted]]).state.history.at(-1);
    expect(left).toMatchObject({ summary: true, error: { name: 'MessageAbortedError' } });
    expect(left).not.toHaveProperty('finish');
  });

  it('leaves no trace in document-002', () => {
    const { state } = play(document, [...overflown, [aborted]]);
    expect(namesOf(state.history)).toBe('u1 s1');
  });
});
