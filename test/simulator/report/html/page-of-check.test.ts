import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import { type CheckReport, verdictOfCheck } from '../../../../src/simulator/report/check-report.ts';
import { toPageOfCheck } from '../../../../src/simulator/report/html/page-of-check.ts';

const run = { policy: 'opencode-1.2.16', state: 'completed', metrics: UNKNOWN_METRICS } as const;
const failure = { line: 7, column: 3, expected: 'compactions to be 1', got: '2' };

const report: CheckReport = {
  schemaVersion: 1,
  passed: 1,
  failed: 1,
  scenarios: [
    { file: 'a.yaml', name: 'a', passed: true, runs: [{ ...run, name: 'main', failures: [] }] },
    {
      file: 'b.yaml',
      name: 'b',
      passed: false,
      runs: [{ ...run, name: 'main', failures: [failure] }],
    },
  ],
  unread: [],
  gate: {
    baseline: 'reports/baseline',
    reason: 'first',
    comparedRuns: 2,
    unscoredRuns: 0,
    findings: [
      {
        kind: 'events',
        scenario: 'a',
        run: 'main',
        step: 212,
        rule: 'prune pass by-age',
        baseline: 'pruned 2 parts',
        now: 'pruned 3 parts',
        before: ['step 211: context 10'],
      },
      { kind: 'gate', type: 'max', metric: 'costUsd', expected: 'at most 1', got: '2' },
    ],
    inconclusive: [{ reason: 'another catalog' }],
  },
};

describe('toPageOfCheck', () => {
  const page = toPageOfCheck(report);
  const rowsOf = (id: string) => page.tables?.find((table) => table.id === id)?.rows;

  it('says in its title how many passed and how they stand against the baseline', () => {
    expect(page.title).toBe(
      '2 scenarios, 2 runs: 1 passed, 1 failed; 2 differences from the baseline, the comparison is inconclusive',
    );
    expect(page.verdict).toEqual(['Look first: b: main: expected compactions to be 1, got 2']);
    expect(verdictOfCheck(report)).toEqual({
      state: 'inconclusive',
      passed: 1,
      scenarios: 2,
      first: 'b: main: expected compactions to be 1, got 2',
    });
  });

  it('leaves room for names of runs, which are words', () => {
    const named = page.tables?.map(({ id, columns }) => [
      id,
      columns.find(({ title }) => title === 'Run')?.isWords,
    ]);
    expect(named).toEqual([['scenarios', true]]);
  });

  it('does not say that all is well where there is no baseline, nor why that was written', () => {
    const nothing = { comparedRuns: 0, unscoredRuns: 0, findings: [] };
    const inconclusive = [{ reason: 'Expected a baseline, got none.' }];
    const gate = { baseline: 'none', reason: '', ...nothing, inconclusive };
    const { title, facts } = toPageOfCheck({ ...report, failed: 0, gate });
    expect(title).toBe('2 scenarios, 2 runs: 1 passed; nothing was compared with a baseline');
    expect(facts?.map(({ label }) => label)).not.toContain('Reason');
  });

  it('says who made it in front of its own facts, and by what tokens were counted', () => {
    const catalog = { source: 'shipped', hash: 'abc' };
    const tokenizers = { 'lab/a': { name: 'o200k_base', evidence: 'estimated' } } as const;
    const origin = { version: '1.2.3', catalog, tokenizers, settings: {} };
    const { gate: _, ...alone } = report;
    const { facts, evidence } = toPageOfCheck({ ...alone, origin });
    expect(facts).toEqual([
      { label: 'Made by', value: 'compaction-bench 1.2.3' },
      { label: 'Baseline', value: 'none' },
    ]);
    expect(evidence).toMatch(
      /its baseline\. Made by: compaction-bench 1\.2\.3, catalog shipped abc, tokens of lab\/a by o200k_base \(not the model's own: estimated\)\.$/,
    );
    const untold = toPageOfCheck(alone);
    expect(untold.facts).toEqual([{ label: 'Baseline', value: 'none' }]);
    expect(untold.evidence).toMatch(/its baseline\.$/);
  });

  it('shows a step that differs between what stands before it and what it is now', () => {
    expect(page.diffs).toEqual([
      {
        title: 'a, main: step 212',
        facts: 'First event that differs; rule: prune pass by-age',
        lines: [
          [' ', 'step 211: context 10'],
          ['-', 'pruned 2 parts'],
          ['+', 'pruned 3 parts'],
        ],
      },
    ]);
  });

  it('lists every run with its state, and what is not as expected with its place', () => {
    expect(rowsOf('scenarios')?.map((row) => row.slice(0, 3))).toEqual([
      ['a', 'main', { text: 'differs', isBad: true }],
      ['b', 'main', { text: 'failed', isBad: true }],
    ]);
    expect(page.lists).toEqual([
      {
        title: 'Not as expected',
        lines: [
          '✗ b: main: expected compactions to be 1 at b.yaml:7:3, got 2',
          '✗ a: main: step 212: prune pass by-age: pruned 3 parts, baseline pruned 2 parts',
          '✗ all runs: gate max on costUsd: expected at most 1, got 2',
          '? another catalog',
        ],
      },
    ]);
  });
});
