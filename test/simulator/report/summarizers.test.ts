import { describe, expect, it } from 'vitest';
import { pointsCell, spreadCell } from '../../../src/simulator/report/summarizers-report.ts';
import { summarizersFormats } from '../../../src/simulator/report/summarizers.ts';
import { buildSummarizersReport } from '../../../src/simulator/sweep/summarizers/build-report.ts';
import { PIPE } from '../../support/terminals.ts';
import { pivot, probe, provenanceOf, row } from '../sweep/summarizers/summary-rows.ts';

const judge = {
  name: 'ai:openai/judge',
  promptHash: 'abc',
  labels: 50,
  kappa: { mean: 0.7, low: 0.5, high: 0.9 },
  selfAgreement: { mean: 0.9, low: 0.8, high: 1 },
  unreadable: 2,
  failed: 0,
  isTrusted: false,
};
const unsure = {
  ...judge,
  name: 'ai:openai/unsure',
  kappa: { mean: 1, low: 1, high: 1 },
  labels: 4,
  failed: 46,
};
const sessions = ['a', 'b', 'c'];
const rows = ['ai:openai/one', 'tail'].flatMap((summarizer, arm) =>
  sessions.map((scenario, index) =>
    row({
      summarizer,
      model: summarizer,
      scenario,
      reader: 'ai:openai/reader',
      pivots: [
        pivot(0.8 - arm / 4 + index / 20, {
          kinds: { id: 0.5, path: 0.25 },
          costNanoUsd: 8_000_000 / (arm + 1),
        }),
        pivot(0.6 - arm / 4, { costNanoUsd: 8_000_000 / (arm + 1) }),
      ],
      survival: [
        { atRisk: 10, lost: 2 },
        { atRisk: 8, lost: index },
      ],
      probes: [probe(index > 0), probe(true, { id: 'recall fact-2' })],
      unanswered: ['=cmd()'],
      missing: { pivot: 3, state: 'broken', reason: 'No recording.\n  + one line\n::error::no' },
    }),
  ),
);
const report = buildSummarizersReport({
  rows,
  unread: [],
  provenance: { ...provenanceOf(sessions), compactAt: [1 / 3, 1] },
  calibration: { judges: [judge, unsure], alpha: { mean: 0.4, low: 0.2, high: 0.6 } },
});

/** What every reader of a report is to find, in whatever format. */
const PARTS: readonly (readonly [what: string, inText: RegExp, inCsv: RegExp])[] = [
  ['what was kept', /Kept, 1st pivot/, /^metric,ai:openai\/one,.*,retention,0\.85/m],
  ['what others have less', /Base: .?ai:openai\/one/, /^difference,tail,.*,ai:openai\/one,lower/m],
  ['what costs how many times as much', /0\.500 × … 0\.500 ×/, /^ratio,tail,.*,costUsd,0\.5/m],
  ['the decay', /Half-life/, /^decay,tail,.*,rho,0\./m],
  ['the survival', /Survives 2/, /^decay,tail,.*,survival\.2,0\.7/m],
  ['every condition', /NONE.*ORACLE.*FULL.*COMPACTED.*TAIL/, /^probe,tail,.*,compacted,0\.8/m],
  ['where answers went', /Lost.*Ignored.*Confabulated/, /^probe,tail,.*,ignored,0,/m],
  ['questions by kind', /recall/, /^probe,tail,.*,right\.recall,0\.8/m],
  ['what was not answered', /3 questions unanswered/, /^probe,tail,.*,unanswered,3,/m],
  ['how far judges agree', /κ 0\.70 \(0\.50 … 0\.90\)/, /^judge,ai:openai\/judge,.*,kappa,0\.7,/m],
  ['how far to trust them', /; below κ 0\.8, do not rely on it/, /,selfAgreement,0\.9,/],
  [
    'whom nobody knows well enough',
    /unsure: κ 1\.00 .* with 4 labels.*; too few labels were judged, do not rely on it/,
    /^judge,ai:openai\/unsure,/m,
  ],
  ['judges among themselves', /α 0\.40/, /^judge,all judges,.*,alphaOnLabels,0\.4,/m],
  ['kinds of facts', /path/, /^kind,tail,.*,path,0\.25,/m],
  [
    'whose family the reader is of',
    /reader is of the same family as ai:openai\/one and may know/,
    /,ai:openai\/reader,/,
  ],
  [
    'whose family a judge is of',
    /Judge ai:openai\/judge:.* It is of the same family as ai:openai\/one and may favour/,
    /^judge,ai:openai\/judge,/m,
  ],
];

describe.each(['table', 'markdown'] as const)('a comparison as %s', (format) => {
  it.each(PARTS)('has %s', (_, inText) => {
    expect(summarizersFormats[format](report, PIPE)).toMatch(inText);
  });
});

describe('a reason of several lines', () => {
  it('has its lines in a table, and none of them is a command', () => {
    const table = summarizersFormats.table(report, PIPE);
    expect(table).toContain('broken, 3 times: No recording.\n    + one line\n');
    expect(table).not.toMatch(/^\s*::error/m);
  });

  it('is one code span in Markdown', () => {
    const markdown = summarizersFormats.markdown(report);
    expect(markdown).toMatch(
      /`tail: broken, 3 times: No recording. \/ \+ one line \/ ::error::no`/,
    );
  });
});

describe('a comparison as csv', () => {
  const csv = summarizersFormats.csv(report);

  it.each(PARTS)('has %s', (_, __, inCsv) => {
    expect(csv).toMatch(inCsv);
  });

  it('has as many cells in every line', () => {
    const counts = csv
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/"[^"]*"/g, '').split(',').length);
    expect(new Set(counts)).toEqual(new Set([16]));
  });
});

describe('a comparison as json', () => {
  it('is the report, whole', () => {
    expect(JSON.parse(summarizersFormats.json(report))).toEqual(JSON.parse(JSON.stringify(report)));
  });

  it('has each arm with its metrics and failures', () => {
    const { arms } = JSON.parse(summarizersFormats.json(report));
    expect(arms[0]).toMatchObject({
      summarizer: 'ai:openai/one',
      prompt: 'policy',
      metrics: {
        retention: { mean: expect.any(Number), low: expect.any(Number), high: expect.any(Number) },
      },
      failures: { failed: 3 },
    });
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
