import { describe, expect, it } from 'vitest';
import { metrics, UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import type { RunRecord } from '../../../src/simulator/metrics/record.ts';
import { formats } from '../../../src/simulator/report/runs.ts';
import { describeReportFormat, hostileTexts } from '../../contracts/report-format.ts';
import {
  sampleMetrics,
  sampleProvenance,
  sampleReport,
  sampleRun,
} from '../../support/sample-report.ts';

const linesOf = (report = sampleReport()) => formats.csv.render(report).split('\n');

describe('csv', () => {
  it('begins with the names of its columns', () => {
    const keys = 'session,policy,model,summarizer,seed,mode,state,reason,impossible,baseline';
    const { settings } = sampleReport().provenance;
    const set = Object.keys(settings).map((name) => `,set_${name}`);
    expect(linesOf()[0]).toBe(
      `${keys},${Object.keys(metrics).join(',')},netCostUsd,sessionId,version${set.join('')}`,
    );
  });

  it('prints plain numbers', () => {
    expect(linesOf()[1]).toBe(
      'sessions/one.jsonl,opencode-1.2.16,anthropic/claude-sonnet-4-5,extractive,1,open-loop,completed,,,,' +
        '225,9,6000000,61234,168004,0,4,3,1,0,8,2,1,1,3,5,6,1,123456,120000,300000,240000,4000,90001,3696000,' +
        '7.25,0.0625,-0.25,5400000,500000,100000,1000000,800000,5000000,4600000,0.9,0.8,0.92,7,3,2,0,1234567,' +
        '80,16,5,11,0,0.2,15,18,19,9,64,0.25,70000,21000,0.3,0.75,62000,48,24,0.5,11,13,20,32100,14,12,100,41,0.41,' +
        '10,0.5,8,,0.1.0,20000',
    );
  });

  it('has the id of the session, the version, and the settings of all and of a policy of one', () => {
    const report = sampleReport({ runs: [sampleRun({ policy: 'opencode-1.18 protect=5000' })] });
    const story = { project: null, title: null, date: null, sessionId: 'kettle-1' };
    const { session } = report.runs[0]!;
    const sessions = [{ ...report.provenance.estimators.sessions[0]!, session, story }];
    const estimators = { ...report.provenance.estimators, sessions };
    const settings = { contextTokens: 60_000 };
    const provenance = { ...report.provenance, version: '1.2.3', settings, estimators };
    const [head, row] = linesOf({ ...report, provenance });
    expect(head).toMatch(/,netCostUsd,sessionId,version,set_contextTokens,set_protect$/);
    expect(row).toMatch(/,kettle-1,1\.2\.3,60000,5000$/);
  });

  it.each<[string, Partial<RunRecord>, RegExp]>([
    ['names the loop of a run', { mode: 'closed-loop' }, /,1,closed-loop,completed,/],
    ['leaves unknown cells empty', { metrics: UNKNOWN_METRICS }, /,completed,{60,}\d+\.\d+\.\d+/],
    [
      'takes a negative number for a number',
      { metrics: { ...sampleMetrics, tokensSaved: -5 } },
      /,-5,/,
    ],
    ...['=1+1', '+1', '-1', '@SUM(A1)'].map((session): [string, Partial<RunRecord>, RegExp] => [
      `takes ${session} of a session for text`,
      { session },
      /^'/,
    ]),
  ])('%s', (_, changes, line) => {
    expect(linesOf(sampleReport({ runs: [sampleRun(changes)] }))[1]).toMatch(line);
  });

  it('gives an unread input a row of its own', () => {
    const report = sampleReport({ runs: [], unread: [{ file: 'a.json', reason: 'no, not one' }] });
    expect(linesOf(report)[1]).toMatch(/^a\.json,,,,,,unread,"no, not one",{60,}\d+\.\d+\.\d+,*$/);
  });
});

// Spans tell requests, and not how runs ended; test/cli/otel.test.ts has what they must do. A picture is one chart alone.
const { otel: _, svg: _picture, ...ofRuns } = formats;
for (const [name, format] of Object.entries(ofRuns)) describeReportFormat(name, format);

const render = (report = sampleReport()) => formats.json.render(report);

describe('json', () => {
  it('prints the published keys in their order', () => {
    const report = sampleReport({
      runs: [sampleRun({ state: 'refused', reason: 'twice' })],
      unread: [{ file: 'a.json', reason: 'empty' }],
    });
    const document = JSON.parse(render(report));
    expect(Object.keys(document).join()).toBe('schemaVersion,verdict,provenance,runs,unread');
    const keys = 'session,policy,model,summarizer,seed,state,reason,metrics';
    expect(Object.keys(document.runs[0]).join()).toBe(keys);
    expect(document.unread).toEqual([{ file: 'a.json', reason: 'empty' }]);
    expect(JSON.parse(render()).runs[0]).not.toHaveProperty('reason');
    expect(render()).toMatch(/^\{\n {2}"schemaVersion": 1,\n[^]*\n\}\n$/);
  });

  it('prints every metric of the table, and null for what is unknown', () => {
    const report = sampleReport({ runs: [sampleRun({ metrics: UNKNOWN_METRICS })] });
    const [run] = JSON.parse(render(report)).runs;
    expect(Object.keys(run.metrics)).toEqual(Object.keys(metrics));
    expect(Object.values(run.metrics).every((value) => value === null)).toBe(true);
  });

  it('keeps what it escapes', () => {
    const session = '\u001b[31m\u009b\u202e::##vso[\u{e0001}.json';
    const report = sampleReport({ runs: [sampleRun({ session })] });
    expect(JSON.parse(render(report)).runs[0].session).toBe(session);
  });
});

const renderOfMarkdown = (report = sampleReport()) =>
  formats.markdown.render(report, { colors: false });
const cellsOf = (line: string | undefined) => line?.split('|').length;

describe('markdown', () => {
  it('is a report to read', async () => {
    const unread = [{ file: 'broken.json', reason: 'Expected a session, got an empty file.' }];
    const refused = sampleRun({ policy: 'none', state: 'refused', reason: 'refused twice' });
    await expect(
      renderOfMarkdown(sampleReport({ runs: [sampleRun(), refused], unread })),
    ).toMatchFileSnapshot('../../fixtures/snapshots/report-runs.md');
  });

  it.each(hostileTexts)('keeps %s in its code span and its cell', (_, text) => {
    const run = sampleRun({ session: text, state: 'failed', reason: text });
    const reasons = { [text]: 1 };
    const provenance = sampleProvenance({ dropped: reasons, repaired: reasons });
    const unread = [{ file: text, reason: text }];
    const rendered = renderOfMarkdown(sampleReport({ runs: [run], unread, provenance }));
    for (const line of rendered.split('\n')) {
      const outside = line.replaceAll(/`[^`]+`/g, 'code');
      expect(outside).not.toMatch(/[`@<[]|https?:/);
    }
    const [titles, rule, row] = rendered.split('\n').filter((line) => line.startsWith('|'));
    expect(cellsOf(row)).toBe(cellsOf(titles));
    expect(cellsOf(rule)).toBe(cellsOf(titles));
  });
});

