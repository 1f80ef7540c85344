import { describe, expect, it } from 'vitest';
import { metrics, UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { json } from '../../../src/simulator/report/json.ts';
import { sampleReport, sampleRun } from '../../support/sample-report.ts';

const render = (report = sampleReport()) => json.render(report, { colors: false });

describe('json', () => {
  it('prints the published keys in their order', () => {
    const report = sampleReport({
      runs: [sampleRun({ state: 'refused', reason: 'twice' })],
      unread: [{ file: 'a.json', reason: 'empty' }],
    });
    const document = JSON.parse(render(report));
    expect(Object.keys(document)).toEqual(['schemaVersion', 'provenance', 'runs', 'unread']);
    expect(Object.keys(document.runs[0])).toEqual([
      'session',
      'policy',
      'model',
      'summarizer',
      'seed',
      'state',
      'reason',
      'metrics',
    ]);
    expect(document.unread).toEqual([{ file: 'a.json', reason: 'empty' }]);
  });

  it('leaves the reason out where there is none', () => {
    expect(JSON.parse(render()).runs[0]).not.toHaveProperty('reason');
  });

  it('prints every metric of the table, and null for what is unknown', () => {
    const report = sampleReport({ runs: [sampleRun({ metrics: UNKNOWN_METRICS })] });
    const [run] = JSON.parse(render(report)).runs;
    expect(Object.keys(run.metrics)).toEqual(Object.keys(metrics));
    expect(Object.values(run.metrics).every((value) => value === null)).toBe(true);
  });

  it('indents by two and ends with a line end', () => {
    expect(render()).toMatch(/^\{\n {2}"schemaVersion": 1,\n[^]*\n\}\n$/);
  });

  it('keeps what it escapes', () => {
    const session = '\u001b[31m\u009b\u202e::##vso[\u{e0001}.json';
    const report = sampleReport({ runs: [sampleRun({ session })] });
    expect(JSON.parse(render(report)).runs[0].session).toBe(session);
  });
});
