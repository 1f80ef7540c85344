import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import {
  CHECK_SCHEMA_VERSION,
  type CheckFormat,
  type CheckReport,
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

/** A report in which everything is wrong that can be, and one scenario is as it should be. */
function sampleReport(text: string): CheckReport {
  const failure = { line: 3, column: 7, expected: `a reason that is ${text}`, got: text };
  const run = { name: text, policy: 'none', state: 'failed', metrics: UNKNOWN_METRICS } as const;
  return {
    schemaVersion: CHECK_SCHEMA_VERSION,
    passed: 1,
    failed: 1,
    scenarios: [
      {
        file: 'good.yaml',
        name: 'good',
        passed: true,
        runs: [{ ...run, name: 'main', failures: [] }],
      },
      {
        file: text,
        name: text,
        passed: false,
        runs: [{ ...run, reason: text, failures: [failure, failure] }],
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

const render = (format: CheckFormat, text = 'plain') =>
  format.render(sampleReport(text), { colors: false });

describe.each(all)('%s of a check', (_, format) => {
  it('gives the same text for the same report', () => {
    expect(render(format)).toBe(render(format));
  });

  it.each(hostileTexts)('writes nothing that is obeyed for %s', (_name, text) => {
    expect(render(format, text)).not.toMatch(OBEYED);
  });
});

describe.each(['table', 'markdown', 'html'] as const)('%s of a check', (name) => {
  it('tells release, catalog and what counted tokens, where that is known', () => {
    const origin = {
      version: '1.2.3',
      catalog: { source: 'shipped', hash: 'abc' },
      tokenizers: { 'lab/a': { name: 'o200k_base', evidence: 'estimated' } },
      settings: {},
    } as const;
    const told = { ...sampleReport('plain'), origin };
    expect(checkFormats[name].render(told, { colors: false, details: true })).toContain(
      "Made by: compaction-bench 1.2.3, catalog shipped abc, tokens of lab/a by o200k_base (not the model's own: estimated).",
    );
    expect(render(checkFormats[name])).not.toContain('Made by:');
  });
});

describe('what differs from the baseline', () => {
  it.each(['table', 'json', 'junit', 'markdown', 'annotations'] as const)(
    'is told by %s',
    (name) => {
      const text = render(checkFormats[name]);
      for (const word of ['212', 'prune pass by-age', 'pruned 3 parts', 'pruned 2 parts']) {
        expect(text).toContain(word);
      }
    },
  );
});

describe('JUnit XML', () => {
  it.skipIf(!hasXmllint).each([...hostileTexts, ['plain text', 'plain']] as const)(
    'is valid for %s (skipped without xmllint)',
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

  it('counts what failed', () => {
    const text = render(checkFormats.junit);
    expect(text).toContain('<testsuite name="good" tests="1" failures="0" errors="0">');
    expect(text).toContain('<testsuite name="plain" tests="1" failures="1" errors="0">');
  });
});

const annotate = (report: CheckReport) =>
  checkFormats.annotations.render(report, { colors: false });

describe('a difference from the baseline as an annotation', () => {
  const at = { line: 9, column: 5 };
  const withPlaces = (report: CheckReport): CheckReport => ({
    ...report,
    scenarios: report.scenarios.map((scenario) => ({
      ...scenario,
      runs: scenario.runs.map((run) => ({ ...run, at })),
    })),
  });

  it('stands where its run does', () => {
    expect(annotate(withPlaces(sampleReport('plain')))).toMatch(
      /^::error file=plain,line=9,col=5,title=compaction-bench::.*pruned 3 parts/m,
    );
  });

  it('names the file alone where no place of the run is known', () => {
    expect(annotate(sampleReport('plain'))).toMatch(
      /^::error file=plain,title=compaction-bench::.*pruned 3 parts/m,
    );
  });
});

describe('a scenario that cannot be read', () => {
  const reason = ['3:7: Expected one, got two.', '5:1: Expected three, got four.']
    .map((problem) => `bad.yaml:${problem}`)
    .join('\n');
  const report = { ...sampleReport('plain'), unread: [{ file: 'bad.yaml', reason }] };
  const shown = (format: CheckFormat) => format.render(report, { colors: false });

  it('is marked at each line that is wrong', () => {
    expect(shown(checkFormats.annotations).split('\n')).toEqual(
      expect.arrayContaining([
        '::error file=bad.yaml,line=3,col=7,title=compaction-bench::Expected one, got two.',
        '::error file=bad.yaml,line=5,col=1,title=compaction-bench::Expected three, got four.',
      ]),
    );
  });

  it('is told problem by problem', () => {
    expect(shown(checkFormats.markdown)).toContain(
      '- `bad.yaml:3:7: Expected one, got two.`\n- `bad.yaml:5:1: Expected three, got four.`\n',
    );
    expect(shown(checkFormats.junit)).toContain(
      `<error message="bad.yaml:3:7: Expected one, got two.">${reason}</error>`,
    );
  });
});

describe('annotations for GitHub', () => {
  it('mark the line of an expectation that is not met', () => {
    expect(render(checkFormats.annotations)).toContain(
      '::error file=plain,line=3,col=7,title=compaction-bench::plain: plain: expected a reason that is plain, got plain\n',
    );
  });

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
      ]) {
        expect(comment).toContain(word);
      }
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
