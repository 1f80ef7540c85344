import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { readSaved } from '../../../src/simulator/report/saved/documents.ts';
import { whatIfFormats, type WhatIfReport } from '../../../src/simulator/report/whatif.ts';
import { HOSTILE_NAME } from '../../support/sample-comparison.ts';
import { sampleVariant, sampleWhatIf } from '../../support/sample-what-if.ts';
import { PIPE } from '../../support/terminals.ts';
import { sent, started, unlimited } from './run-events.ts';

const { json, table, markdown } = whatIfFormats;
const CHARTS = { ...PIPE, charts: true };

/** What a table says of the usable tokens of a single variant. */
function usableOf(report: WhatIfReport): string | undefined {
  return /^Usable +(.*)$/m.exec(table(report, CHARTS))?.[1];
}

describe('a what-if', () => {
  it('is Markdown for a pull request', () => {
    const [variant] = sampleWhatIf.variants;
    const lines = markdown({ ...sampleWhatIf, variants: [variant!] }).split('\n');
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

      Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.

      \` \`
      "
    `);
  });

  it('has the same rows in Markdown as in a terminal, and those that are alike in one line', () => {
    const other = sampleVariant({ limits: { contextTokens: 9 } });
    const metrics = { ...other.metrics, peakContextTokens: 9, costSummariesUsd: 9 };
    const report = { ...sampleWhatIf, variants: [sampleVariant(), { ...other, metrics }] };
    const [shown, written] = [table(report, PIPE), markdown(report)];
    const rows = ['Window', 'Peak context', 'Cost, of which summaries'];
    const [numbers = ''] = shown.split('More numbers:\n')[1]?.split('\n\n') ?? [];
    expect(numbers.split('\n').map((line) => line.split('  ')[0])).toEqual(rows);
    for (const name of rows) expect(written).toContain(`| ${name} |`);
    for (const text of [shown, written])
      expect(text).toMatch(/The same everywhere: Usable 50,000, State completed, Steps 225,/);
  });

  it('obeys nothing that a model or a refusal says in Markdown: they stand in code spans', () => {
    const text = markdown({ ...sampleWhatIf, session: HOSTILE_NAME });
    expect(text).toContain('octocat');
    expect(text.replaceAll(/`[^`]*`/g, '')).not.toMatch(/octocat|evil|::error/);
    expect(text).not.toContain('\u001b');
    const cells = text.split('\n').filter((line) => line.startsWith('| Model |'));
    expect(cells.map((line) => line.split('|').length)).toEqual([5]);
  });

  it('lets no escape sequence and no command through to a terminal', () => {
    const text = table({ ...sampleWhatIf, session: HOSTILE_NAME }, CHARTS);
    expect(text).toContain('octocat');
    expect(text).not.toContain('\u001b');
    expect(text).not.toMatch(/^::/m);
  });

  it('is shown alike where it was saved', () => {
    const saved = readSaved('w.json', json(sampleWhatIf));
    expect(saved).toEqual({ kind: 'whatif', report: sampleWhatIf });
  });

  it.each<[string, readonly RunEvent[], string]>([
    ['a limit', [started(50_000), sent(1, 100)], '50,000'],
    ['no limit', [unlimited, sent(1, 100)], 'no limit'],
    ['no request', [unlimited], '–'],
    ['no run', [], '–'],
  ])('tells what is usable where there is %s', (_, events, usable) => {
    expect(usableOf({ ...sampleWhatIf, variants: [sampleVariant({}, events)] })).toBe(usable);
  });

  it.each([
    ['none', 'no limit'],
    ['opencode-1.2.16', '–'],
  ])('tells what is usable of a model without a known window under %s', (policy, usable) => {
    const limits = { contextTokens: 0 };
    const events = [{ ...unlimited, policy, limits } as RunEvent, sent(1, 100)];
    const variants = [sampleVariant({ limits }, events)];
    expect(usableOf({ ...sampleWhatIf, policy, variants })).toBe(usable);
  });

  it('has unknown metrics where what saved it had none of them', () => {
    const variants = [sampleVariant({ metrics: {} })];
    expect(table({ ...sampleWhatIf, variants }, PIPE)).toMatch(/^Steps +–$/m);
  });
});
