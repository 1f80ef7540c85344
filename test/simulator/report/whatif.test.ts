import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { toPageOfWhatIf } from '../../../src/simulator/report/html/page-of-whatif.ts';
import { readSaved, type SavedWhatIf } from '../../../src/simulator/report/saved/documents.ts';
import { plotSawtooth } from '../../../src/simulator/report/sawtooth.ts';
import type {
  VariantResult,
  WhatIfReport,
  WhatIfView,
} from '../../../src/simulator/report/whatif-report.ts';
import { whatIfFormats } from '../../../src/simulator/report/whatif.ts';
import { HOSTILE_NAME } from '../../support/sample-comparison.ts';
import { sampleVariant, sampleWhatIf, savedAgain } from '../../support/sample-what-if.ts';
import { PIPE } from '../../support/terminals.ts';
import { sent, started, unlimited } from './run-events.ts';

const ALL: WhatIfView = { charts: true, curve: true };
const { json, table, markdown } = whatIfFormats;

/** Of each line that is a row of a table, its first cell. */
function rowsOf(text: string, row: RegExp): readonly string[] {
  return text.split('\n').flatMap((line) => row.exec(line)?.[1] ?? []);
}

/** What a table says of the usable tokens of a single variant, the same where the report was saved. */
function usableOf(report: WhatIfReport): string | undefined {
  const view = { charts: true };
  const text = table(report, view, PIPE);
  expect(table(savedAgain(report, view).report, view, PIPE)).toBe(text);
  return /^Usable +(.*)$/m.exec(text)?.[1];
}

