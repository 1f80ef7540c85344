import { describe, expect, it } from 'vitest';
import { type Policy, type PolicyOverrides, resolvePolicy } from '../../src/engine/index.ts';
import { namesOf } from '../support/drive.ts';
import { marker, step } from '../support/history.ts';
import {
  aborted,
  compact,
  document,
  final,
  idle,
  opencode,
  OVER,
  overflown,
  compacted,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
  summaryFailed,
  turnEnded,
  UNDER,
} from '../support/script.ts';

const both: readonly Policy[] = [opencode, document];

describe.each(both.map((policy) => [policy.name, policy] as const))(
  'the loop of %s',
  (_, policy) => {
    it.each<[string, Script]>([
      [
        'requests a step for a prompt, and goes on until the model stops',
        [
          [said('u1'), 'request u1'],
          [stepped('s1', UNDER), 'request u1 s1'],
          [stepped('s2', UNDER), 'request u1 s1 s2'],
          [final('s3', UNDER), 'stop finished'],
          [said('u2'), 'request u1 s1 s2 s3 u2'],
        ],
      ],
      [
        'goes on after every finish that leaves the turn open',
        [
          [said('u1'), 'request u1'],
          [stepped('s1', 1, { finish: 'unknown' }), 'request u1 s1'],
          [stepped('s2', 1, { finish: undefined }), 'request u1 s1 s2'],
          [stepped('s3', 1, { finish: 'length' }), 'stop finished'],
        ],
      ],
      [
        'compacts after a step over the limit, and goes on by itself',
        [...compacted, [final('s2', 10), 'stop finished']],
      ],
      [
        'compacts after a step that had finished the turn, and goes on all the same',
        [
          [said('u1'), 'request u1'],
          [
            final('s1', OVER),
            'overflow after-step',
            'marker-queued auto',
            'summarise u1 s1 marker',
          ],
          [summarised(), 'compacted auto', 'request marker summary continue'],
        ],
      ],
      [
        'hides everything before the newest pivot',
        [
          ...compacted,
          [
            stepped('s2', OVER),
            'overflow after-step',
            'marker-queued auto',
            'summarise marker summary continue s2 marker',
          ],
          [summarised(), 'compacted auto', 'request marker summary continue'],
          [final('s3', 10), 'stop finished'],
          [said('u2'), 'request marker summary continue s3 u2'],
        ],
      ],
      [
        'is not triggered by the usage of the summary itself',
        [
          ...overflown,
          [summarised(1_000), 'compacted auto', 'request marker summary continue'],
          [final('s2', UNDER), 'stop finished'],
          [said('u2'), 'request marker summary continue s2 u2'],
        ],
      ],
      [
        'is not triggered by the usage of the last step once that is summarised',
        [
          ...overflown,
          [summarised(), 'compacted auto', 'request marker summary continue'],
          [aborted, 'stop aborted'],
          [said('u2'), 'request marker summary continue u2'],
        ],
      ],
      [
        'takes an empty summary as one',
        [
          ...overflown,
          [
            { type: 'summary-finished', result: { text: '', finish: 'stop' } },
            'compacted auto',
            'request marker summary continue',
          ],
        ],
      ],
      [
        'checks no step without usage',
        [
          [said('u1'), 'request u1'],
          [stepped('s1', 0, { finish: 'tool-calls', usage: undefined }), 'request u1 s1'],
        ],
      ],
      [
        'ends the turn after a step that failed',
        [
          [said('u1'), 'request u1'],
          [
            stepped('s1', 0, {
              finish: undefined,
              error: { name: 'APIError', message: 'overloaded' },
            }),
            'stop step-failed',
          ],
          [said('u2'), 'request u1 s1 u2'],
        ],
      ],
      [
        'ends after a summary that a person asked for',
        [
          [said('u1'), 'request u1'],
          [final('s1', 10), 'stop finished'],
          [compact, 'marker-queued manual', 'summarise u1 s1 marker'],
          [summarised(), 'compacted manual', 'stop finished'],
          [said('u2'), 'request marker summary u2'],
        ],
      ],
      [
        'answers a prompt that came while it made a summary that a person asked for',
        [
          [said('u1'), 'request u1'],
          [final('s1', 10), 'stop finished'],
          [compact, 'marker-queued manual', 'summarise u1 s1 marker'],
          [said('u2')],
          [summarised(), 'compacted manual', 'request marker summary u2'],
        ],
      ],
      [
        'queues a prompt that came while it summarised behind the summary, and answers it',
        [
          ...overflown,
          [said('u2')],
          [said('u3')],
          [summarised(), 'compacted auto', 'request marker summary u2 u3 continue'],
          [final('s2', 10), 'stop finished'],
        ],
      ],
      [
        'queues a prompt that came while the model worked behind its step, and answers it',
        [
          [said('u1'), 'request u1'],
          [said('u2')],
          [final('s1', 10), 'request u1 s1 u2'],
          [final('s2', 10), 'stop finished'],
        ],
      ],
      [
        'accepts a step that nobody asked for',
        [
          [stepped('s0', 10), 'stop finished'],
          [said('u1'), 'request s0 u1'],
          [final('s1', 10), 'stop finished'],
          [stepped('s2', 10), 'request s0 u1 s1 s2'],
          [turnEnded, 'pruned nothing'],
          [
            stepped('s3', OVER),
            'overflow after-step',
            'marker-queued auto',
            'summarise s0 u1 s1 s2 s3 marker',
          ],
        ],
      ],
      [
        'keeps what a step had written when it was cut off',
        [
          [said('u1'), 'request u1'],
          [said('u2')],
          [{ type: 'aborted', message: step('s1', [], { finish: undefined }) }, 'stop aborted'],
          [said('u3'), 'request u1 s1 u2 u3'],
        ],
      ],
      [
        'goes on after a step that was cut off before it wrote anything',
        [
          [said('u1'), 'request u1'],
          [aborted, 'stop aborted'],
          [said('u2'), 'request u1 u2'],
        ],
      ],
      [
        'withdraws an open request when the turn ends',
        [
          [said('u1'), 'request u1'],
          [stepped('s1', 10), 'request u1 s1'],
          [turnEnded, 'pruned nothing'],
          [said('u2'), 'request u1 s1 u2'],
        ],
      ],
      [
        'works a marker off that comes with a session',
        [[{ type: 'user-message', message: marker('m1') }, 'summarise marker']],
      ],
      ['has nothing to do when time passes', [[said('u1'), 'request u1'], [idle], [idle]]],
    ])('%s', (_name, script) => {
      expect(play(policy, script).played).toEqual(script);
    });

    it.each<[string, Script, string]>([
      ['a summary that nobody asked for', [], 'summary-finished'],
      ['a failure of a summary that nobody asked for', [], 'summary-failed'],
      ['an abort of nothing', [], 'aborted'],
      ['a summary while the model works', [[said('u1'), 'request u1']], 'summary-finished'],
      ['a failed summary while the model works', [[said('u1'), 'request u1']], 'summary-failed'],
      ['a wish to compact while the model works', [[said('u1'), 'request u1']], 'compact'],
      ['a step while it summarises', overflown, 'step-finished'],
      ['a refusal while it summarises', overflown, 'step-refused'],
      ['a wish to compact while it summarises', overflown, 'compact'],
      ['the end of a turn while it summarises', overflown, 'turn-ended'],
    ])('ignores %s', (_name, script, type) => {
      const inputs = [summarised(), summaryFailed, aborted, compact, refused, turnEnded];
      const input = [...inputs, final('s9', OVER)].find((candidate) => candidate.type === type)!;
      const { played, state } = play(policy, [...script, [input]]);
      expect(played.at(-1)).toEqual([input, `ignored ${type}`]);
      expect(state).toEqual(play(policy, script).state);
    });

    it.each<[string, PolicyOverrides, Script]>([
      [
        'asks for nothing but what a person asks for when auto is off',
        { trigger: { auto: false } },
        [
          [said('u1'), 'request u1'],
          [stepped('s1', OVER), 'request u1 s1'],
          [final('s2', OVER), 'stop finished'],
          [said('u2'), 'request u1 s1 s2 u2'],
          [final('s3', OVER), 'stop finished'],
          [compact, 'marker-queued manual', 'summarise u1 s1 s2 u2 s3 marker'],
        ],
      ],
      [
        'withdraws an open request when the turn ends, also when prune is off',
        { prune: { enabled: false } },
        [[said('u1'), 'request u1'], [turnEnded], [said('u2'), 'request u1 u2']],
      ],
      [
        'checks no step where the policy does not',
        { trigger: { afterStep: false, beforeRequest: false } },
        [
          [said('u1'), 'request u1'],
          [stepped('s1', OVER), 'request u1 s1'],
        ],
      ],
    ])('%s', (_name, overrides, script) => {
      expect(play(resolvePolicy(policy, overrides), script).played).toEqual(script);
    });

    it('has a history in order of time, with all that views hide', () => {
      const { state } = play(policy, [
        ...overflown,
        [said('u2')],
        [summarised()],
        [said('u3')],
        [final('s2', 1)],
      ]);
      expect(namesOf(state.history)).toBe('u1 s1 marker summary u2 continue s2 u3');
    });
  },
);
