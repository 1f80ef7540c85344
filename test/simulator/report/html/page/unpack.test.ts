import { describe, expect, it } from 'vitest';
import { toPageOfRuns } from '../../../../../src/simulator/report/html/page-of-runs.ts';
import { runsOf } from '../../../../../src/simulator/report/html/page/unpack.js';
import { packPage } from '../../../../../src/simulator/report/html/render-page.ts';
import { sampleEvents } from '../../../../support/sample-events.ts';
import { sampleReport, sampleRun } from '../../../../support/sample-report.ts';
import { sampleView } from '../../../../support/sample-view.ts';

const runs = ['one', 'two'].map((session) => sampleRun({ session }));

describe('runsOf', () => {
  it('has the runs of a session as they were before they were packed', () => {
    const report = toPageOfRuns(sampleReport({ runs }), {
      eventsOf: ({ session, policy }) => sampleEvents({ session, policy }),
      viewOf: () => sampleView({}),
    });
    const packed = packPage(report);
    expect(packed.runs[1]).not.toEqual(report.runs[1]);
    expect(runsOf(packed, 1)).toEqual(report.runs.slice(1));
  });

  it('tells what was written from what was neither', () => {
    const [run] = toPageOfRuns(sampleReport({ runs }), {
      eventsOf: ({ session, policy }) => sampleEvents({ session, policy }),
    }).runs;
    if (run?.d === undefined) throw new Error('Expected a run with steps.');
    const written = run.d.written.map((tokens, step) => tokens - (step % 3));
    const report = {
      ...toPageOfRuns(sampleReport(), {}),
      runs: [{ ...run, d: { ...run.d, written } }],
    };
    expect(runsOf(packPage(report), 0)[0]?.d?.written).toEqual(written);
  });

  it('has runs whose steps are not known', () => {
    const report = toPageOfRuns(sampleReport({ runs }), {});
    expect(runsOf(packPage(report), 0)).toEqual(report.runs.slice(0, 1));
  });
});