describe('a what-if', () => {
  it('is Markdown for a pull request', () => {
    const [variant] = sampleWhatIf.variants;
    const lines = markdown({ ...sampleWhatIf, variants: [variant!] }, ALL).split('\n');
    const [head, rows] = [lines.slice(0, 11), lines.slice(lines.indexOf('| Latency | 1,235 s |'))];
    expect([...head, '…', ...rows].join('\n')).toMatchInlineSnapshot(`
      "## One session under other windows and models

      \`window 64,000\` costs $8.00 over 1 session; it loses 25 things.
      Nothing is compared with it.

      \`sessions/one.jsonl\` under \`opencode-1.2.16\`, summarizer \`extractive\`, seed 1

      Sums over 1 session, re-reads included:

      | Window | Cost | Losses | Compactions |
      | --- | ---: | ---: | ---: |
      …
      | Latency | 1,235 s |

      ### Losses against the protect window

      Losses per later use against the protect window, from one pass over the session; its compactions stay, which another window may move.

      | Protect | window 64,000: of 4 |
      | --- | ---: |
      | 0 | 50 % to 75 % |
      | 5,000 | 50 % |
      | 10,000 | 50 % |
      | 20,000 | 50 % |
      | 40,000 | 25 % |
      | 80,000 | 25 % |
      | 160,000 | 25 % |

      Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.

      \` \`
      "
    `);
  });

  it('has the same rows in Markdown as in a terminal, and those that are alike in one line', () => {
    const other = sampleVariant({ limits: { contextTokens: 9 } });
    const metrics = { ...other.record.metrics, peakContextTokens: 9, costSummariesUsd: 9 };
    const variants = [sampleVariant(), { ...other, record: { ...other.record, metrics } }];
    const report = { ...sampleWhatIf, variants };
    const shown = table(report, { charts: false }, PIPE);
    const written = markdown(report, { charts: false });
    const rows = ['Window', 'Peak context', 'Cost, of which summaries'];
    const [, numbers = ''] = shown.split('More numbers:\n');
    expect(
      numbers
        .split('\n\n')[0]
        ?.split('\n')
        .map((line) => line.split('  ')[0]),
    ).toEqual(rows);
    for (const name of rows) expect(written).toContain(`| ${name} |`);
    for (const text of [shown, written]) {
      expect(text).toMatch(/The same everywhere: Usable 50,000, State completed, Steps 225,/);
    }
  });

  it.each<[string, string, Partial<VariantResult>]>([
    ['the window', 'window 64,000: of 4  window 9: no such curve', {}],
    [
      'the model where there are several',
      'lab/model, window 64,000: of 4  lab/b, window 9: no such curve',
      { model: 'lab/b' },
    ],
  ])('says of a curve %s, alike everywhere', (_, titles, other) => {
    const [first] = sampleWhatIf.variants;
    const variants = [first!, sampleVariant({ limits: { contextTokens: 9 }, ...other })];
    const report = { ...sampleWhatIf, variants };
    const columns = toPageOfWhatIf(report, ALL).tables?.[0]?.columns;
    const written = rowsOf(markdown(report, ALL), /^\| Protect \| (.*) \|$/);
    expect(rowsOf(table(report, ALL, PIPE), /^Protect +(.*)$/)).toEqual([titles]);
    expect(written.map((line) => line.replaceAll(' | ', '  ').replaceAll('`', ''))).toEqual([
      titles,
    ]);
    expect(columns?.map(({ title }) => title).join('  ')).toBe(`Protect  ${titles}`);
  });

  it('obeys nothing that a model or a refusal says in Markdown: they stand in code spans', () => {
    const text = markdown({ ...sampleWhatIf, session: HOSTILE_NAME }, ALL);
    expect(text).toContain('octocat');
    expect(text.replaceAll(/`[^`]*`/g, '')).not.toMatch(/octocat|evil|::error/);
    expect(text).not.toContain('\u001b');
    const cells = text.split('\n').filter((line) => line.startsWith('| Model |'));
    expect(cells.map((line) => line.split('|').length)).toEqual([5]);
  });

  it('lets no escape sequence and no command through to a terminal', () => {
    const text = table({ ...sampleWhatIf, session: HOSTILE_NAME }, ALL, PIPE);
    expect(text).toContain('octocat');
    expect(text).not.toContain('\u001b');
    expect(text).not.toMatch(/^::/m);
  });

  it.each<[string, WhatIfReport, WhatIfView]>([
    ['with all that can be shown', sampleWhatIf, ALL],
    ['without misses against the protect window', sampleWhatIf, { charts: true, curve: false }],
    ['of which no variant has such a curve', { ...sampleWhatIf, variants: [sampleVariant()] }, ALL],
    [
      'that broke before its first request',
      {
        ...sampleWhatIf,
        mode: 'closed-loop',
        seed: 7,
        variants: [
          sampleVariant({
            record: { seed: 7, state: 'failed', metrics: sampleVariant().record.metrics },
            plot: plotSawtooth([]),
            events: [],
          }),
        ],
      },
      ALL,
    ],
  ])('is shown alike where it was saved: one %s', (_, report, view) => {
    const saved = savedAgain(report, view);
    expect(json(saved.report, saved.view)).toBe(json(report, view));
    expect(markdown(saved.report, saved.view)).toBe(markdown(report, view));
    expect(table(saved.report, saved.view, PIPE)).toBe(table(report, view, PIPE));
  });

  it.each<[string, readonly RunEvent[], string]>([
    ['a limit', [started(50_000), sent(1, 100)], '50,000'],
    ['no limit', [unlimited, sent(1, 100)], 'no limit'],
    ['no request', [unlimited], '–'],
    ['no run', [], '–'],
  ])('tells what is usable where there is %s, saved or not', (_, events, usable) => {
    const report = { ...sampleWhatIf, variants: [sampleVariant({ events })] };
    expect(usableOf(report)).toBe(usable);
  });

  it.each([
    ['none', 'no limit'],
    ['opencode-1.2.16', '–'],
  ])('tells what is usable of a model without a known window under %s', (policy, usable) => {
    const limits = { contextTokens: 0 };
    const events = [{ ...unlimited, policy, limits } as RunEvent, sent(1, 100)];
    expect(
      usableOf({ ...sampleWhatIf, policy, variants: [sampleVariant({ limits, events })] }),
    ).toBe(usable);
  });

  it('has unknown metrics where what saved it had none of them', () => {
    const document = JSON.parse(json(sampleWhatIf, ALL));
    for (const { metrics } of document.variants) delete metrics.costUsd;
    const saved = readSaved('w.json', JSON.stringify(document)) as SavedWhatIf;
    expect(saved.report.variants.map(({ record }) => record.metrics.costUsd)).toEqual([null, null]);
  });
});
