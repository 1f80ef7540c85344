import { describe, expect, it } from 'vitest';
import {
  comparisonFormats,
  leftOutLines,
  metricRows,
} from '../../../src/simulator/report/comparison.ts';
import { textOf, untrusted } from '../../../src/simulator/report/document.ts';
import { widthOf } from '../../../src/simulator/report/layout.ts';
import { HOSTILE_NAME, sampleComparison } from '../../support/sample-comparison.ts';
import { PIPE, terminalOf } from '../../support/terminals.ts';

describe('a comparison', () => {
  it('is a table for a terminal, with metrics that differ nowhere in one line', () => {
    expect(
      comparisonFormats.table({ ...sampleComparison, mostDifferent: [] }, PIPE),
    ).toMatchInlineSnapshot(`
      "Use document-002.
      document-002 costs $6.00 where opencode-1.2.16 costs $24.00 (−75 %), re-reads included; it loses 2
      things, against 9.
      12 sessions show it.

      A: opencode-1.2.16
      B: document-002
      Model lab/model, summarizer extractive, seed 1

      Cost: geometric mean of B / A 0.500 (0.400 … 0.600), ratio of totals 0.250 (too few for an
      interval).
      12 pairs; 1 left out.
      Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost. P-values are
      Holm-adjusted; metrics without one are descriptive.

      Metric  A, mean  B, mean   B − A      95 % interval  p, adjusted
      Cost      $2.00    $1.00  -$1.00  -$1.50 … -$0.5000     < 0.0001

      Left out:
      - b.json: only in A
      "
    `);
  });

  it('fits into a narrow terminal, names in several lines if need be', () => {
    const [cost] = sampleComparison.metrics;
    const label = 'of referenced tokens';
    const missed = { ...cost!, name: 'missedTokenRate', label, unit: 'ratio' as const };
    const comparison = { ...sampleComparison, metrics: [cost!, missed], mostDifferent: [] };
    const lines = comparisonFormats.table(comparison, terminalOf(40)).split('\n');
    const head = lines.findIndex((line) => line.startsWith('Metric '));
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(40);
    expect(lines[head]?.split(/ {2,}/)).toEqual(['Metric', 'B − A']);
    expect(lines[head + 1]).toMatch(/^Cost +-\$1\.00$/);
    expect(lines.slice(head + 2, head + 4)).toEqual([
      expect.stringMatching(/^Lost tokens, of +-100\.0 points$/),
      '  referenced tokens',
    ]);
  });

  it('is Markdown for a pull request', () => {
    expect(
      comparisonFormats.markdown({ ...sampleComparison, mostDifferent: [] }, PIPE),
    ).toMatchInlineSnapshot(`
      "## Compaction compared

      Use \`document-002\`.
      \`document-002\` costs $6.00 where \`opencode-1.2.16\` costs $24.00 (−75 %), re-reads included; it loses 2 things, against 9.
      12 sessions show it.

      - A: \`opencode-1.2.16\`
      - B: \`document-002\`
      - Model \`lab/model\`, summarizer \`extractive\`, seed 1

      - Cost: geometric mean of B / A 0.500 (0.400 … 0.600), ratio of totals 0.250 (too few for an interval).
      - 12 pairs; 1 left out.
      - Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost. P-values are Holm-adjusted; metrics without one are descriptive.

      | Metric | A, mean | B, mean | B − A | 95 % interval | p, adjusted |
      | --- | ---: | ---: | ---: | ---: | ---: |
      | Cost | $2.00 | $1.00 | -$1.00 | -$1.50 … -$0.5000 | < 0.0001 |

      ### Left out

      - \`b.json\`: \`only in A\`
      "
    `);
  });

  it('obeys nothing that a session is called in Markdown: it stands in a code span', () => {
    const markdown = comparisonFormats.markdown(sampleComparison, PIPE);
    const line = markdown.split('\n').find((one) => one.includes('1,500 → 900')) ?? '';
    const outside = line.replaceAll(/`[^`]*`/g, '');
    expect(outside).toBe(
      '- : Cost $2.00 → $1.00; Peak context 1,500 → 900; from step 7: overflow after-step vs nothing',
    );
    expect(markdown).not.toContain('\u001b');
  });

  it('lets no escape sequence and no command through to a terminal', () => {
    const table = comparisonFormats.table(sampleComparison, PIPE);
    expect(table).not.toContain('\u001b');
    expect(table).not.toMatch(/^::/m);
    expect(table).toContain('from step 7: overflow after-step vs nothing');
  });

  it('says what is unknown', () => {
    expect(comparisonFormats.table({ ...sampleComparison, cost: null }, PIPE)).toContain(
      'Cost is unknown',
    );
  });

  it('says of how many independent sessions the pairs are', () => {
    const table = comparisonFormats.table({ ...sampleComparison, families: 7 }, PIPE);
    expect(table).toContain('12 pairs of 12 sessions in 7 families;');
    expect(table).toContain('Sessions of a family share their beginning and count once');
    expect(comparisonFormats.table(sampleComparison, PIPE)).not.toContain('famil');
  });

  it('is JSON with everything', () => {
    expect(JSON.parse(comparisonFormats.json(sampleComparison))).toEqual({
      comparisonVersion: 3,
      ...sampleComparison,
    });
  });

  it('says once what both sides rest on, and of each what it does not share', () => {
    const made = { version: '1.2.3', settings: { contextTokens: 50_000 } };
    const alike = { a: { ...made, policies: [sampleComparison.a] }, b: { ...made, policies: [] } };
    const whole = comparisonFormats.table({ ...sampleComparison, origins: alike }, PIPE);
    expect(whole).toMatch(/\n\nA: opencode-1\.2\.16\nB: document-002\n/);
    expect(whole).toMatch(/\nSet: contextTokens=50000\. Made by: compaction-bench 1\.2\.3\.\n$/);
    const files = ['one', 'two', 'three', 'four', HOSTILE_NAME];
    const other = { ...made, settings: { contextTokens: 90_000 }, policies: files };
    const apart = {
      ...sampleComparison,
      origins: { a: { ...made, policies: ['none'] }, b: other },
    };
    const table = comparisonFormats.table(apart, PIPE);
    expect(table).toContain('A: opencode-1.2.16 (none)\nB: document-002 (one, two, three, 2 more)');
    expect(table).toContain('\nA. Set: contextTokens=50000.');
    expect(table).toContain('\nB. Set: contextTokens=90000.');
    const markdown = comparisonFormats.markdown(apart, PIPE);
    expect(markdown).toContain('A: `opencode-1.2.16 (none)`');
    expect(markdown).toContain('`B. Set: contextTokens=90000. Made by: compaction-bench 1.2.3.`');
  });
});

const sessionsOf = (count: number, reason: string) =>
  Array.from({ length: count }, (_, index) => ({ session: `${reason} ${index}`, reason }));

describe('leftOutLines', () => {
  it('names every session where few have a reason in common', () => {
    expect(
      leftOutLines([...sessionsOf(1, 'refused'), ...sessionsOf(2, 'loop')]).map(textOf),
    ).toEqual(['refused 0: refused', 'loop 0: loop', 'loop 1: loop']);
  });

  it('counts the others where many have', () => {
    const mixed = [
      ...sessionsOf(4, 'loop'),
      ...sessionsOf(1, 'refused'),
      ...sessionsOf(200, 'loop'),
    ];
    const lines = leftOutLines(mixed);
    expect(lines).toHaveLength(7);
    expect(lines[4]).toEqual([untrusted('loop 0'), ': ', untrusted('loop')]);
    expect(lines.slice(5)).toEqual([
      ['199 other sessions: ', untrusted('loop')],
      [untrusted('refused 0'), ': ', untrusted('refused')],
    ]);
  });

  it('ends after some lines where every session has a reason of its own', () => {
    const own = Array.from({ length: 30 }, (_, index) => sessionsOf(1, `${index} tokens`)[0]!);
    const lines = leftOutLines([...own, ...sessionsOf(7, 'loop')]);
    expect(lines).toHaveLength(21);
    expect(textOf(lines[19]!)).toBe('19 tokens 0: 19 tokens');
    expect(lines[20]).toBe('17 other sessions, see JSON');
  });
});

const [cost] = sampleComparison.metrics;

describe('the row of a metric', () => {
  it('is called by its label where that says more than the metric', () => {
    const label = 'Cost, re-reads included';
    const metrics = [{ ...cost!, label }];
    expect(metricRows({ ...sampleComparison, metrics })[0]?.[0]).toBe(label);
  });
});
