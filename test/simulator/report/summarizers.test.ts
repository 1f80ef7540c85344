import { describe, expect, it } from 'vitest';
import { pointsCell, spreadCell } from '../../../src/simulator/report/summarizers-verdict.ts';
import { summarizersFormats } from '../../../src/simulator/report/summarizers.ts';
import { buildSummarizersReport } from '../../../src/simulator/sweep/summarizers/build-report.ts';
import { PIPE, terminalOf } from '../../support/terminals.ts';
import { pivot, probe, provenanceOf, row } from '../sweep/summarizers/summary-rows.ts';

const sessions = ['a', 'b', 'c'];
const rows = ['ai:openai/one', 'tail'].flatMap((summarizer, arm) =>
  sessions.map((scenario, index) =>
    row({
      summarizer,
      model: summarizer,
      scenario,
      reader: 'ai:openai/reader',
      pivots: [
        pivot(0.5, {
          kinds: { id: { kept: 5, lost: 5 }, path: { kept: 1, stale: 3 } },
          costNanoUsd: 8_000_000 / (arm + 1),
        }),
        pivot(0.6 - arm / 4, { costNanoUsd: 8_000_000 / (arm + 1) }),
      ],
      survival: [
        { atRisk: 10, lost: 2 },
        { atRisk: 8, lost: index },
      ],
      probes: [probe(index > 0), probe(arm === 0, { id: 'file 2', kind: 'file' })],
      unanswered: ['=cmd()'],
      missing: { pivot: 3, state: 'broken', reason: 'No recording.\n  + one line\n::error::no' },
    }),
  ),
);
const report = buildSummarizersReport({
  rows,
  unread: [],
  provenance: { ...provenanceOf(sessions), compactAt: [1 / 3, 1] },
});

/** What every reader of a report is to find, in whatever format. */
const DETAILS = { ...PIPE, details: true };

describe('the conclusion', () => {
  const firstLines = (of: typeof report) =>
    summarizersFormats.table(of, PIPE).split('\n\n')[0]!.replaceAll('\n', ' ');

  it('is what the reader answers, with a verdict that only it can give', () => {
    expect(firstLines(report)).toMatch(
      /^The reader answers 33 % of the questions after the summary of tail and 83 % after that of ai:openai\/one \(-50\.0 points.*\): (?:worse|not enough data; about \d+ sessions would be enough)\.$/,
    );
  });

  it('without a reader calls nothing better or worse', () => {
    const unread = rows.map((own) => ({ ...own, reader: undefined, probes: undefined }));
    const without = { rows: unread, unread: [], provenance: provenanceOf(sessions) };
    const text = summarizersFormats.table(buildSummarizersReport(without), DETAILS);
    expect(text).toMatch(/^No reader was named/);
    expect(text).toContain('nothing judges this');
    expect(text).not.toMatch(/\b(?:better|worse)\b/);
  });

  it('of one arm says how much of the session is left to the reader', () => {
    const one = buildSummarizersReport({
      rows: rows.filter(({ summarizer }) => summarizer === 'tail'),
      unread: [],
      provenance: provenanceOf(sessions),
    });
    expect(firstLines(one)).toBe(
      'After the summary of tail the reader answers 33 % of 6 questions right, with the whole session 100 %, and with nothing 0 %.',
    );
  });

  it('says where no question could be asked', () => {
    const mute = buildSummarizersReport({
      rows: rows.map((own) => ({ ...own, probes: [] })),
      unread: [],
      provenance: provenanceOf(sessions),
    });
    expect(firstLines(mute)).toMatch(/^No question could be asked/);
  });

  it.each<[facts: 'planted' | 'none', told: RegExp]>([
    ['planted', /^No reader .* Facts kept by the first summary: ai:openai\/one 42\.9 %/],
    ['none', /^No reader .* no arm is better or worse\.$/],
  ])('of sessions with facts %s is no more than is known', (facts, told) => {
    const kinds = facts === 'none' ? {} : rows[0]!.pivots[0]!.kinds;
    const other = buildSummarizersReport({
      rows: rows.map((own) => ({
        ...own,
        reader: undefined,
        probes: undefined,
        facts,
        pivots: [pivot(0.5, { kinds })],
      })),
      unread: [],
      provenance: provenanceOf(sessions),
    });
    expect(firstLines(other)).toMatch(told);
  });
});

describe('a comparison', () => {
  it.each(['table', 'markdown', 'csv', 'json'] as const)('is written as %s', async (format) => {
    const shown = summarizersFormats[format](report, { ...terminalOf(200), details: true });
    await expect(shown).toMatchFileSnapshot(`../../fixtures/snapshots/summarizers.${format}.txt`);
  });
});

describe('a reason of several lines', () => {
  it('has its lines in a table, and none of them is a command', () => {
    const table = summarizersFormats.table(report, DETAILS);
    expect(table).toContain('broken, 3 times: No recording.\n    + one line\n');
    expect(table).not.toMatch(/^\s*::error/m);
  });
});

describe('spreadCell', () => {
  it.each([
    [{ mean: 0.5, low: 0.25, high: 0.75 }, '50.0 % (25 … 75)'],
    [{ mean: 0.006, low: 0.005, high: 0.007 }, '0.6 % (0.5 … 0.7)'],
    [{ mean: 1, low: 1, high: 1 }, '100.0 %'],
    [{ mean: 0.5, low: null, high: null }, '50.0 %'],
    [{ mean: null, low: null, high: null }, '–'],
  ])('shows %j as %s', (estimate, cell) => {
    expect(spreadCell(estimate)).toBe(cell);
  });
});

describe('pointsCell', () => {
  it.each([
    [{ mean: 0.05, low: -0.1, high: 0.2 }, '+5.0 points (-10 … 20)'],
    [{ mean: -0.006, low: -0.007, high: -0.0004 }, '-0.6 points (-0.7 … 0.0)'],
    [{ mean: 0, low: 0, high: 0 }, '0.0 points'],
    [{ mean: null, low: null, high: null }, '–'],
  ])('shows %j as %s', (estimate, cell) => {
    expect(pointsCell(estimate)).toBe(cell);
  });
});
