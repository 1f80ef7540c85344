import { describe, expect, it } from 'vitest';
import { toPageOfWhatIf } from '../../../../src/simulator/report/html/page-of-whatif.ts';
import { valuesTitle } from '../../../../src/simulator/report/html/page/names.js';
import { emptyPage } from '../../../../src/simulator/report/html/render-page.ts';
import { drawSawtooth } from '../../../../src/simulator/report/sawtooth.ts';
import { sampleWhatIf, savedAgain } from '../../../support/sample-what-if.ts';

const view = { charts: true };
const { report: saved } = savedAgain(sampleWhatIf, view);

describe('toPageOfWhatIf', () => {
  it('draws step by step what has events', () => {
    const { runs, tables, noTimeline } = toPageOfWhatIf(sampleWhatIf, view);
    expect(runs.map(({ d }) => d?.context)).toEqual([[20_000, 45_000, 10_000], undefined]);
    expect({ tables, noTimeline }).toEqual({ tables: [], noTimeline: undefined });
  });

  it('shows of what has none how the context went up and down, and says what draws it', () => {
    const { runs, tables, noTimeline } = toPageOfWhatIf(saved, view);
    expect(runs.map(({ d }) => d)).toEqual([undefined, undefined]);
    expect(noTimeline).toContain('compaction-bench whatif SESSION --out FILE.html');
    const [{ columns, rows } = { columns: [], rows: [] }, ...more] = tables ?? [];
    expect(more).toEqual([]);
    expect(columns.map(({ title }) => title)).toEqual(['Model · Window', 'Over the steps']);
    expect(rows).toEqual(
      saved.variants.map(({ plot }) => [
        expect.stringMatching(/ · (?:64,000|no limit)$/),
        { text: 'chart', drawing: drawSawtooth(plot) },
      ]),
    );
  });

  it('says that its values are those of one run, which need not have completed', () => {
    const page = toPageOfWhatIf(sampleWhatIf, view);
    expect(page.groups.map(({ completedRuns }) => completedRuns)).toEqual([1, 0]);
    expect(valuesTitle(page)).toMatch(/^One run each, also where it did not complete;/);
    expect(valuesTitle(emptyPage([]))).toMatch(/^Sums over completed runs;/);
  });

  it('is the same page otherwise', () => {
    const { runs, tables: _tables, noTimeline: _noTimeline, ...rest } = toPageOfWhatIf(saved, view);
    expect(toPageOfWhatIf(sampleWhatIf, view)).toMatchObject(rest);
    expect(toPageOfWhatIf(sampleWhatIf, view).runs).toMatchObject(runs);
  });
});
