import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { foldRun, prepareBounds } from '../../../src/simulator/metrics/fold.ts';
import { recordRun } from '../../../src/simulator/metrics/record.ts';
import {
  createRegretFold,
  NO_REGRET,
  type RegretTotals,
} from '../../../src/simulator/metrics/totals.ts';
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
      {
        references: 1,
        referencedTokens: 1_000,
        misses: 1,
        missedTokens: 1_000,
        usedMisses: 1,
        mayReact: true,
      },
    ],
    [
      'a loss that the recording read again for it had lost it, too',
      [miss({ use: 'caused' })],
      { references: 1, referencedTokens: 1_000, misses: 1, missedTokens: 1_000, causedMisses: 1 },
    ],
    [
      'a loss that was counted and is not read again yet',
      [need({ goneBy: 'prune' })],
      { references: 1, referencedTokens: 1_000 },
    ],
    [
      'what is no loss, apart',
      (['habit', 'carried', 'unknown'] as const).map((use) => need({ use, goneBy: 'pivot' })),
      { references: 3, referencedTokens: 3_000, habitNeeds: 1, carriedNeeds: 1, unknownNeeds: 1 },
    ],
    [
      'expected values of losses by their part',
      [miss({ chance: 0.4 }), miss({ chance: 0.4, isRecoverable: false, kind: 'name' })],
      {
        references: 1,
        referencedTokens: 1_000,
        misses: 0.4,
        usedMisses: 0.4,
        missedTokens: 400,
        unrecoverableMisses: 0.4,
        expectedMisses: 0.8,
        mayReact: true,
      },
    ],
    [
      'what an agent that still held it need not read, as reason to let it react',
      [need({ use: 'caused' })],
      { references: 1, referencedTokens: 1_000, mayReact: true },
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
  return costs!.stepsNanoUsd + costs!.summariesNanoUsd;
};

/** The regret of a run in one of the loops, in nano-dollars. */
function regretIn(mode: 'open-loop' | 'closed-loop', session = messages): number | null {
  const trace = traceOf(session);
  const own = { ...options, mode };
  const key = { session: 'lab', policy: 'p', model: 'm', summarizer: 's', seed: 1 };
  const events = [...runTrace(trace, own)];
  const { metrics } = recordRun({ ...key, ...(mode === 'closed-loop' && { mode }) }, events, {
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
    expect([regret.misses, regret.habitNeeds]).toEqual([0, 1]);
    expect(regretIn('open-loop', session)).toBe(0);
  });

  it('is unknown where nobody can run the other loop', () => {
    const trace = traceOf(messages);
    const events = [...runTrace(trace, options)];
    const key = { session: 'lab', policy: 'p', model: 'm', summarizer: 's', seed: 1 };
    expect(recordRun(key, events).metrics.regretUsd).toBeNull();
  });
});
