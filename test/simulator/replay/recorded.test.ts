import { describe, expect, it } from 'vitest';
import type { Message, Usage } from '../../../src/engine/index.ts';
import { foldRun } from '../../../src/simulator/metrics/fold.ts';
import { measure } from '../../../src/simulator/metrics/metrics.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { hasUsage, replayRecorded } from '../../../src/simulator/replay/recorded.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import { findBaseline } from '../../../src/simulator/sweep/run/prepare.ts';
import { manifest, note, textOf } from '../session/manifest.ts';
import { sessionOf } from '../session/statistics/session.ts';
import { answer, ask, countTokens, modelOf } from './lab.ts';

/** List prices in nano-dollars a token: of fresh input, of output, of cache reads, of writes that live for an hour. */
const [FRESH, OUTPUT, READ, WRITE] = [3, 15, 0.3, 6];

const model = createProfile(
  'anthropic/lab',
  { contextTokens: 200_000 },
  {
    prices: {
      inputPicoUsd: 3_000,
      outputPicoUsd: 15_000,
      cacheReadPicoUsd: 300,
      cacheWritePicoUsd: 3_750,
      tiers: [],
    },
  },
);

const usageOf = (input: number, cacheRead: number, cacheWrite: number, output: number): Usage => ({
  input,
  cacheRead,
  cacheWrite,
  output,
  reasoning: 0,
});

const ownSummary = usageOf(50, 9_010, 1_000, 700);

const messages: readonly Message[] = [
  ask('u1', 5),
  answer('s1', 10, { usage: usageOf(3, 0, 9_001, 101) }),
  answer('s2', 10, { usage: usageOf(7, 9_001, 1_013, 211) }),
  ask('u2', 5),
  answer('s3', 10),
  answer('s4', 10, { usage: usageOf(11, 0, 4_007, 307) }),
  ask('u3', 5),
  answer('s5', 10, { usage: usageOf(13, 4_007, 501, 401) }),
];

const session = sessionOf(messages, {
  recordedCompactions: [
    { kind: 'full', trigger: 'manual', messageIndex: 3, summaryUsage: ownSummary },
    { kind: 'micro', messageIndex: 5, tokensBefore: 900, tokensAfter: 400 },
    { kind: 'full', messageIndex: 8, tokensBefore: 5_000 },
  ],
  cacheTtlMs: 3_600_000,
});

const compile = (given: Session) =>
  compileSession(given, {
    tokenizer: 'lab',
    tokenizerEvidence: 'estimated',
    count: countTokens,
  });

const eventsOf = (given: Session = session) => [
  ...replayRecorded(compile(given), { model, seed: 1 }),
];
const valuesOf = (given: Session = session) => measure({ run: foldRun(eventsOf(given)) });

