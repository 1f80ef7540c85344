import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import {
  CHECK_SCHEMA_VERSION,
  type CheckReport,
  describeChanges,
  describeVerdict,
  type GateReport,
  momentOf,
  stateOfCheck,
} from '../../../src/simulator/report/check-report.ts';
import { checkFormats } from '../../../src/simulator/report/check.ts';

it.each<[Parameters<typeof momentOf>[0], string]>([
  [{ step: 3 }, 'step 3'],
  [{}, 'before the first step'],
  [{ isUnlogged: true }, 'somewhere in the run'],
])('where %j stands is told as %j', (moment, expected) => {
  expect(momentOf(moment)).toBe(expected);
});

const findings = [
  { kind: 'gate', type: 'max', metric: 'steps', expected: 'at most 1', got: '2' },
] as const;
const inconclusive = [{ reason: 'No baseline.' }];
const unread = [{ file: 'b.yaml', reason: 'bad' }];

const gateOfVerdict = (gate: Partial<GateReport>): GateReport => ({
  baseline: 'kept',
  reason: 'first',
  unscoredRuns: 0,
  comparedRuns: 1,
  findings: [],
  inconclusive: [],
  ...gate,
});
const run = { policy: 'none', state: 'completed', metrics: UNKNOWN_METRICS, failures: [] } as const;
const reportOf = (report: Partial<CheckReport>): CheckReport => ({
  schemaVersion: CHECK_SCHEMA_VERSION,
  passed: 1,
  failed: 0,
  scenarios: [{ file: 'a.yaml', name: 'a', passed: true, runs: [{ ...run, name: 'main' }] }],
  unread: [],
  ...report,
});

const CASES: readonly [Partial<CheckReport>, string, string][] = [
  [{}, '1 passed', 'good'],
  [{ passed: 0, failed: 1 }, '0 passed, 1 failed', 'bad'],
  [{ unread }, '1 passed, 1 not read', 'bad'],
  [{ gate: gateOfVerdict({}) }, '1 passed; no difference from the baseline', 'good'],
  [{ gate: gateOfVerdict({ findings }) }, '1 passed; 1 difference from the baseline', 'bad'],
  [
    { gate: gateOfVerdict({ inconclusive }) },
    '1 passed; the comparison is inconclusive',
    'inconclusive',
  ],
  [
    { gate: gateOfVerdict({ comparedRuns: 0, inconclusive }) },
    '1 passed; nothing was compared with a baseline',
    'inconclusive',
  ],
  [
    { gate: gateOfVerdict({ comparedRuns: 0 }) },
    '1 passed; nothing was compared with a baseline',
    'good',
  ],
  [
    { passed: 0, failed: 1, gate: gateOfVerdict({ findings, inconclusive }) },
    '0 passed, 1 failed; 1 difference from the baseline, the comparison is inconclusive',
    'inconclusive',
  ],
];

describe('what a check came to', () => {
  it.each(CASES)('of %j is %j', (parts, words, state) => {
    const report = reportOf(parts);
    expect(describeVerdict(report)).toBe(`1 scenario, 1 run: ${words}`);
    expect(stateOfCheck(report)).toBe(state);
  });

  it.each(CASES)('of %j is told in the same words by every format for people', (parts) => {
    const report = reportOf(parts);
    const shown = (name: 'table' | 'markdown' | 'html') =>
      checkFormats[name].render(report, { colors: false });
    const [first = ''] = shown('table').split('\n\n');
    expect(first.replaceAll('\n', ' ')).toBe(`${describeVerdict(report)}.`);
    expect(shown('markdown').split('\n')).toContain(`${describeVerdict(report)}.`);
    expect(shown('html')).toContain(`>${describeVerdict(report)}.</p>`);
  });
});

describe('money and losses against a baseline', () => {
  const none = { runs: 0, baseline: 0, now: 0 };
  const costUsd = { runs: 9, baseline: 4.1, now: 2.79 };
  const misses = { runs: 9, baseline: 12, now: 15 };
  const unrecoverableMisses = { runs: 9, baseline: 0, now: 0 };
  const told = (changes: GateReport['changes']) =>
    describeChanges(reportOf({ gate: gateOfVerdict({ ...(changes && { changes }) }) }));

  it.each<[GateReport['changes'], readonly string[]]>([
    [
      { costUsd, misses, unrecoverableMisses },
      ['Cost $4.10 → $2.79 (−32 %), losses 12 → 15 over 9 runs.'],
    ],
    [
      { costUsd, misses, unrecoverableMisses: { runs: 9, baseline: 1, now: 3 } },
      ['Cost $4.10 → $2.79 (−32 %), losses 12 → 15, for good 1 → 3 over 9 runs.'],
    ],
    [
      { costUsd: { ...costUsd, runs: 1 }, misses, unrecoverableMisses },
      ['Cost $4.10 → $2.79 (−32 %) over 1 run, losses 12 → 15 over 9 runs.'],
    ],
    [{ costUsd: none, misses, unrecoverableMisses }, ['Losses 12 → 15 over 9 runs.']],
    [{ costUsd: none, misses: none, unrecoverableMisses: none }, []],
    [undefined, []],
  ])('of %j are told as %j', (changes, lines) => {
    expect(told(changes)).toEqual(lines);
  });

  it('stand before everything else, in every format for people', () => {
    const report = reportOf({
      gate: gateOfVerdict({ findings, changes: { costUsd, misses, unrecoverableMisses } }),
    });
    const [line = ''] = describeChanges(report);
    const shown = (name: 'table' | 'markdown' | 'html' | 'json') =>
      checkFormats[name].render(report, { colors: false });
    expect(shown('table').split('\n')[0]).toBe(line);
    expect(shown('markdown')).toContain(`## ❌ Compaction\n\n${line}\n`);
    expect(JSON.parse(shown('json')).verdict.changes).toBe(line);
    expect(shown('html')).toContain(`<div class="verdict"><p class="bad">${line}</p>`);
  });
});