const renderOfTable = (report = sampleReport()) =>
  formats.table.render(report, { colors: false, details: true });
const NOTHING =
  'overflows compactions ineffectiveCompactions failedCompactions prunes prunedTokens summaryInputTokens summaryOutputTokens tokensSaved misses goneConstraints gonePaths';
const none = sampleRun({
  policy: 'none',
  metrics: {
    ...sampleMetrics,
    inputTokens: 10_000_000,
    peakContextTokens: 1_168_004,
    ...Object.fromEntries(NOTHING.split(' ').map((name) => [name, 0])),
  },
});
const refused = sampleRun({
  session: 'a/very/long/path/of/folders/that/ends/in/two.json#1',
  state: 'refused',
  reason: 'refused twice in a row',
  metrics: UNKNOWN_METRICS,
});

describe('table', () => {
  it('breaks lists between words, as prose, where it knows the width of the terminal', () => {
    const unread = [{ file: 'broken.json', reason: 'Expected a session, got an empty file.' }];
    const report = sampleReport({ runs: [refused], unread });
    const shown = formats.table.render(report, {
      colors: false,
      terminalColumns: 40,
      details: true,
    });
    expect(shown).toContain(
      '\n- …/path/of/folders/that/ends/in/two.json#1\n  with opencode-1.2.16: refused, refused\n  twice in a row\n',
    );
    expect(shown).toContain('\n- broken.json: Expected a session, got\n  an empty file.\n');
  });

  it('shows runs, totals, what did not complete, what was not read, and where it all comes from', async () => {
    const unread = [{ file: 'broken.json', reason: 'Expected a session, got an empty file.' }];
    const report = sampleReport({ runs: [none, sampleRun(), refused], unread });
    await expect(renderOfTable(report)).toMatchFileSnapshot(
      '../../fixtures/snapshots/report-runs.txt',
    );
  });

  it('says once why a session did not complete under several policies, and of copies how many there are', () => {
    const copy = { session: 'c.json', state: 'skipped', reason: 'a copy of b.json' } as const;
    const runs = [
      sampleRun({ session: 'a.json', policy: 'none', state: 'failed' }),
      sampleRun({ session: 'a.json', policy: 'crush', state: 'failed' }),
      sampleRun({ ...copy, policy: 'none' }),
      sampleRun({ ...copy, policy: 'crush' }),
    ];
    const text = renderOfTable(sampleReport({ runs }));
    expect(text).toContain('\n1 session is a copy of another one, and is not run.\n');
    const [, listed] = text.split('Not completed:\n');
    expect(listed?.split('\n\n')[0]?.split('\n')).toEqual(['- a.json with none, crush: failed']);
  });

  it('says that nothing was run', () => {
    expect(renderOfTable(sampleReport({ runs: [] }))).toMatch(/^No session was run\.\n/);
  });

  it('aligns the same with colours as without', () => {
    const report = sampleReport({ runs: [none, sampleRun(), refused] });
    const colored = formats.table.render(report, { colors: true, details: true });
    expect(colored).toContain('\u001b');
    // oxlint-disable-next-line no-control-regex -- colours are what is taken out
    const plain = colored.replaceAll(/\u001b\[\d+m/g, '').replaceAll(/ +$/gm, '');
    expect(plain).toBe(renderOfTable(report));
  });

  it('lists the most expensive sessions first, by what they were about, and the rest as one', () => {
    const costs = [1, 30, 20];
    const runs = costs.flatMap((costUsd, index) =>
      ['none', 'crush'].map((policy) =>
        sampleRun({ session: `${index}.json`, policy, metrics: { ...sampleMetrics, costUsd } }),
      ),
    );
    const report = sampleReport({ runs });
    const { estimators } = report.provenance;
    const story = { project: 'shop', title: 'Migrate checkout', date: '2025-11-03' };
    const sessions = [{ ...estimators.sessions[0]!, session: '1.json', story }];
    const provenance = { ...report.provenance, estimators: { ...estimators, sessions } };
    const text = formats.table.render(
      { ...report, provenance },
      { colors: false, top: 2, details: true },
    );
    expect(
      text
        .split('\n\n')
        .find((block) => block.startsWith('Session'))
        ?.split('\n'),
    ).toEqual([
      'Session                                 none   crush',
      'shop, "Migrate checkout", 3 Nov 2025  $30.75  $30.75',
      '2.json                                $20.75  $20.75',
      '1 other session                        $1.75   $1.75',
    ]);
  });
});
