import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { createTally } from '../../../../src/simulator/session/reading/fields.ts';
import {
  countKinds,
  type DraftMessage,
  shareUsage,
  splitCount,
} from '../../../../src/simulator/session/reading/transcript.ts';
import { poolSessions } from '../../../../src/simulator/session/statistics/pool.ts';
import { sampleSession } from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';

const chat = (...metrics: readonly object[]) =>
  JSON.stringify({
    schema_version: 'ATIF-v1.4',
    session_id: 's',
    agent: { name: 'a', version: '1' },
    steps: [
      { step_id: 1, source: 'user', message: 'x' },
      ...metrics.map((each, index) => ({
        step_id: index + 2,
        source: 'agent',
        message: 'y',
        metrics: each,
      })),
    ],
  });
const TOLD = { prompt_tokens: 50, completion_tokens: 5, cached_tokens: 0 };
const UNTOLD = { prompt_tokens: 50, completion_tokens: 5 };

function shareOf(text: string) {
  const options = charsEstimator;
  const samples = readSessions('x', text).map((session) => sampleSession(session, options));
  return poolSessions(samples).recordedCacheReadShare;
}

it('cache reads are left out of statistics where they are unknown', () => {
  expect(shareOf(chat(UNTOLD))).toBeNull();
  expect(shareOf(chat(TOLD))).toMatchObject({ n: 1, p50: 0 });
});

it.each([{}, { completion_tokens: 9 }, { prompt_tokens: 0, completion_tokens: 0 }])(
  'usage of a chat with %j is unknown',
  (count) => {
    expect(splitCount(count)).toBeUndefined();
  },
);

describe('countKinds', () => {
  it.each<[string, Parameters<typeof countKinds>[0], unknown]>([
    ['no input, where there are cache reads', { input: 0, cacheRead: 40 }, { cacheRead: 40 }],
    ['no input, where there is output', { input: 0, output: 9 }, { input: 0, output: 9 }],
    ['a negative input as none', { input: -3, output: 9 }, { input: 0, output: 9 }],
    ['cache reads that are not told', { input: 5 }, { cacheRead: 0, isCacheUnknown: true }],
  ])('counts %s', (_, recorded, expected) => {
    expect(countKinds(recorded)).toMatchObject(expected as object);
  });
});

describe('usage that several requests share', () => {
  const stepOf = (chars: number): DraftMessage => ({
    role: 'assistant',
    createdAt: 0,
    parts: [{ type: 'text', text: 'x'.repeat(chars) }],
  });
  const KINDS = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const;
  const tokens = fc.nat({ max: 100_000 });
  const kinds = fc.record({
    input: tokens,
    output: tokens,
    reasoning: tokens,
    cacheRead: tokens,
    cacheWrite: tokens,
  });
  const lengths = fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 8 });

  it('has the same sums, and no context is smaller than the one before', () => {
    const shared = fc.property(kinds, lengths, (total, chars) => {
      const steps = chars.map(stepOf);
      shareUsage(total, steps, { tally: createTally() });
      const usages = steps.map(({ usage }) => usage!);
      for (const kind of KINDS)
        expect(usages.reduce((sum, usage) => sum + usage[kind], 0)).toBe(total[kind]);
      const contexts = usages.map((usage) => usage.input + usage.cacheRead + usage.cacheWrite);
      // Each kind is rounded apart.
      for (const [index, context] of contexts.entries())
        expect(context).toBeGreaterThanOrEqual((contexts[index - 1] ?? 0) - 3);
    });
    fc.assert(shared);
  });

  it('grows by known outputs, and is told as repaired', () => {
    const tally = createTally();
    const steps = [stepOf(4), stepOf(4)];
    const total = { input: 2100, output: 110, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    shareUsage(total, steps, { tally, outputs: [100, 10] });
    expect(steps.map(({ usage }) => [usage?.input, usage?.output])).toEqual([
      [1000, 100],
      [1100, 10],
    ]);
    expect(tally.toReport().repaired).toEqual({ 'usage shared out among requests': 2 });
  });
});
