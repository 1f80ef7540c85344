import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  createState,
  type Limits,
  type LoopInput,
  type Part,
  policies,
  type Policy,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { drive, namesOf } from '../support/drive.ts';
import { file, marker, type Overrides, step, text, tool, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

/** An input, then what it leads to, line by line. */
type Script = readonly (readonly [input: LoopInput, ...lines: string[]])[];

/** 100 tokens are usable under every rule that the presets of this file have. */
const LIMITS: Limits = { contextTokens: 150, outputTokens: 50 };
const OVER = 101;
const UNDER = 99;

const opencode = policies['opencode-1.2.16'];
const document = policies['document-002'];
const both: readonly Policy[] = [opencode, document];

const said = (id: string, ...content: readonly (string | Part)[]): LoopInput => ({
  type: 'user-message',
  message: user(id, ...content),
});
/** A step of that many tokens; without a finish it calls tools and wants to go on. */
const stepped = (
  id: string,
  input: number,
  overrides: Overrides<AssistantMessage> = { finish: 'tool-calls' },
): LoopInput => ({
  type: 'step-finished',
  message: step(id, [text(`${id}-0`, id)], { usage: usage({ input }), ...overrides }),
});
const final = (id: string, input: number) => stepped(id, input, { finish: 'stop' });
const summarised = (input = 0): LoopInput => ({
  type: 'summary-finished',
  result: { text: 'All of it.', finish: 'stop', usage: usage({ input }) },
});
const refused: LoopInput = {
  type: 'step-refused',
  error: { name: 'ContextOverflowError', message: 'too long' },
};
const summaryFailed: LoopInput = {
  type: 'summary-failed',
  error: { name: 'APIError', message: 'overloaded' },
  isOverflow: false,
};
const summaryOverflowed: LoopInput = {
  type: 'summary-failed',
  error: { name: 'ContextOverflowError', message: 'too long' },
  isOverflow: true,
};
const turnEnded: LoopInput = { type: 'turn-ended' };
const aborted: LoopInput = { type: 'aborted' };
const compact: LoopInput = { type: 'compact' };
const idle: LoopInput = { type: 'idle', sinceMs: 5 };
const modelChanged = (limits: Limits): LoopInput => ({ type: 'model-changed', limits });

/** A first turn that overflows and waits for its summary. */
const overflown: Script = [
  [said('u1'), 'request u1'],
  [stepped('s1', OVER), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1 marker'],
];
/** The same with the summary. */
const compacted: Script = [
  ...overflown,
  [summarised(), 'compacted auto', 'request marker summary continue'],
];

function play(policy: Policy, script: Script, limits = LIMITS) {
  const driven = drive(
    policy,
    limits,
    script.map(([input]) => input),
  );
  expect(driven.lines).toEqual(script.map(([, ...lines]) => lines));
  return driven.state;
}

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
      ['has nothing to do when time passes', [[said('u1'), 'request u1'], [idle], [idle]]],
    ])('%s', (_name, script) => {
      play(policy, script);
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
      const before = play(policy, script);
      const after = play(policy, [...script, [input, `ignored ${type}`]]);
      expect(after).toEqual(before);
    });

    it('asks for nothing but what a person asks for when auto is off', () => {
      play(resolvePolicy(policy, { trigger: { auto: false } }), [
        [said('u1'), 'request u1'],
        [stepped('s1', OVER), 'request u1 s1'],
        [final('s2', OVER), 'stop finished'],
        [said('u2'), 'request u1 s1 s2 u2'],
        [final('s3', OVER), 'stop finished'],
        [compact, 'marker-queued manual', 'summarise u1 s1 s2 u2 s3 marker'],
      ]);
    });

    it('checks after a step only where the policy does', () => {
      play(resolvePolicy(policy, { trigger: { afterStep: false, beforeRequest: false } }), [
        [said('u1'), 'request u1'],
        [stepped('s1', OVER), 'request u1 s1'],
      ]);
    });

    it('has a history in order of time, with all that views hide', () => {
      const state = play(policy, [
        ...overflown,
        [said('u2')],
        [summarised(), 'compacted auto', 'request marker summary u2 continue'],
        [said('u3')],
        [final('s2', 1), 'request marker summary u2 continue s2 u3'],
      ]);
      expect(namesOf(state.history)).toBe('u1 s1 marker summary u2 continue s2 u3');
    });
  },
);

