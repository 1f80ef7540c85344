import { describe, expect, it } from 'vitest';
import { describeLost, describeMisses, lostColumns } from '../../../src/simulator/report/lost.ts';
import { totalPolicies } from '../../../src/simulator/report/totals.ts';
import { sampleMetrics, sampleRun } from '../../support/sample-report.ts';

const lostBy = (metrics: Partial<typeof sampleMetrics>) =>
  describeLost(totalPolicies([sampleRun({ metrics: { ...sampleMetrics, ...metrics } })]));

describe('what is no longer named', () => {
  it('is said in one sentence', () => {
    expect(lostBy({})).toEqual([
      'No longer named at the end, outputs aside, under opencode-1.2.16: 12 of 14 user constraints, 41 % of 100 paths.',
    ]);
  });

  it.each([
    ['nothing is gone', { goneConstraints: 0, gonePaths: 0 }],
    ['it is unknown', { goneConstraints: null, gonePaths: null }],
  ])('is not said where %s', (_, metrics) => {
    expect(lostBy(metrics)).toEqual([]);
  });
});

const missedBy = (metrics: Partial<typeof sampleMetrics>) =>
  describeMisses(totalPolicies([sampleRun({ metrics: { ...sampleMetrics, ...metrics } })]));

describe('what was lost', () => {
  it('is said in one sentence, beside the bound', () => {
    expect(missedBy({})).toEqual([
      'Lost under opencode-1.2.16: 16 (10 at best) of 80 references missed (20.0 %), 0.250 per evicted part, 30.0 % of referenced tokens, regret $0.7500 ($0.5000 at best) and 62 s, 24 (50.0 %) file re-reads, 11 loops.',
    ]);
  });

  it.each([
    ['nothing was missed', { misses: 0 }],
    ['it is unknown', { misses: null }],
  ])('is not said where %s', (_, metrics) => {
    expect(missedBy(metrics)).toEqual([]);
  });

  it.each<[string, Partial<typeof sampleMetrics>, string]>([
    ['Misses', { boundMisses: null }, '16'],
    ['Regret', { regretUsd: null }, '–'],
    ['Re-reads', { fileRereads: 0 }, '0'],
    ['Constraints gone', {}, '12 of 14'],
    ['Constraints gone', { constraints: 0, goneConstraints: 0 }, '0'],
    ['Paths gone', {}, '41 (41.0 %)'],
  ])('has in the column %s of %j', (title, metrics, text) => {
    const column = lostColumns.find((one) => one.title === title);
    expect(column?.of({ ...sampleMetrics, ...metrics })).toBe(text);
  });
});
