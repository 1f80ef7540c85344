import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import {
  CHECK_SCHEMA_VERSION,
  type CheckFormat,
  type CheckReport,
  describeChanges,
  describeVerdict,
  type GateReport,
  momentOf,
  stateOfCheck,
} from '../../../src/simulator/report/check-report.ts';
import { checkFormats, COMMENT_MARKER } from '../../../src/simulator/report/check.ts';
import { hostileTexts } from '../../contracts/report-format.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const XSD = resolve(import.meta.dirname, '../../fixtures/junit.xsd');
const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;
/** Anything that a terminal obeys, the line end excepted. */
// oxlint-disable-next-line no-control-regex -- it is what the test looks for
const OBEYED = /(?!\n)[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/u;
const all = Object.entries<CheckFormat>(checkFormats);
const run = { policy: 'none', state: 'completed', metrics: UNKNOWN_METRICS, failures: [] } as const;

/** A report in which everything is wrong that can be, and one scenario is as it should be. */
function sampleReport(text: string): CheckReport {
  const failure = { line: 3, column: 7, expected: `a reason that is ${text}`, got: text };
  const failed = { ...run, name: text, state: 'failed', reason: text } as const;
  const at = { line: 9, column: 5 };
  return {
    schemaVersion: CHECK_SCHEMA_VERSION,
    origin: {
      version: '1.2.3',
      catalog: { source: 'shipped', hash: 'abc' },
      tokenizers: { 'lab/a': { name: 'o200k_base', evidence: 'estimated' } },
      settings: {},
    },
    passed: 1,
    failed: 1,
    scenarios: [
      { file: 'good.yaml', name: 'good', passed: true, runs: [{ ...run, name: 'main' }] },
      {
        file: text,
        name: text,
        passed: false,
        runs: [{ ...failed, at, failures: [failure, failure] }],
      },
    ],
    unread: [{ file: text, reason: text }],
    gate: {
      baseline: text,
      reason: text,
      comparedRuns: 2,
      unscoredRuns: 0,
      inconclusive: [{ reason: text }],
      findings: [
        {
          kind: 'events',
          scenario: text,
          run: text,
          step: 212,
          rule: 'prune pass by-age',
          baseline: 'pruned 2 parts',
          now: 'pruned 3 parts',
          before: [text],
        },
        { kind: 'gate', type: 'max', metric: 'costUsd', expected: 'at most 1', got: '2' },
      ],
    },
  };
}

/** The same with more of what stands in texts alone: a finding without a place, and a file with several problems. */
function wideReport(): CheckReport {
  const { gate, unread, ...report } = sampleReport('plain');
  const about = { kind: 'gate', type: 'exact', metric: 'steps', expected: '1', got: '2' } as const;
  const findings = [...gate!.findings, { ...about, scenario: 'good', run: 'main' }];
  const reason = ['3:7: Expected one, got two.', '5:1: Expected three, got four.']
    .map((problem) => `bad.yaml:${problem}`)
    .join('\n');
  return {
    ...report,
    gate: { ...gate!, findings },
    unread: [...unread, { file: 'bad.yaml', reason }],
  };
}

const render = (format: CheckFormat, text = 'plain') =>
  format.render(sampleReport(text), { colors: false });

describe.each(all)('%s of a check', (name, format) => {
  it.skipIf(['html', 'json', 'csv'].includes(name))('is as it was', async () => {
    for (const details of format === checkFormats.table ? [false, true] : [false]) {
      const shown = format.render(wideReport(), { colors: false, details });
      await expect(shown).toMatchFileSnapshot(
        `../../fixtures/snapshots/check.${name}${details ? '-details' : ''}.txt`,
      );
    }
  });

  it.each(hostileTexts)('writes nothing that is obeyed for %s', (_name, text) => {
    expect(render(format, text)).not.toMatch(OBEYED);
  });
});

it('a page tells what differs, and of which releases it is', () => {
  const page = render(checkFormats.html);
  for (const word of ['step 212', 'prune pass by-age', '+ pruned 3 parts', '- pruned 2 parts'])
    expect(page).toContain(word);
  expect(page).toContain('Made by: compaction-bench 1.2.3, catalog shipped abc');
});

it.skipIf(!hasXmllint).each([...hostileTexts, ['plain text', 'plain']] as const)(
  'JUnit XML is valid for %s (skipped without xmllint)',
  (_, text) => {
    const file = writeFile(createFolder(), 'report.xml', render(checkFormats.junit, text));
    const { status, stderr } = spawnSync('xmllint', ['--noout', '--schema', XSD, file], {
      encoding: 'utf8',
    });
    expect({ status, stderr: stderr.replace(join(file), '') }).toEqual({
      status: 0,
      stderr: ' validates\n',
    });
  },
);

describe('annotations for GitHub', () => {
  it.each(hostileTexts)('are each one line with one command for %s', (_, text) => {
    const lines = render(checkFormats.annotations, text).trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^::error [^:]*::/);
  });

  it('say how many there are that GitHub would not show, and have them in the log', () => {
    const report = sampleReport('plain');
    const scenarios = Array.from({ length: 20 }, () => report.scenarios[1]!);
    const text = checkFormats.annotations.render({ ...report, scenarios }, { colors: false });
    const lines = text.trimEnd().split('\n');
    expect(lines[9]).toMatch(/::35 more in the log$/);
    expect(lines).toHaveLength(10 + 35);
    expect(lines.at(-1)).toMatch(/::all runs: gate max on costUsd/);
  });

  it('show the first of each kind beside the code, what weighs most before the others', () => {
    const report = sampleReport('plain');
    const scenarios = Array.from({ length: 20 }, () => report.scenarios[1]!);
    const inconclusive = [{ reason: 'No baseline.' }, { reason: 'No scenario.' }];
    const gate = { ...report.gate!, inconclusive };
    const text = checkFormats.annotations.render({ ...report, scenarios, gate }, { colors: false });
    const messages = text.split('\n').map((line) => line.replace(/^::error [^:]*::/, ''));
    expect(messages.slice(0, 5)).toEqual([
      'No baseline.',
      'plain: plain: expected a reason that is plain, got plain',
      'plain',
      expect.stringMatching(/^plain: plain: step 212: /),
      'No scenario.',
    ]);
  });
});