describe('the end of a turn', () => {
  const outputs = (id: string) => [tool(`${id}-a`, 100_000), tool(`${id}-b`, 100_000)];
  const toTheEnd: Script = [
    [said('u1'), 'request u1'],
    [{ type: 'step-finished', message: step('s1', outputs('s1')) }, 'stop finished'],
    [said('u2'), 'request u1 s1 u2'],
    [final('s2', 1), 'stop finished'],
    [said('u3'), 'request u1 s1 u2 s2 u3'],
    [final('s3', 1), 'stop finished'],
  ];

  it.each(both.map((policy) => [policy.name, policy] as const))(
    'prunes what is old, at the time it happens: %s',
    (_, policy) => {
      const state = play(policy, [...toTheEnd, [turnEnded, 'pruned fire s1-a']]);
      expect(state.history[1]?.parts).toEqual([
        tool('s1-a', 100_000, { compactedAt: 1 }),
        tool('s1-b', 100_000),
      ]);
    },
  );

  it('prunes no further once nothing is left to clear', () => {
    play(opencode, [...toTheEnd, [turnEnded, 'pruned fire s1-a'], [turnEnded, 'pruned nothing']]);
  });

  it('tells of a prune that would have saved too little, and clears nothing', () => {
    const policy = resolvePolicy(opencode, { prune: { byAge: { minimumTokens: 25_000 } } });
    const state = play(policy, [...toTheEnd, [turnEnded, 'pruned below-minimum s1-a']]);
    expect(state.history[1]?.parts).toEqual(outputs('s1'));
  });

  it('prunes nothing when prune is off', () => {
    const policy = resolvePolicy(opencode, { prune: { enabled: false } });
    const state = play(policy, [...toTheEnd, [turnEnded]]);
    expect(state.history[1]?.parts).toEqual(outputs('s1'));
  });

  it('prunes nothing under the control', () => {
    play(policies.none, [...toTheEnd, [turnEnded]]);
  });
});

