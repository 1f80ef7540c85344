import { describe, expect, it } from 'vitest';
import {
  type Bill,
  billedIn,
  billLine,
  describeWork,
} from '../../../src/simulator/report/check-report.ts';

const dear: Bill = {
  sessions: 1,
  compactions: 54,
  ineffectiveCompactions: 48,
  costUsd: 35.98,
  summariesUsd: 0,
  inputTokens: 27_000_000,
  cacheBreaks: 51,
  firstCacheBreak: { step: 46 },
  against: [
    { policy: 'none', costUsd: 28.6, inputTokens: 40_000_000 },
    { policy: 'opencode-1.18', costUsd: 16.13, inputTokens: 25_000_000 },
  ],
};
const [never, other] = dear.against;
const against = (...some: readonly (Bill['against'][number] | undefined)[]) =>
  some.filter((one) => one !== undefined);
const impossible = { policy: 'none', impossibleSessions: 1, costUsd: null, inputTokens: null };

describe('a bill', () => {
  it.each<[string, Partial<Bill>, string]>([
    [
      'dearer than none',
      {},
      '$35.98; never compacting $28.60, opencode-1.18 $16.13 ⚠ dearer than not compacting; the cache was broken 51 times, first at step 46',
    ],
    ['cheaper than both', { costUsd: 16 }, '$16.00; never compacting $28.60, opencode-1.18 $16.13'],
    [
      'dearer than another policy alone',
      { costUsd: 20 },
      '$20.00; never compacting $28.60, opencode-1.18 $16.13 ⚠ dearer than opencode-1.18; the cache was broken 51 times, first at step 46',
    ],
    [
      'as dear but for rounding',
      { costUsd: 28.7, against: against(never) },
      '$28.70; never compacting $28.60',
    ],
    [
      'beside what is impossible, which has no price',
      { costUsd: 12, against: against(impossible, other) },
      '$12.00; never compacting is impossible here, opencode-1.18 $16.13',
    ],
    [
      'without a price',
      {
        costUsd: null,
        against: against(never, other).map((one) => ({ ...one, costUsd: null })),
      },
      '27,000,000 input tokens, unpriced; never compacting 40,000,000, opencode-1.18 25,000,000',
    ],
  ])('is told %s', (_, change, told) => {
    expect(billLine({ ...dear, ...change })).toBe(`54 compactions, 48 ineffective · ${told}`);
  });

  it('says what an adapter did, and in which session it first broke the cache', () => {
    expect(describeWork(dear, 'x')).toBe(
      'It made 54 compactions, 48 ineffective; the cache was broken 51 times, first at step 46.',
    );
    const firstCacheBreak = { step: 3, session: 'long/path.jsonl' };
    expect(describeWork({ ...dear, firstCacheBreak }, '"A title"')).toContain(
      'first at step 3 of "A title".',
    );
  });
});

describe('the bills of a scenario', () => {
  const run = (policy: string, compactions: number) => ({ policy, bill: { ...dear, compactions } });

  it('are all of an adapter, and of presets the first that compacted', () => {
    const own = [run('adapter', 0), run('adapter', 2)];
    const presets = [run('none', 0), run('opencode-1.18', 1), run('claude-code', 2)];
    expect(billedIn(own)).toEqual(own);
    expect(billedIn(presets)).toEqual([presets[1]]);
    expect(billedIn([{ policy: 'adapter' }])).toEqual([]);
  });
});