describe('Markdown', () => {
  it('begins with the marker by which the comment is found again', () => {
    expect(render(checkFormats.markdown).startsWith(`${COMMENT_MARKER}\n`)).toBe(true);
  });

  it.each([
    ['short', 'x', 60, '- `x: x: expected a reason that is x, got x`', 70],
    ['long', 'x'.repeat(3_000), 60, '…`\n', 108],
    ['many escaped', '\u202e'.repeat(3_000), 400, '…`\n', 799],
  ])(
    'has room in a comment for the first of each kind, however much there is to tell, of %s texts',
    (_, text, count, item, others) => {
      const report = sampleReport(text);
      const { gate, unread } = report;
      const times = <Item>(items: readonly Item[]) =>
        Array.from({ length: count }, () => items).flat();
      const comment = checkFormats.markdown.render({
        ...report,
        scenarios: times(report.scenarios.slice(1)),
        unread: times(unread),
        gate: {
          ...gate!,
          inconclusive: times(gate!.inconclusive),
          findings: times(gate!.findings),
        },
      });
      expect(comment.length).toBeLessThan(65_536);
      for (const word of [
        '## ❌ Compaction',
        '### Against `',
        '### Inconclusive',
        '### Gates',
        '| Scenario |',
      ])
        expect(comment).toContain(word);
      expect(comment).toContain(item);
      expect(comment).toContain('| `212` |');
      expect(comment).toContain(
        `\n\nAnd ${others} more, which the log of the action and reports in JSON have.\n`,
      );
    },
  );

  it('obeys no mention, link or tag', () => {
    const text = render(checkFormats.markdown, '@everyone [a](https://e.org) <img> #1');
    const outside = text.replaceAll(/`[^`]*`/g, '');
    expect(outside).not.toMatch(/@everyone|https:|<img|#1/);
  });
});

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
});
