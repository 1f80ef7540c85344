import { describe, expect, it } from 'vitest';
import {
  policies,
  type Policy,
  replaceEviction,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { foldRun, prepareBounds } from '../../../src/simulator/metrics/fold.ts';
import { addUsd } from '../../../src/simulator/metrics/metric-rows.ts';
import {
  addedBy,
  combine,
  measure,
  type MetricValues,
} from '../../../src/simulator/metrics/metrics.ts';
import { recordRun, findBounds } from '../../../src/simulator/metrics/record.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { step as message, tool } from '../../support/history.ts';
import { answer, ask, fixed, modelOf, traceOf, wordsOf } from '../replay/lab.ts';
import { called } from '../replay/references/sessions.ts';
import { prune, start, step } from './events.ts';

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