describe('the boundary of the trigger', () => {
  it('is reached by opencode-1.2.16 with as many tokens as are usable', () => {
    play(opencode, [
      [said('u1'), 'request u1'],
      [stepped('s1', 99), 'request u1 s1'],
      [
        stepped('s2', 100),
        'overflow after-step',
        'marker-queued auto',
        'summarise u1 s1 s2 marker',
      ],
    ]);
  });

  it('is passed by document-002 with one token more than is usable', () => {
    play(document, [
      [said('u1'), 'request u1'],
      [stepped('s1', 100), 'request u1 s1'],
      [
        stepped('s2', 101),
        'overflow after-step',
        'marker-queued auto',
        'summarise u1 s1 s2 marker',
      ],
    ]);
  });

  it('makes opencode-1.2.16 compact after every step where nothing is usable', () => {
    const nothingUsable = { contextTokens: 50, outputTokens: 50 };
    const overAgain = ['overflow after-step', 'marker-queued auto'] as const;
    const script: Script = [
      [said('u1'), 'request u1'],
      [final('s1', 0), ...overAgain, 'summarise u1 s1 marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
      [final('s2', 0), ...overAgain, 'summarise marker summary continue s2 marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
      [final('s3', 0), ...overAgain, 'summarise marker summary continue s3 marker'],
    ];
    play(opencode, script, nothingUsable);
  });

  it('tells what it compared', () => {
    const state = createState(opencode, LIMITS);
    const [event] = transition(state, stepped('s1', OVER), testTools()).events;
    const check = { countTokens: OVER, usableTokens: 100, comparison: '>=', isOverflow: true };
    expect(event).toEqual({ type: 'overflow', path: 'after-step', check });
  });
});

describe('another model', () => {
  const SMALLER: Limits = { contextTokens: 80, outputTokens: 50 };
  const finished: Script = [
    [said('u1'), 'request u1'],
    [final('s1', 60), 'stop finished'],
    [modelChanged(SMALLER)],
  ];

  it('makes opencode-1.2.16 compact before the next request if it is too small', () => {
    const state = play(opencode, [
      ...finished,
      [said('u2'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1 u2 marker'],
      [summarised(1_000), 'compacted auto', 'request marker summary continue'],
      [final('s2', 10), 'stop finished'],
    ]);
    expect(state.limits).toEqual(SMALLER);
  });

  it('does nothing before the next request of document-002', () => {
    play(document, [...finished, [said('u2'), 'request u1 s1 u2']]);
  });

  it('does nothing before the next request when auto is off', () => {
    const policy = resolvePolicy(opencode, { trigger: { auto: false } });
    play(policy, [...finished, [said('u2'), 'request u1 s1 u2']]);
  });

  it('does nothing if it is large enough', () => {
    play(opencode, [
      ...finished,
      [modelChanged({ contextTokens: 111, outputTokens: 50 })],
      [said('u2'), 'request u1 s1 u2'],
    ]);
  });

  it.each(both.map((policy) => [policy.name, policy] as const))(
    'is what the running step of %s is measured by',
    (_, policy) => {
      play(policy, [
        [said('u1'), 'request u1'],
        [modelChanged(SMALLER)],
        [stepped('s1', 60), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1 marker'],
      ]);
    },
  );

  it('takes the last finished step as its measure, not one that was cut off', () => {
    play(opencode, [
      [said('u1'), 'request u1'],
      [stepped('s1', 60), 'request u1 s1'],
      [{ type: 'aborted', message: step('s2', [], { finish: undefined }) }, 'stop aborted'],
      [modelChanged(SMALLER)],
      [said('u2'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1 s2 u2 marker'],
    ]);
  });
});

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

  it('is summarised without its prompt, which is then sent again with its media as text', () => {
    const state = play(opencode, refusedOnce);
    expect(state.history.at(-1)?.parts).toEqual([
      text(expect.any(String), 'what is this?'),
      text(expect.any(String), '[Attached image/png: cat.bin]'),
    ]);
  });

  it('loses the steps that its turn had made', () => {
    play(opencode, [
      ...secondTurn,
      [stepped('s2', 10), 'request u1 s1 u2 s2'],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1'],
      [summarised(), 'compacted auto replay', 'request marker summary replay'],
    ]);
  });

  it('sends the newest prompt again, also if it came while the model worked', () => {
    play(opencode, [
      [said('u1'), 'request u1'],
      [said('u2')],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1'],
      [summarised(), 'compacted auto replay', 'request marker summary replay'],
    ]);
  });

  it('is summarised whole and explained if no prompt precedes its own', () => {
    const state = play(opencode, [
      [said('u1'), 'request u1'],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
    ]);
    expect(state.history.at(-1)?.parts).toMatchObject([
      { text: expect.stringMatching(/^The previous request exceeded .*\n\nContinue if /) },
    ]);
  });

  it('is summarised whole and explained if its replay is refused too', () => {
    const state = play(opencode, [
      ...refusedOnce,
      [refused, 'overflow refused', 'marker-queued auto', 'summarise marker summary replay marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
    ]);
    expect(state.history.at(-1)?.parts).toMatchObject([
      { text: expect.stringContaining('exceeded') },
    ]);
  });

  it('explains nothing after a compaction without a refusal', () => {
    const state = play(opencode, compacted);
    expect(state.history.at(-1)?.parts).toMatchObject([
      { text: expect.stringMatching(/^Continue if you have next steps, or /) },
    ]);
  });

  it('is compacted by opencode-1.2.16 even when auto is off', () => {
    const policy = resolvePolicy(opencode, { trigger: { auto: false } });
    play(policy, refusedOnce);
  });

  it('ends the turn of document-002', () => {
    play(document, [...secondTurn, [refused, 'overflow refused', 'stop refused']]);
  });

  it.each<[boolean, string[]]>([
    [true, ['overflow refused', 'marker-queued auto', 'summarise u1 s1']],
    [false, ['overflow refused', 'stop auto-off']],
  ])('heeds auto (%s) where the policy says so', (auto, lines) => {
    const trigger = { auto, onRefusal: 'compact-if-auto' } as const;
    play(resolvePolicy(opencode, { trigger }), [...secondTurn, [refused, ...lines]]);
  });

  it('is not sent again where the policy does not', () => {
    play(resolvePolicy(opencode, { resume: { replayRefusedPrompt: false } }), [
      ...secondTurn,
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1 u2 marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
    ]);
  });
});

describe('a summary that failed', () => {
  it('is tried again by opencode-1.2.16 in the next turn, in vain: the whole history stays in view', () => {
    play(opencode, [
      ...overflown,
      [summaryFailed, 'summary-failed', 'stop summary-failed'],
      [said('u2'), 'summarise u1 s1 marker failed-summary u2'],
      [summarised(), 'compacted auto', 'request u1 s1 marker failed-summary u2 summary continue'],
      [final('s2', UNDER), 'stop finished'],
    ]);
  });

  it('leaves the next turn of opencode-1.2.16 unchecked if it was too large itself', () => {
    play(opencode, [
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
    ]);
  });

  it.each([
    ['a plain error', summaryFailed],
    ['its own size', summaryOverflowed],
  ])('leaves no trace in document-002: %s', (_, failure) => {
    const before = drive(document, LIMITS, [said('u1'), stepped('s1', UNDER)]).state.history;
    const state = play(document, [
      [said('u1'), 'request u1'],
      [stepped('s1', UNDER), 'request u1 s1'],
      [turnEnded, 'pruned nothing'],
      [compact, 'marker-queued manual', 'summarise u1 s1 marker'],
      [failure, 'summary-failed', 'stop summary-failed'],
    ]);
    expect(JSON.stringify(state.history)).toBe(JSON.stringify(before));
  });

  it('leaves the next turn of document-002 unchecked', () => {
    play(document, [
      ...overflown,
      [summaryFailed, 'summary-failed', 'stop summary-failed'],
      [said('u2'), 'request u1 s1 u2'],
    ]);
  });

  it('keeps prompts that came meanwhile', () => {
    const meanwhile: Script = [
      ...overflown,
      [said('u2')],
      [summaryFailed, 'summary-failed', 'stop summary-failed'],
    ];
    expect(namesOf(play(opencode, meanwhile).history)).toBe('u1 s1 marker failed-summary u2');
    expect(namesOf(play(document, meanwhile).history)).toBe('u1 s1 u2');
  });
});

describe('an aborted summary', () => {
  const cutOff: Script = [...overflown, [aborted, 'stop aborted']];

  it('stays with its marker in opencode-1.2.16, and is tried again in the next turn', () => {
    const state = play(opencode, cutOff);
    expect(state.history.at(-1)).toMatchObject({
      summary: true,
      error: { name: 'MessageAbortedError' },
      parts: [],
    });
    expect(state.history.at(-1)).not.toHaveProperty('finish');
    play(opencode, [...cutOff, [said('u2'), 'summarise u1 s1 marker failed-summary u2']]);
  });

  it('leaves no trace in document-002', () => {
    const state = play(document, cutOff);
    expect(namesOf(state.history)).toBe('u1 s1');
    play(document, [...cutOff, [said('u2'), 'request u1 s1 u2']]);
  });
});

describe('markers that wait', () => {
  it('are worked off oldest first, by one summary that answers the newest', () => {
    const state = play(opencode, [
      ...overflown,
      [summaryFailed, 'summary-failed', 'stop summary-failed'],
      [compact, 'marker-queued manual', 'summarise u1 s1 marker failed-summary marker'],
      [summarised(), 'compacted auto', 'request marker summary continue'],
    ]);
    expect(state.phase).toMatchObject({ state: 'requested' });
  });

  it('may come with a session', () => {
    play(opencode, [[{ type: 'user-message', message: marker('m1') }, 'summarise marker']]);
  });
});
