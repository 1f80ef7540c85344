import { describe, expect, it } from 'vitest';
import {
  createLawChecker,
  createState,
  explainMove,
  policies,
  resolvePolicy,
  restoreState,
  saveState,
  transition,
  viewOf,
} from '../../../src/engine/index.ts';
import { stateBeforePivot } from '../../../src/engine/internal.ts';
import { namesOf } from '../../support/drive.ts';
import {
  compact,
  final,
  LIMITS,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
  summaryFailed,
} from '../../support/script.ts';
import { testTools } from '../../support/tools.ts';

/** It starts at 120 of the 150 tokens of these scripts, and waits at 142.5. */
const policy = policies['copilot-cli'];
const START = 120;
const BLOCK = 143;

/** A summary is written of the first prompt and two steps, while the loop goes on. */
const started: Script = [
  [said('u1'), 'request u1'],
  [stepped('s1', START - 1), 'request u1 s1'],
  [stepped('s2', START), 'overflow before-request', 'background-started', 'summarise u1 s1 s2'],
  [summarised(), 'request u1 s1 s2'],
];

describe('a summary beside the loop', () => {
  it.each<[string, Script]>([
    [
      'takes effect two steps later, in front of all that came since',
      [
        [stepped('s3', START + 1), 'request u1 s1 s2 s3'],
        [
          stepped('s4', START + 2),
          'marker-queued auto',
          'compacted auto',
          'request marker replay summary s3 s4',
        ],
        [stepped('s5', 50), 'request marker replay summary s3 s4 s5'],
      ],
    ],
    [
      'waits for the next prompt where the turn ends before',
      [
        [stepped('s3', START + 1), 'request u1 s1 s2 s3'],
        [final('s4', START + 2), 'stop finished'],
        [
          said('u2'),
          'marker-queued auto',
          'compacted auto',
          'request marker replay summary s3 s4 u2',
        ],
      ],
    ],
    [
      'keeps a prompt that comes before it takes effect',
      [
        [final('s3', START + 1), 'stop finished'],
        [said('u2'), 'request u1 s1 s2 s3 u2'],
        [
          stepped('s4', START + 2),
          'marker-queued auto',
          'compacted auto',
          'request marker replay summary s3 u2 s4',
        ],
      ],
    ],
    [
      'takes effect at once where the loop may go on no longer',
      [
        [
          stepped('s3', BLOCK),
          'overflow before-request',
          'marker-queued auto',
          'compacted auto',
          'request marker replay summary s3',
        ],
      ],
    ],
    [
      'gives way to one by hand',
      [
        [final('s3', START + 1), 'stop finished'],
        [compact, 'marker-queued manual', 'summarise u1 s1 s2 s3'],
        [summarised(), 'compacted manual', 'stop finished'],
        [said('u2'), 'request marker replay summary u2'],
        [stepped('s4', 60), 'request marker replay summary u2 s4'],
        [stepped('s5', 60), 'request marker replay summary u2 s4 s5'],
      ],
    ],
  ])('%s', (_, rest) => {
    const script = [...started, ...rest];
    expect(play(policy, script).played).toEqual(script);
  });

  it('takes effect at a refusal, where the policy compacts at one', () => {
    const script: Script = [
      ...started,
      [
        refused,
        'overflow refused',
        'marker-queued auto',
        'compacted auto',
        'request marker replay summary',
      ],
    ];
    const compacts = resolvePolicy(policy, { trigger: { onRefusal: 'compact-once' } });
    expect(play(compacts, script).played).toEqual(script);
  });

  it('is waited for where the limit was passed in one step', () => {
    expect(policy).toPlay([
      [said('u1'), 'request u1'],
      [stepped('s1', BLOCK), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1'],
      [summarised(), 'compacted auto', 'request marker replay summary'],
    ]);
  });

  it.each(['roll-back', 'keep'] as const)('leaves nothing where it failed: %s', (onFailure) => {
    const script: Script = [
      ...started.slice(0, -1),
      [summaryFailed, 'summary-failed', 'request u1 s1 s2'],
      [
        stepped('s3', START + 1),
        'overflow before-request',
        'background-started',
        'summarise u1 s1 s2 s3',
      ],
    ];
    const keeping = resolvePolicy(policy, { summary: { onFailure } });
    expect(play(keeping, script).played).toEqual(script);
  });

  it('is no longer what was said where its head was undone', () => {
    const script: Script = [
      ...started,
      [final('s3', START + 1), 'stop finished'],
      [{ type: 'compact', revertTo: 's2' }, 'marker-queued manual', 'summarise u1 s1'],
      [summaryFailed, 'summary-failed', 'stop summary-failed'],
    ];
    const { played, state } = play(policy, script);
    expect(played).toEqual(script);
    expect(state.background).toBeUndefined();
  });
});

describe('a state with a summary that waits', () => {
  const { state } = play(policy, started);

  it('is saved and restored with it', () => {
    expect(restoreState(saveState(state))).toEqual(state);
  });

  it('breaks no law when it takes effect, and is explained by the start and the end', () => {
    const check = createLawChecker();
    const tools = testTools();
    let before = createState(policy, LIMITS);
    const inputs = [...started.map(([input]) => input), stepped('s3', START), stepped('s4', START)];
    const moves = inputs.map((input) => {
      const next = transition(before, input, tools);
      const move = { before, input, next };
      before = next.state;
      return move;
    });
    expect(moves.flatMap((move) => check(move))).toEqual([]);
    expect(moves.map((move) => explainMove(move).background)).toEqual([
      undefined,
      undefined,
      'started',
      undefined,
      'waiting',
      undefined,
    ]);
    expect(explainMove(moves[2]!).inaction).toBeUndefined();
    expect(explainMove(moves[3]!).checks).toEqual([]);
    const last = moves.at(-1)!;
    const pending = stateBeforePivot(last.before, last.next);
    expect(namesOf(viewOf(pending))).toBe('u1 s1 s2 s3 s4 marker');
    expect(pending.phase.state).toBe('summarising');
    const grown = check({ ...last, sizes: { contextBeforeTokens: 100, contextAfterTokens: 100 } });
    expect(grown.map(({ law }) => law)).toContain('pivot-lowers-context');
  });
});
