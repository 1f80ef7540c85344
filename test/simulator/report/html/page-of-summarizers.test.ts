import { describe, expect, it } from 'vitest';
import { toPageOfSummarizers } from '../../../../src/simulator/report/html/page-of-summarizers.ts';
import { readSaved } from '../../../../src/simulator/report/saved/documents.ts';
import { summarizersFormats } from '../../../../src/simulator/report/summarizers.ts';
import { buildSummarizersReport } from '../../../../src/simulator/sweep/summarizers/build-report.ts';
import { pivot, provenanceOf, row } from '../../sweep/summarizers/summary-rows.ts';

const sessions = ['a', 'b', 'c'];
const report = buildSummarizersReport({
  rows: ['extractive', 'tail'].flatMap((summarizer, arm) =>
    sessions.map((scenario, index) =>
      row({ summarizer, scenario, pivots: [pivot(0.8 - arm / 4 + index / 20), pivot(0.5)] }),
    ),
  ),
  unread: [],
  provenance: provenanceOf(sessions),
});

describe('toPageOfSummarizers', () => {
  const page = toPageOfSummarizers(report);

  it('has a bar with its interval for each summarizer', () => {
    const retention = page.bars?.find(({ title }) => title === 'Facts kept');
    expect(retention).toMatchObject({ unit: 'ratio' });
    expect(retention).not.toHaveProperty('better');
    expect(retention?.bars.map(({ name, sessions: known }) => [name, known])).toEqual([
      ['extractive', 3],
      ['tail', 3],
    ]);
    const [first] = retention?.bars ?? [];
    expect(first?.value).toBeCloseTo(0.85);
    expect(first?.low).toBeLessThan(0.85);
    expect(first?.high).toBeGreaterThan(0.85);
  });

  it('draws nothing that nobody knows', () => {
    const titles = page.bars?.map(({ title }) => title);
    expect(titles).toContain('Facts kept, 2nd compaction');
    expect(page.bars?.every(({ bars }) => bars.some(({ value }) => value !== null))).toBe(true);
  });

  it.each<[readonly number[] | 'policy', string]>([
    [[1 / 3, 2 / 3, 1], 'at 33.3 %, 66.7 %, 100 % of the steps'],
    ['policy', '2 times where the policy compacts on lab/small'],
  ])('tells of places %j what the other formats tell: %j', (compactAt, words) => {
    const places = { compactAt, pivots: 2, model: 'lab/small' };
    const there = { ...report, provenance: { ...report.provenance, ...places } };
    const { facts } = toPageOfSummarizers(there);
    expect(facts?.find(({ label }) => label === 'Compacted')?.value).toBe(words);
    expect(summarizersFormats.markdown(there)).toContain(`compacted ${words};`);
  });

  it('says first what it comes to', () => {
    expect(page.verdict[0]).toMatch(/^No reader was named/);
  });

  it('is the same page of a report that was saved', () => {
    const saved = readSaved('summarizers.json', summarizersFormats.json(report));
    expect(saved.kind).toBe('summarizers');
    expect(saved.kind === 'summarizers' && toPageOfSummarizers(saved.report)).toEqual(page);
  });
});
