import { beforeAll, describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../../src/engine/index.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { measure } from '../../../../src/simulator/metrics/metrics.ts';
import { createRandom } from '../../../../src/simulator/random.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import { findObjective } from '../../../../src/simulator/sweep/tune/objective.ts';
import { type Tuned, tune } from '../../../../src/simulator/sweep/tune/tune.ts';
import type { Observation } from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { bestThresholdTokens } from '../../../support/best-threshold.ts';
import { ask, call, modelOf, run, summarizerOf, traceOf, wordsOf } from '../../replay/lab.ts';

const WINDOW_TOKENS = 200_000;
const SUMMARY_TOKENS = 6_000;
const GROWTH_TOKENS = 1_750;
const SESSIONS = 10;
/** Thresholds from far too early to far too late. */
const THRESHOLDS = [18, 27, 36, 45, 54, 70, 95, 140].map((thousands) => 1_000 * thousands);

/** As of Claude Sonnet 4.5: reads a tenth of fresh input, writes a quarter more. */
const model = modelOf(
  { cache: 'anthropic-5m' },
  {
    limits: { contextTokens: WINDOW_TOKENS, outputTokens: 32_000 },
    prices: {
      inputPicoUsd: 3_000_000,
      outputPicoUsd: 15_000_000,
      cacheReadPicoUsd: 300_000,
      cacheWritePicoUsd: 3_750_000,
      tiers: [],
    },
  },
);
let summaries = 0;
/** No two are the same: one that is written again would be read from the cache. */
const summarizer = summarizerOf(() => {
  summaries += 1;
  const number = String(summaries).padStart(4, '0');
  return { state: 'finished', text: `${number}${wordsOf(SUMMARY_TOKENS - 1)}`, finish: 'stop' };
});
const random = createRandom(3);

/** A session that grows steadily, each by something else around the mean; long, since the formula knows no end. */
function grow(): Trace {
  const steps = 120 + Math.floor(80 * random());
  const growth = Math.round(GROWTH_TOKENS * (0.8 + 0.4 * random()));
  const calls = Array.from({ length: steps }, (_, index) => call(`s${index + 1}`, growth));
  const trace = traceOf([ask('u1', 10), ...calls]);
  return { ...trace, basis: { ...trace.basis, overheadTokens: 0 } };
}

/** What a session comes to where it is compacted as soon as it reaches the threshold. */
function observeRun(trace: Trace, session: string, thresholdTokens: number): Observation {
  const reservedTokens = WINDOW_TOKENS - thresholdTokens;
  const policy = resolvePolicy(policies['opencode-1.1.57'], {
    trigger: { reservedTokens },
    prune: { enabled: false },
  });
  const { events } = run(trace, { policy, model, summarizer });
  const totals = foldRun(events);
  const values = measure({ run: totals, control: totals });
  const end = events.at(-1);
  return {
    cell: `reserved ${reservedTokens}`,
    session,
    state: end?.type === 'run-end' ? end.state : 'failed',
    digest: `${values.compactions} ${values.inputTokens}`,
    values,
  };
}

const cells = THRESHOLDS.map((threshold) => {
  const reserved = WINDOW_TOKENS - threshold;
  return { id: `reserved ${reserved}`, settings: { reserved } };
});

/** Growth, size after a compaction and prices as the runs have them; the summary request is cached nowhere. */
const bestTokens = bestThresholdTokens({
  growthTokens: GROWTH_TOKENS,
  afterTokens: SUMMARY_TOKENS,
  rereadTokens: 0,
  penaltyPicoUsd: 0,
  summaryTokens: SUMMARY_TOKENS,
  model: {
    inputPicoUsd: 3_000_000,
    outputPicoUsd: 15_000_000,
    readMultiplier: 0.1,
    writeMultiplier: 1.25,
    coldShare: 0,
  },
  summarizer: { inputPicoUsd: 3_000_000, outputPicoUsd: 15_000_000, historyMultiplier: 1.25 },
});

describe('tuning sessions that grow steadily', () => {
  let tuned: Tuned;
  beforeAll(() => {
    const traces = Array.from({ length: SESSIONS }, grow);
    const observations = traces.flatMap((trace, index) =>
      THRESHOLDS.map((threshold) => observeRun(trace, `session ${index}`, threshold)),
    );
    const today = { id: 'reserved 60000', settings: { reserved: 60_000 } };
    const outcome = tune(observations, {
      cells,
      today,
      varied: ['reserved'],
      objectives: [findObjective('cost')],
      constraints: [],
      heldOutShare: 0.4,
      seed: 1,
    });
    if (outcome.state !== 'tuned') throw new Error(outcome.reason);
    tuned = outcome.tuned;
  });

  it('finds the threshold of formula 4 within its interval', () => {
    const { low, high } = tuned.knee!.intervals['reserved']!;
    expect(WINDOW_TOKENS - high).toBeLessThanOrEqual(bestTokens);
    expect(WINDOW_TOKENS - low).toBeGreaterThanOrEqual(bestTokens);
  });

  it('leaves out what is far too early and far too late', () => {
    const { low, high } = tuned.knee!.intervals['reserved']!;
    expect(WINDOW_TOKENS - high).toBeGreaterThan(18_000);
    expect(WINDOW_TOKENS - low).toBeLessThan(95_000);
  });

  it('says by how much the latest threshold is worse, on sessions that were held out', () => {
    expect(tuned.today).toMatchObject({ state: 'dominated', distance: 1 });
    expect(tuned.sessions).toMatchObject({ tuning: 6, heldOut: 4 });
    expect(tuned.advice).toMatchObject({ state: 'change', isHeldOut: true });
    expect(tuned.advice.compared[0]!.outcomes[0]!.estimate.value).toBeLessThan(0.9);
  });
});
