import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../src/simulator/metrics/metrics.ts';
import type { Format, Report } from '../../src/simulator/report/report.ts';
import { sampleReport, sampleRun } from '../support/sample-report.ts';

const PLAIN = { colors: false };

/** Texts that a session, its path or its reason may hold. */
export const hostileTexts: readonly (readonly [string, string])[] = [
  ['an escape sequence', '\u001b[2J\u001b]0;owned\u0007.json'],
  ['an escape sequence in one byte', '\u009b31mred.json'],
  ['a bidirectional override', 'a\u202efdp.json'],
  ['line breaks', 'one\r\ntwo\u2028three.json'],
  ['a lone surrogate', 'half\ud800.json'],
  ['a noncharacter', 'a\uffffb\ufffe.json'],
  ['a command for a CI log', '::error file=a::b'],
  ['a command for another CI log', 'x##vso[task.complete]'],
  ['a formula', '=1+1'],
  ['markup', '<img src=x onerror=alert(1)>|`@everyone` [a](https://example.org)'],
  ['a name of the prototype', '__proto__'],
  ['nothing', ''],
];

/** Anything that a terminal obeys, the line end excepted. */
const OBEYED =
  // oxlint-disable-next-line no-control-regex -- it is what the test looks for
  /(?!\n)[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/u;

/** What every report format must do, whatever it looks like. */
export function describeReportFormat(name: string, format: Format): void {
  const render = (report: Report) => format.render(report, PLAIN);

  describe(`${name} as a report format`, () => {
    it('names its extension', () => {
      expect(format.extension).toMatch(/^\.[a-z]+$/);
    });

    it('renders zero runs', () => {
      expect(render(sampleReport({ runs: [] }))).toMatch(/\n$/);
    });

    it('gives the same text for the same report', () => {
      expect(render(sampleReport())).toBe(render(sampleReport()));
    });

    it('leaves its report as it is', () => {
      const report = sampleReport();
      render(report);
      expect(report).toEqual(sampleReport());
    });

    it('tells the state of a run', () => {
      const report = sampleReport({ runs: [sampleRun({ state: 'refused', reason: 'too long' })] });
      expect(render(report)).toMatch(/refused[^]*too long|too long[^]*refused/);
    });

    it('never shows an unknown number as 0', () => {
      const known = { ...UNKNOWN_METRICS, compactions: 777 };
      const report = sampleReport({ runs: [sampleRun({ metrics: known })] });
      const text = render(report).replaceAll(report.provenance.version, 'VERSION');
      expect(text).toContain('777');
      const row = ['one.jsonl', '777'].flatMap((mark) =>
        text.split('\n').filter((line) => line.includes(mark)),
      )[0];
      expect(row).not.toMatch(/\b0\b/);
    });

    it('shows 0 as 0', () => {
      const zero = { ...UNKNOWN_METRICS, compactions: 0 };
      const unknown = render(sampleReport({ runs: [sampleRun({ metrics: UNKNOWN_METRICS })] }));
      expect(render(sampleReport({ runs: [sampleRun({ metrics: zero })] }))).not.toBe(unknown);
    });

    it.each(hostileTexts)('obeys no %s', (_, text) => {
      const run = sampleRun({ session: text, policy: text, model: text, reason: text });
      const unread = [{ file: text, reason: text }];
      const report = sampleReport({ runs: [run, { ...run, state: 'failed' }], unread });
      for (const terminal of [PLAIN, { ...PLAIN, terminalColumns: 20 }]) {
        const rendered = format.render(report, terminal);
        expect(rendered).not.toMatch(OBEYED);
        expect(rendered).not.toMatch(/^\s*::/m);
        expect(rendered).not.toMatch(/##\w*\[/);
      }
    });

    it('lists unread inputs with their reasons', () => {
      const unread = [{ file: 'broken.json', reason: 'an empty file' }];
      expect(render(sampleReport({ unread }))).toMatch(
        /broken\.json.*an empty file|broken\.json[^]{0,20}an empty file/,
      );
    });
  });
}
