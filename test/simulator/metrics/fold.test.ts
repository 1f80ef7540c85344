import { describe, expect, it } from 'vitest';
import {
  policies,
  type Policy,
  replaceEviction,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { findBounds, foldRun, prepareBounds } from '../../../src/simulator/metrics/fold.ts';
import { addUsd } from '../../../src/simulator/metrics/metric-rows.ts';
import {
  addedBy,
  combine,
  measure,
  type MetricValues,
} from '../../../src/simulator/metrics/metrics.ts';
import { recordRun } from '../../../src/simulator/metrics/record.ts';
import {
  emptyTotals,
  type RunTotals,
  type StepTotals,
} from '../../../src/simulator/metrics/totals.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { step as message, tool } from '../../support/history.ts';
import { answer, ask, fixed, modelOf, traceOf, wordsOf } from '../replay/lab.ts';
import { called } from '../replay/references/sessions.ts';
import {
  end,
  failedSummary,
  pivot,
  prune,
  start,
  step,
  summary,
  unpriced,
  unpricedStart,
} from './events.ts';

/** Sums of one step alone; 0 is before the first. */
const only = (step: number, sums: Partial<StepTotals>): RunTotals['byStep'] => {
  const nothing = { contextTokens: 0, nanoUsd: 0, summaryTokens: 0, summaryNanoUsd: 0 };
  return new Map([[step, { isAnswered: step > 0, ...nothing, ...sums }]]);
};

describe('foldRun', () => {
  it('is nothing of no events', () => {
    expect(foldRun([])).toEqual(emptyTotals());
  });

  it.each<[string, readonly RunEvent[], Partial<RunTotals>]>([
    ['recorded compactions', [unpricedStart], { recordedCompactions: 4 }],
    [
      'turns',
      [
        { type: 'turn-start', turn: 1 },
        { type: 'turn-start', turn: 2 },
      ],
      { turns: 2 },
    ],
    [
      'steps, with the largest context',
      [step(), step({ contextTokens: 300 }), step({ contextTokens: 200 })],
      {
        steps: 3,
        inputTokens: 600,
        outputTokens: 30,
        peakContextTokens: 300,
        byStep: only(1, { contextTokens: 600, nanoUsd: 300 }),
        uncachedTokens: 300,
        afterTool: { inputTokens: 600, cacheReadTokens: 0 },
        latencyMs: 21,
      },
    ],
    [
      'kinds of input, and those after a prompt and after a tool apart',
      [
        step({ opensTurn: true, cacheReadTokens: 20, cacheWriteTokens: 30, freshTokens: 50 }),
        step({ cacheReadTokens: 90, freshTokens: 10 }),
        step({ opensTurn: true, cacheReadTokens: 5, freshTokens: 95 }),
      ],
      {
        steps: 3,
        inputTokens: 300,
        outputTokens: 30,
        peakContextTokens: 100,
        byStep: only(1, { contextTokens: 300, nanoUsd: 300 }),
        cacheReadTokens: 115,
        cacheWriteTokens: 30,
        uncachedTokens: 155,
        afterUser: { inputTokens: 200, cacheReadTokens: 25 },
        afterTool: { inputTokens: 100, cacheReadTokens: 90 },
        latencyMs: 21,
      },
    ],
    [
      'breaks of the prefix, and steps on a cold cache',
      [step({ lostTokens: 1 }), step({ isCold: true }), step({ lostTokens: 9, isCold: true })],
      {
        steps: 3,
        inputTokens: 300,
        outputTokens: 30,
        peakContextTokens: 100,
        byStep: only(1, { contextTokens: 300, nanoUsd: 300 }),
        uncachedTokens: 300,
        afterTool: { inputTokens: 300, cacheReadTokens: 0 },
        prefixBreaks: 2,
        coldSteps: 2,
        latencyMs: 21,
      },
    ],
    [
      'overflows by path, of which refusals are known by their requests',
      [
        { type: 'overflow', path: 'after-step', countTokens: 2, usableTokens: 1 },
        { type: 'overflow', path: 'before-request', countTokens: 2, usableTokens: 1 },
        { type: 'overflow', path: 'before-request', countTokens: 2, usableTokens: 1 },
        { type: 'overflow', path: 'before-request', countTokens: 2, usableTokens: 1 },
        { type: 'step-refused', step: 1, contextTokens: 2, windowTokens: 1, isRecognised: true },
        { type: 'overflow', path: 'refused' },
        { type: 'step-refused', step: 1, contextTokens: 2, windowTokens: 1, isRecognised: false },
      ],
      { overflowsAfterStep: 1, overflowsBeforeRequest: 3, refusals: 2 },
    ],
    [
      'prunes that fired, and those that found too little',
      [
        prune(),
        prune({ prunedTokens: 1, estimatedTokens: 2 }),
        prune({ state: 'below-minimum', prunedTokens: 0 }),
        prune({ state: 'nothing', prunedTokens: 0 }),
      ],
      { prunes: 2, prunesBelowMinimum: 1, prunedTokens: 20_001, prunedTokensEstimated: 21_002 },
    ],
    [
      'summaries, those that failed too, and those that were rejected',
      [summary(), failedSummary, summary(), { type: 'summary-rejected', reason: 'empty' }],
      {
        summaryInputTokens: 80_000,
        summaryOutputTokens: 10_000,
        failedCompactions: 2,
        latencyMs: 22,
        byStep: only(0, { summaryTokens: 90_000, summaryNanoUsd: 100_000 }),
      },
    ],
    [
      'pivots, and those that left 95 % or more',
      [
        pivot(),
        pivot({ contextAfterTokens: 94_999 }),
        pivot({ contextAfterTokens: 95_000 }),
        pivot({ contextAfterTokens: 120_000 }),
      ],
      { compactions: 4, ineffectiveCompactions: 2 },
    ],
    ['what a next request would hold', [end], { finalContextTokens: 77 }],
    [
      'nothing of what tells of no number',
      [
        { type: 'turn-end', turn: 1 },
        { type: 'request-failed', of: 'step', step: 1, failure: 'fail' },
      ],
      {},
    ],
    [
      'requests that were cut without a word',
      [
        { type: 'step-truncated', step: 1, contextTokens: 2, keptTokens: 1 },
        { ...failedSummary, state: 'answered', keptTokens: 1 },
      ],
      { truncations: 2, byStep: only(0, {}) },
    ],
  ])('adds up %s', (_, events, totals) => {
    const { paybacks: _paybacks, ...folded } = foldRun(events);
    const { paybacks: _none, ...empty } = emptyTotals();
    expect(folded).toEqual({ ...empty, ...totals });
  });
});

describe('the costs of a run', () => {
  it('are those of its steps and of its summaries', () => {
    const events = [start(), step(), summary(), failedSummary, step({ costNanoUsd: 3 }), summary()];
    expect(foldRun(events).costs).toEqual({ stepsNanoUsd: 103, summariesNanoUsd: 100_000 });
  });

  it.each<[string, readonly RunEvent[]]>([
    ['the model has no known price', [unpricedStart, step()]],
    ['another model went on that has none', [start(), step(), unpriced(step()), step()]],
    ['the model of a summary has none', [start(), step(), unpriced(summary()), step()]],
  ])('are unknown where %s', (_, events) => {
    expect(foldRun(events)).not.toHaveProperty('costs');
  });
});

type Reference = RunEvent & { readonly type: 'reference' };

/** A reference to 1,000 tokens that a prune had cleared. */
const miss = (overrides: Partial<Reference> = {}): Reference => ({
  type: 'reference',
  step: 2,
  kind: 'anchor',
  document: 1,
  isRecoverable: true,
  messageId: 's1',
  partId: 'p1',
  partIds: ['p1'],
  sinceStep: 1,
  tokens: 1_000,
  missedBy: 'prune',
  ...overrides,
});

/** The sums of a run whose regret is a nano-dollar for each missed token. */
function fold(events: readonly RunEvent[]) {
  const totals = foldRun(events);
  return { ...totals, regret: { ...totals.regret, regretNanoUsd: totals.regret.missedTokens } };
}

/** Two steps, the second of which misses these. */
const runOf = (...misses: readonly Reference[]): readonly RunEvent[] => [
  start(),
  step(),
  prune(),
  ...misses,
  step({ step: 2 }),
];
const [lost, lostLess, lostNothing] = [runOf(miss(), miss()), runOf(miss()), runOf()].map(
  (events) => ({ events, totals: fold(events) }),
) as [Folded, Folded, Folded];

interface Folded {
  readonly events: readonly RunEvent[];
  readonly totals: ReturnType<typeof fold>;
}

const never = () => {
  throw new Error('Expected that no bound is run.');
};

describe('findBounds', () => {
  it('takes the clairvoyant where a prune fired and something was missed', () => {
    expect(findBounds(lost.totals, () => [lostLess.totals])).toEqual([lostLess.totals]);
  });

  it('takes it where pivots alone lost something, as rows of the same schedule do', () => {
    const run = fold(runOf(miss({ missedBy: 'pivot' })));
    expect(findBounds(run, () => [lostNothing.totals])).toEqual([lostNothing.totals]);
  });

  it('takes the run itself where nothing was missed', () => {
    expect(findBounds(lostNothing.totals, never)).toEqual([]);
  });

  it.each([
    ['pivots alone lost something', [miss({ missedBy: 'pivot' })]],
    ['a prune found too little', [prune({ state: 'below-minimum' }), miss({ missedBy: 'pivot' })]],
    ['nothing was missed', []],
  ])('knows none where %s, for theirs would be the run itself', (_, events) => {
    const run = fold([start(), step(), ...events, step({ step: 2 })]);
    expect(findBounds(run, never)).toBeUndefined();
  });

  it.each<[string, RunEvent]>([
    ['behind a window', { type: 'eviction', by: 'window', parts: 1 }],
    ['with a summary that failed', { type: 'eviction', by: 'failed-summary', parts: 1 }],
    ['into a memory', { type: 'eviction', by: 'memory', parts: 1 }],
  ])('knows none where parts went %s, which no prune could have kept', (_, event) => {
    const run = fold([start(), event, ...runOf(miss({ missedBy: 'pivot' })).slice(1)]);
    expect(findBounds(run, never)).toBeUndefined();
  });

  it('takes the clairvoyant of a closed loop as well, which reads less again', () => {
    const rereads = [step({ step: 2, reread: 1 }), step({ step: 2, reread: 2 })];
    const run = fold([...lost.events.slice(0, -1), ...rereads, step({ step: 2 })]);
    const bound = fold([...lostLess.events.slice(0, -1), ...rereads.slice(1), step({ step: 2 })]);
    expect(findBounds(run, () => [bound])).toEqual([bound]);
  });

  it('takes the base besides, where that got as far', () => {
    const shorter = fold([start(), step()]);
    const runs = [lostLess.totals, lostNothing.totals, shorter];
    expect(findBounds(lost.totals, () => runs)).toEqual(runs.slice(0, 2));
  });

  it('knows none where it cannot be run, or where it got to another step', () => {
    const shorter = fold([start(), step()]);
    expect(findBounds(lost.totals, undefined)).toBeUndefined();
    expect(findBounds(lost.totals, () => [shorter, lostLess.totals])).toBeUndefined();
  });
});

describe('the bound', () => {
  const run = lost.totals;

  it('is the least of each number, whichever of the two has it, so that none is below it', () => {
    const few = fold([
      ...runOf(miss({ tokens: 9_000 })).slice(0, -1),
      step({ step: 2, costNanoUsd: 100 }),
    ]);
    const light = fold([...lost.events.slice(0, -1), step({ step: 2, costNanoUsd: 400 })]);
    const [one, other] = [
      measure({ run: few, bounds: [light] }),
      measure({ run: light, bounds: [few] }),
    ];
    expect(one).toMatchObject({ misses: 1, boundMisses: 1, boundRegretUsd: other.regretUsd });
    expect(other).toMatchObject({ misses: 2, boundMisses: 1, boundRegretUsd: other.regretUsd });
  });

  it('is unknown without a bound', () => {
    expect(measure({ run })).toMatchObject({ boundMisses: null, boundRegretUsd: null });
  });
});

describe('the bounds of several runs', () => {
  const pruned = measure({ run: lost.totals, bounds: [lostLess.totals] });
  const pivoting = fold([start(), step(), miss({ missedBy: 'pivot' }), step({ step: 2 })]);
  const pivoted = measure({ run: pivoting, bounds: findBounds(pivoting, never) });
  const unknown = measure({ run: lost.totals });

  it('have what one adds in which no prune fired: its own numbers', () => {
    expect(combine([pruned, pivoted])).toMatchObject({
      misses: 3,
      boundMisses: 2,
      boundRegretUsd: addUsd(pruned.boundRegretUsd!, pivoted.regretUsd!),
    });
    expect(combine([pivoted, pruned])).toEqual(combine([pruned, pivoted]));
    expect(combine([combine([pivoted, pivoted]), pruned])).toMatchObject({ boundMisses: 3 });
  });

  it.each([
    ['in none of them a prune fired', [pivoted, pivoted]],
    ['one that pruned has none', [pruned, pivoted, unknown]],
  ])('are unknown where %s', (_, runs) => {
    expect(combine(runs)).toMatchObject({ boundMisses: null, boundRegretUsd: null });
  });

  it('are added one by one where each counts', () => {
    const names = ['boundMisses', 'missRate', 'steps'];
    const added = (values: MetricValues) => names.map((name) => addedBy(values, name));
    expect(added(pivoted)).toEqual([1, 1, 2]);
    expect(added(pruned)).toEqual([1, 1, 2]);
    expect(added(unknown)).toEqual([null, 1, 2]);
  });
});

const output = (id: string, words: string) => tool(id, `${wordsOf(300)}\n${words}`);
/** An edit that stands on a line. */
const replacing = (id: string, oldString: string) =>
  called(id, 'edit', { filePath: id, oldString }, 'ok');

describe('prepareBounds', () => {
  const NAME = 'a-rather-long-name-of-1234567.txt';
  const session = [
    ask('u1', 5),
    message('s1', [output('needed', NAME), output('idle', ''), output('newest', '')], {
      finish: 'tool-calls',
    }),
    answer('s2', 5),
    ask('u2', 5),
    answer('s3', 5),
    ask('u3', 5),
    message('s4', [tool('uses', 4, { tool: 'skill' }), replacing('t4', NAME)]),
  ];
  const policy = resolvePolicy(policies['opencode-1.2.16'], {
    prune: { byAge: { protectTokens: 700, minimumTokens: 100, guardTurns: 1 } },
  });
  const options = { policy, model: modelOf(), summarizer: fixed, seed: 1 };
  const trace = traceOf(session);
  const key = { session: 'lab', policy: '', model: '', summarizer: '', seed: 1 };

  it('gives a run that keeps what will be needed', () => {
    const events = [...runTrace(trace, options)];
    const runBounds = prepareBounds(trace, options);
    const { metrics } = recordRun(key, events, { runBounds });
    expect(metrics).toMatchObject({ prunes: 1, misses: 1, boundMisses: 0 });
  });

  it('gives what evicts in another order the run of the base too, so that both are told one bound', () => {
    const names = ['alpha', 'beta', 'gamma'].map((word) => `a-rather-long-${word}-of-1234567.txt`);
    const outputs = names.map((name, index) =>
      tool(`output-${index}`, `${wordsOf(index === 0 ? 340 : 180)}\n${name}`),
    );
    const needing = names.flatMap((text, index) => [
      ask(`u${index + 4}`, 5),
      message(`n${index}`, [replacing(`t${index}`, text)]),
    ]);
    const needed = traceOf([
      ask('u1', 5),
      message('s1', outputs, { finish: 'tool-calls' }),
      answer('s2', 5),
      ask('u2', 5),
      answer('s3', 5),
      ...needing,
    ]);
    const metricsOf = (each: Policy) => {
      const own = { ...options, policy: each };
      const events = [...runTrace(needed, own)];
      return recordRun(key, events, { runBounds: prepareBounds(needed, own) }).metrics;
    };
    const [base, clairvoyant] = [policy, replaceEviction(policy, 'clairvoyant')].map(metricsOf);
    expect([base?.misses, clairvoyant?.misses]).toEqual([1, 2]);
    expect([base?.boundMisses, clairvoyant?.boundMisses]).toEqual([1, 1]);
  });

  it('is not told to those who watch the run', () => {
    const seen: string[] = [];
    const onTransition = () => seen.push('move');
    prepareBounds(trace, { ...options, onTransition })?.bounds();
    expect(seen).toEqual([]);
  });

  it('asks no real model', () => {
    const summarizer = {
      ...fixed,
      isAsync: true as const,
      summarise: () => Promise.reject(new Error('Expected that nobody is asked.')),
    };
    expect(prepareBounds(trace, { ...options, summarizer })).toBeUndefined();
  });
});
