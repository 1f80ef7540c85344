import { join } from 'node:path';
import { policies, resolvePolicy } from 'compaction-bench/engine';
import { compaction } from 'compaction-bench/vitest';
import { describe, expect, it } from 'vitest';
import { compact } from '../src/compact.ts';

/** A session in sizes; a recorded one is named as `session` with a `model`. */
const scenario = join(import.meta.dirname, 'long-session.yaml');

describe('our compaction', async () => {
  const run = await compaction({ compactor: compact, scenario });

  it('keeps every request within the window', () => {
    expect(run).toStayWithin('window');
  });

  it('breaks no law', () => {
    expect(run).toHold('all');
  });

  it('is neither idle nor busy', () => {
    expect(run).toStayWithin({
      compactions: { min: 1, max: 45 },
      peakContextTokens: 56_000,
      misses: 0,
    });
  });

  // `npx vitest -u`, or COMPACTION_BENCH_BLESS='why' npx vitest, writes the baseline, which is to be committed.
  it('does what it did', () => {
    expect(run).toMatchBaseline(join(import.meta.dirname, 'baselines/long-session.json'));
  });
});

describe('a preset with settings of our own', async () => {
  const policy = resolvePolicy(policies['opencode-1.18'], {
    guards: { rejectEmptySummary: true, maxFailures: 3 },
  });
  const run = await compaction({ policy, scenario });

  it('keeps every request within the window', () => {
    expect(run).toStayWithin('window');
  });
});
