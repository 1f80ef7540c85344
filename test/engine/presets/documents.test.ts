import { describe, expect, it } from 'vitest';
import {
  createLawChecker,
  createState,
  type LoopInput,
  type LoopState,
  type Message,
  policies,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
  transition,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { marker, step, summary, tool, usage, user } from '../../support/history.ts';
import { final, LIMITS, OVER, play, said, type Script, summarised } from '../../support/script.ts';
import { movesOf } from '../../support/sessions.ts';
import { testTools } from '../../support/tools.ts';

/** A prune in the size of the outputs below, which weigh 10 tokens each. */
const SMALL: PolicyOverrides = { prune: { byAge: { protectTokens: 10, minimumTokens: 5 } } };
const output = (id: string, compactedAt?: number) =>
  tool(id, 40, compactedAt === undefined ? {} : { compactedAt });

/** The outputs that a policy clears of a history at the end of a turn, newest first. */
function cleared(policy: Policy, history: readonly Message[]): string {
  const state: LoopState = { ...createState(policy, LIMITS), history };
  const { events } = transition(frozen(state), { type: 'turn-ended' }, testTools(9));
  return events.flatMap((event) => (event.type === 'pruned' ? event.plan.partIds : [])).join(' ');
}

describe('document 000', () => {
  const policy = policies['document-000'];

  it('checks before a request only: a final answer over the limit waits for the next turn', () => {
    expect(policy).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', OVER), 'stop finished'],
      [said('u2'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1 u2 marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
    ]);
  });

  const old = [
    user('u1'),
    step('s1', [output('t1'), output('t2')]),
    step('s2', [output('t3'), output('t4', 7), output('t5')]),
    user('u2'),
    user('u3'),
  ];

  it('leaves the message of a cleared output, and goes on with older ones', () => {
    expect(cleared(resolvePolicy(policy, SMALL), old)).toBe('t2 t1');
  });

  it('differs there from the release that it describes, which stops', () => {
    expect(cleared(resolvePolicy(policies['opencode-1.1.23'], SMALL), old)).toBe('');
  });

  it('passes over a summary in the guarded turns, as the release does, where document 002 stops', () => {
    const recent = [
      user('u1'),
      step('s1', [output('t1'), output('t2')]),
      marker('m1'),
      summary('x1', 'u1'),
      user('u3'),
    ];
    const names = ['document-000', 'opencode-1.1.23', 'document-002'] as const;
    expect(names.map((name) => cleared(resolvePolicy(policies[name], SMALL), recent))).toEqual([
      't1',
      't1',
      '',
    ]);
  });
});

const stepWith = (id: string, input: number, ...outputs: readonly string[]): LoopInput => ({
  type: 'step-finished',
  message: step(
    id,
    outputs.map((name) => output(name)),
    { finish: 'tool-calls', usage: usage({ input }) },
  ),
});

/** A step over the limit whose prune is enough, in document 001. */
const pruned: Script[number] = [
  stepWith('s4', 103, 't4'),
  'overflow after-step',
  'pruned fire t2 t1',
  'request u1 s1 s2 u2 s3 u3 s4',
];

/** A step over the limit whose prune is not. */
const pivoted = (finished: LoopInput, state = 'fire'): Script[number] => [
  finished,
  'overflow after-step',
  `pruned ${state} t2 t1`,
  'marker-queued auto',
  'summarise u1 s1 s2 u2 s3',
];

describe('document 001', () => {
  const policy = resolvePolicy(policies['document-001'], SMALL);
  const early: Script = [
    [said('u1'), 'request u1'],
    [stepWith('s1', 50, 't1', 't2', 't3'), 'request u1 s1'],
    [final('s2', 60), 'stop finished'],
    [said('u2'), 'request u1 s1 s2 u2'],
    [final('s3', 70), 'stop finished'],
    [said('u3'), 'request u1 s1 s2 u2 s3 u3'],
  ];

  it('prunes when an overflow is found, and goes on where that is enough', () => {
    expect(policy).toPlay([...early, pruned]);
  });

  it('pivots where too little was cleared, and keeps the newest turn behind the summary', () => {
    expect(policy).toPlay([
      ...early,
      pivoted(stepWith('s4', 104, 't4')),
      [summarised(), 'compacted auto', 'request summary u3 s4 continue'],
    ]);
  });

  it('frees nothing by clearing again what it cleared', () => {
    expect(policy).toPlay([...early, pruned, pivoted(stepWith('s5', 103))]);
  });

  it('frees nothing by clearing what a pivot had hidden before', () => {
    expect(policy).toPlay([
      [said('u1'), 'request u1'],
      [
        stepWith('s1', 103, 't1', 't2', 't3'),
        'overflow after-step',
        'pruned nothing',
        'marker-queued auto',
        'summarise u1 s1',
      ],
      [summarised(), 'compacted auto', 'request summary continue'],
      [
        stepWith('s2', 103, 't4'),
        'overflow after-step',
        'pruned fire t2 t1',
        'marker-queued auto',
        'summarise summary',
      ],
    ]);
  });

  it('frees nothing by a pass that saves too little to be made', () => {
    const thrifty = resolvePolicy(policy, { prune: { byAge: { minimumTokens: 50 } } });
    expect(thrifty).toPlay([...early, pivoted(stepWith('s4', 103, 't4'), 'below-minimum')]);
  });

  it('breaks no law where it overwrites outputs of the step that overflowed', () => {
    const eager = resolvePolicy(policy, { prune: { byAge: { guardTurns: 0, minimumTokens: 25 } } });
    const shapes = [said('u1'), stepWith('s1', 103, 't1', 't2', 't3', 't4')];
    const moves = movesOf(
      eager,
      LIMITS,
      shapes.map((input) => () => input),
    );
    expect(moves.at(-1)?.next.events).toMatchObject([
      { type: 'overflow' },
      { type: 'pruned', plan: { state: 'fire', partIds: ['t3', 't2', 't1'] } },
    ]);
    expect(moves.flatMap(createLawChecker())).toEqual([]);
  });

  it('overwrites what it clears', () => {
    const { state } = play(policy, [...early, [stepWith('s4', 103, 't4')]]);
    expect(state.history[1]?.parts).toMatchObject([
      { state: { output: '[output truncated by compaction]', compactedAt: 1 } },
      { state: { output: '[output truncated by compaction]', compactedAt: 1 } },
      { state: { output: 'x'.repeat(40) } },
    ]);
  });

  it('rounds up, and asks for no least saving', () => {
    const history = [
      user('u1'),
      step('s1', [tool('t1', 1), tool('t2', 160_000)]),
      user('u2'),
      user('u3'),
    ];
    const asked = resolvePolicy(policies['document-001'], { prune: { when: 'turn-end' } });
    expect(cleared(asked, history)).toBe('t1');
    expect(cleared(resolvePolicy(asked, { estimator: { rounding: 'round' } }), history)).toBe('');
  });

  it('never prunes at the end of a turn', () => {
    expect(play(policy, [...early, [{ type: 'turn-ended' }]]).played.at(-1)).toHaveLength(1);
  });
});
