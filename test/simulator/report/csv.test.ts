import { describe, expect, it } from 'vitest';
import { metrics, UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { csv } from '../../../src/simulator/report/csv.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../../support/sample-report.ts';

const linesOf = (report = sampleReport()) => csv.render(report, { colors: false }).split('\n');

describe('csv', () => {
  it('begins with the names of its columns', () => {
    const keys = 'session,policy,model,summarizer,seed,mode,state,reason';
    expect(linesOf()[0]).toBe(`${keys},${Object.keys(metrics).join(',')}`);
  });

  it('prints plain numbers', () => {
    expect(linesOf()[1]).toBe(
      'sessions/one.jsonl,opencode-1.2.16,anthropic/claude-sonnet-4-5,extractive,1,open-loop,completed,,' +
        '225,9,6000000,61234,168004,4,3,1,0,8,2,1,1,3,5,6,123456,120000,300000,4000,90001,3696000,' +
        '7.25,0.0625,-0.25,5400000,500000,100000,1000000,800000,5000000,4600000,0.9,0.8,0.92,7,3,2,0,1234567,' +
        '80,16,0.2,64,0.25,70000,21000,0.3,0.75,62000,48,24,0.5,11,13,32100,14,12,100,41,0.41,' +
        '10,17,15000,1.4,0.5,1.5,1.75',
    );
  });

  it('names the loop of a run', () => {
    const line = linesOf(sampleReport({ runs: [sampleRun({ mode: 'closed-loop' })] }))[1];
    expect(line).toContain(',1,closed-loop,completed,');
  });

  it('leaves unknown cells empty', () => {
    const line = linesOf(sampleReport({ runs: [sampleRun({ metrics: UNKNOWN_METRICS })] }))[1];
    expect(line).toMatch(/,completed,,+$/);
  });

  it('gives an unread input a row of its own', () => {
    const report = sampleReport({ runs: [], unread: [{ file: 'a.json', reason: 'no, not one' }] });
    expect(linesOf(report)[1]).toMatch(/^a\.json,,,,,,unread,"no, not one",+$/);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)'])('takes %s of a session for text', (session) => {
    expect(linesOf(sampleReport({ runs: [sampleRun({ session })] }))[1]).toMatch(/^'/);
  });

  it('takes a negative number for a number', () => {
    const run = sampleRun({ metrics: { ...sampleMetrics, tokensSaved: -5 } });
    expect(linesOf(sampleReport({ runs: [run] }))[1]).toMatch(/,-5,/);
  });
});