describe('replayRecorded', () => {
  it('gives the contexts and compactions of the recording in their order, and no step without usage', () => {
    const told = eventsOf().flatMap((event) => {
      if (event.type === 'step-end') return [`step ${event.step}: ${event.contextTokens}`];
      if (event.type === 'prune-end') return [`cleared ${event.estimatedTokens}`];
      if (event.type === 'summary-end') return [`summary of ${event.inputTokens}`];
      if (event.type !== 'pivot') return [event.type];
      const { auto, contextBeforeTokens: before, contextAfterTokens: after } = event;
      return [`${auto ? 'auto' : 'manual'} ${before} to ${after ?? 'unknown'}`];
    });
    expect(told).toEqual([
      'run-start',
      'turn-start',
      'step 1: 9004',
      'step 2: 10021',
      'turn-end',
      'turn-start',
      'summary of 10060',
      'manual 10021 to 4018',
      'cleared 500',
      'step 4: 4018',
      'turn-end',
      'turn-start',
      'step 5: 4521',
      'turn-end',
      'auto 5000 to unknown',
      'run-end',
    ]);
  });

  it('is billed as an independent recount of the usage at list prices, to the nano-dollar', () => {
    const fresh = (3 + 7 + 11 + 13) * FRESH;
    const read = [0, 9_001, 0, 4_007].map((tokens) => Math.round(tokens * READ));
    const write = (9_001 + 1_013 + 4_007 + 501) * WRITE;
    const output = (101 + 211 + 307 + 401) * OUTPUT;
    const steps = fresh + read.reduce((total, each) => total + each, 0) + write + output;
    const summary = 50 * FRESH + Math.round(9_010 * READ) + 1_000 * WRITE + 700 * OUTPUT;
    const { costs } = foldRun(eventsOf());
    expect(costs).toEqual({ stepsNanoUsd: steps, summariesNanoUsd: summary });
  });

  it('is billed by the model that answered each step', () => {
    const prices = { ...model.prices!, outputPicoUsd: 16_000 };
    const modelChanges = [{ messageId: 's2', model: { ...model, id: 'anthropic/dear', prices } }];
    const events = [...replayRecorded(compile(session), { model, modelChanges, seed: 1 })];
    expect(events.filter(({ type }) => type === 'model-changed')).toMatchObject([
      { step: 2, model: 'anthropic/dear', limits: model.limits, prices: { outputPicoUsd: 16_000 } },
    ]);
    const { costs } = foldRun(events);
    const { costs: alone } = foldRun(eventsOf());
    expect(costs?.stepsNanoUsd).toBe((alone?.stepsNanoUsd ?? 0) + 211 + 307 + 401);
    expect(costs?.summariesNanoUsd).toBe((alone?.summariesNanoUsd ?? 0) + 700);
  });

  it('knows how much is not recorded, and takes it for unknown and not for nothing', () => {
    const known = valuesOf({
      ...session,
      recordedCompactions: session.recordedCompactions.slice(0, 1),
    });
    expect(known).toMatchObject({
      unrecordedRequests: 1,
      summaryOutputTokens: 700,
      compactions: 1,
    });
    expect(valuesOf()).toMatchObject({
      steps: 4,
      unrecordedRequests: 2,
      compactions: 2,
      prunes: 1,
      costSummariesUsd: null,
      summaryInputTokens: null,
      overflows: null,
      misses: null,
      regretUsd: null,
      finalContextTokens: null,
    });
  });

  it('has no cost and no cache where the usage does not tell cached tokens apart', () => {
    expect(valuesOf({ ...session, isCacheUnknown: true })).toMatchObject({
      inputTokens: 9_004 + 10_021 + 4_018 + 4_521,
      costUsd: null,
      cacheReadTokens: null,
      hitRate: null,
    });
  });
});

describe('the baseline of savings', () => {
  const options = { model, seed: 1 };
  const withoutUsage = {
    ...session,
    messages: [ask('u1', 50), answer('s1', 50), answer('s2', 50)],
    recordedCompactions: [],
  };

  it('is the recorded run where there is usage that a provider reported', () => {
    expect(findBaseline(compile(session), options)?.name).toBe('recorded');
    const scripted = { ...session, model: 'compaction-bench/scripted' };
    expect(findBaseline(compile(scripted), options)?.name).toBe('none');
    const generated = { ...session, format: 'generated' };
    expect(findBaseline(compile(generated), options)?.name).toBe('none');
  });

  it('is the run that never compacts where there is none, as long as that fits the window', () => {
    const trace = compile(withoutUsage);
    const small = modelOf({ trueContextTokens: 12_080 });
    expect(hasUsage(trace)).toBe(false);
    expect(findBaseline(trace, options)?.name).toBe('none');
    expect(findBaseline(trace, { ...options, model: small })).toBeUndefined();
  });
});

/** Contexts as the lines of a transcript have them: of each answer, by the last usage that is noted for it. */
function countedContexts(text: string): readonly number[] {
  const contexts = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.includes('"type":"assistant"')) continue;
    const { message = {}, isSidechain } = JSON.parse(line);
    const { id, usage } = message;
    if (isSidechain || usage === undefined) continue;
    const { input_tokens: input, cache_read_input_tokens: read = 0 } = usage;
    const total = input + read + (usage.cache_creation_input_tokens ?? 0);
    if (total > 0) contexts.set(id, total);
  }
  return [...contexts.values()];
}

/** One line of another has two records, and a fragment has a single step. */
const odd = /3799-glued-line|8cfa-tiny-fragment/;
const recordings = manifest
  .map(({ file }) => file)
  .filter((file) => /claude-code\/(entire|kimi)/.test(file) && !odd.test(file));

describe.skipIf(note !== '')(`recorded Claude Code sessions${note}`, () => {
  it.each(recordings)('have the contexts of their usage to the token: %s', (file) => {
    const [main] = readSessions(file, textOf(file));
    const contexts = eventsOf(main).flatMap((event) =>
      event.type === 'step-end' ? [event.contextTokens] : [],
    );
    expect(contexts.length).toBeGreaterThan(10);
    expect(contexts).toEqual(countedContexts(textOf(file)));
  });
});
