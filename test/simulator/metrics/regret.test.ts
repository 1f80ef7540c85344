import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { foldRun, prepareBounds } from '../../../src/simulator/metrics/fold.ts';
import { recordRun } from '../../../src/simulator/metrics/record.ts';
import {
  createRegretFold,
  NO_REGRET,
  type RegretTotals,
} from '../../../src/simulator/metrics/regret.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { user } from '../../support/history.ts';
import { fixed, modelOf, traceOf, wordsOf } from '../replay/lab.ts';
import { edit, read, say } from '../replay/references/sessions.ts';
import { step } from './events.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const need = (overrides: Partial<Of<'reference'>> = {}): Of<'reference'> => ({
  type: 'reference',
  step: 6,
  kind: 'anchor',
  document: 1,
  isRecoverable: true,
  messageId: 's6',
  partId: 'p1',
  partIds: ['p1'],
  sinceStep: 1,
  tokens: 1_000,
  ...overrides,
});
const miss = (overrides: Partial<Of<'reference'>> = {}) =>
  need({ missedBy: 'prune', ...overrides });

const standing = (at: Of<'standing'>['at'], gone: number): Of<'standing'> => ({
  type: 'standing',
  at,
  constraints: 3,
  paths: 4,
  goneConstraints: ['constraint-1', 'constraint-3'].slice(0, gone),
  gonePaths: ['path-2'].slice(0, gone),
  fileReads: 7,
  fileRereads: 2,
  callLoops: 1,
});

const totalsOf = (events: readonly RunEvent[]) => {
  const fold = createRegretFold();
  for (const event of events) fold.add(event);
  return fold.end();
};

describe('the losses of a run', () => {
  it.each<[name: string, events: readonly RunEvent[], totals: Partial<RegretTotals>]>([
    ['nothing', [], {}],
    ['a need that the view shows', [need()], { references: 1, referencedTokens: 1_000 }],
    [
      'a loss that nothing reads again',
      [miss()],
      { references: 1, referencedTokens: 1_000, misses: 1, missedTokens: 1_000, unreadMisses: 1 },
    ],
    [
      'a loss that the step itself reads again',
      [miss({ kind: 'given-back' })],
      { references: 1, referencedTokens: 1_000, misses: 1, missedTokens: 1_000 },
    ],
    [
      'a loss that was counted and is not read again yet',
      [miss({ isAgain: true })],
      { references: 1, referencedTokens: 1_000 },
    ],
    [
      'names and phrases, apart and without a price',
      [
        miss({ isRecoverable: false, kind: 'name' }),
        need({ isRecoverable: false, kind: 'phrase' }),
      ],
      { unrecoverableMisses: 1 },
    ],
    [
      'steps that only read again, the third of the same a loop',
      [1, 2, 3].map((at) => step({ step: at, reread: 1, isFileReread: at < 3 })),
      { rereadSteps: 3, loops: 1, fileReads: 2, fileRereads: 2 },
    ],
    [
      'stale outputs, at each step that still shows them',
      [{ type: 'stale-kept', tokens: 30 }, step({ step: 1 }), step({ step: 2 })],
      { staleTokens: 60 },
    ],
    [
      'parts that left, also without a prune or a pivot',
      [
        { type: 'eviction', by: 'pivot', parts: 3 },
        { type: 'eviction', by: 'window', parts: 2 },
      ],
      { evictions: 5, hasSlid: true },
    ],
    [
      'standing items at the end alone',
      [standing('pivot', 2), standing('run-end', 1)],
      {
        constraints: 3,
        goneConstraints: 1,
        paths: 4,
        gonePaths: 1,
        fileReads: 7,
        fileRereads: 2,
        loops: 1,
      },
    ],
  ])('count %s', (_, events, totals) => {
    expect(totalsOf(events)).toEqual({ ...NO_REGRET, ...totals });
  });
});

const LINE = 'This line is about the shop.';
const messages = [
  user('u1'),
  read('s1', 'f1', `${LINE}\n${wordsOf(300)}`),
  say('s2', 'ok'),
  user('u2'),
  edit('s3', 'f1', LINE),
  say('s4', 'ok'),
];
const policy = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const model = modelOf({}, { limits: { contextTokens: 1_000_000 } });
const options = { policy, model, summarizer: fixed, seed: 1 };
const costOf = (mode: 'open-loop' | 'closed-loop') => {
  const { costs } = foldRun(runTrace(traceOf(messages), { ...options, mode }));
  return costs!.stepsNanoUsd.reduce((sum, cost) => sum + cost, costs!.summariesNanoUsd);
};

/** The regret of a run in one of the loops, in nano-dollars. */
function regretIn(mode: 'open-loop' | 'closed-loop', session = messages): number | null {
  const trace = traceOf(session);
  const own = { ...options, mode };
  const control = foldRun(runTrace(trace, { ...own, policy: policies.none }));
  const key = { session: 'lab', policy: 'p', model: 'm', summarizer: 's', seed: 1 };
  const events = [...runTrace(trace, own)];
  const { metrics } = recordRun({ ...key, ...(mode === 'closed-loop' && { mode }) }, events, {
    control,
    runBounds: prepareBounds(trace, own),
  });
  return metrics.regretUsd === null ? null : Math.round(metrics.regretUsd * 1e9);
}

describe('the price of losing', () => {
  it('is what the closed loop costs more than the open one, whichever of them is run', () => {
    const difference = costOf('closed-loop') - costOf('open-loop');
    expect(difference).toBeGreaterThan(0);
    expect([regretIn('open-loop'), regretIn('closed-loop')]).toEqual([difference, difference]);
  });

  it('is nothing where the session reads again by itself what it lost', () => {
    const lines = [1, 2, 3].map((nth) => `Line ${nth} of the file about the shop.`).join('\n');
    const session = [
      user('u1'),
      read('s1', 'f1', lines),
      user('u2'),
      read('s2', 'f1', lines),
      say('s3', 'ok'),
    ];
    const { regret } = foldRun(runTrace(traceOf(session), options));
    expect(regret.misses).toBe(1);
    expect(regretIn('open-loop', session)).toBe(0);
  });

  it('is unknown where nobody can run the other loop', () => {
    const trace = traceOf(messages);
    const events = [...runTrace(trace, options)];
    const key = { session: 'lab', policy: 'p', model: 'm', summarizer: 's', seed: 1 };
    expect(recordRun(key, events, { control: foldRun(events) }).metrics.regretUsd).toBeNull();
  });
});
