import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/simulator/report/layout.ts';
import {
  armRunOfRow,
  concludeCells,
  type SweepCell,
  sweepFormats,
  type SweepReport,
} from '../../../src/simulator/report/sweep.ts';
import { sampleMetrics, sampleRun } from '../../support/sample-report.ts';

const cell: SweepCell = {
  id: 'c1',
  settings: { reserved: 10_000 },
  policy: 'opencode-1.2.16',
  model: 'anthropic/claude-sonnet-4-5',
  summarizer: 'lead',
  values: [10_000],
  runs: 4,
  completedRuns: 4,
  failedRuns: 0,
  metrics: sampleMetrics,
};

const report: SweepReport = {
  schemaVersion: 1,
  provenance: {
    version: '0.1.0',
    sweep: 's1',
    shard: '1/1',
    mode: 'open-loop',
    sessions: 4,
    skippedSessions: 0,
    sharingSessions: 0,
    seeds: [1],
    catalog: { source: 'shipped', hash: 'h1' },
    tokenizers: {},
    cells: {},
  },
  deadKnobs: [],
  knobs: [{ key: 'reserved', values: [10_000], effect: 'some' }],
  cells: [cell],
  unread: [],
};

const cells = [cell, { ...cell, id: 'c2', values: [20_000] }];
const runs = new Map(cells.map(({ id }) => [id, [armRunOfRow(sampleRun())]]));
const story = { project: 'shop', title: 'Pay once', date: '2025-11-03' };

/** Two cells with one session. */
const concluded: SweepReport = {
  ...report,
  cells,
  ...concludeCells({ cells, knobs: report.knobs }, runs),
  stories: [{ session: sampleRun().session, ...story }],
};

const screen = (of: SweepReport, details = false) =>
  [...sweepFormats.table(of, [], { colors: false, details })].join('');

/** The paragraphs with all details. */
const render = (terminalColumns?: number, of: SweepReport = report) =>
  [...sweepFormats.table(of, [], { colors: false, terminalColumns, details: true })]
    .join('')
    .split('\n\n');

const failed = (failures: SweepReport['failures']) =>
  render(undefined, { ...report, failures }).join('\n');

describe('the table of a sweep', () => {
  it('has a row for each cell, costs first, then sessions with a column for each cell', () => {
    const [cells = '', _runs, sessions = ''] = render(undefined, concluded).slice(1);
    expect(cells.split('\n')).toEqual([
      'Sums over 1 session, re-reads included:',
      'reserved   Cost  Verdict',
      '10000     $8.00  what others are held against',
      '20000     $8.00  0 %: no effect',
      'The same everywhere: Losses 25, Compactions 2.',
    ]);
    expect(sessions.split('\n')).toEqual([
      'Session                       reserved=10000  reserved=20000',
      'shop, "Pay once", 3 Nov 2025           $8.00           $8.00',
    ]);
  });

  it('has the cost before all other numbers, and no more columns than there is room for', () => {
    const heads = Array.from({ length: 80 }, (_, width) => {
      const cells = render(width + 1, concluded).find((block) => /^reserved( |$)/m.test(block));
      return cells?.split('\n').find((line) => /^reserved( |$)/.test(line)) ?? '';
    });
    expect(heads.every((head, width) => widthOf(head) <= Math.max(width + 1, 8))).toBe(true);
    expect(heads.findIndex((head) => head.includes('Cost')) + 1).toBe('reserved   Cost'.length);
    expect(new Set(heads.filter((head) => !head.includes('Cost')))).toEqual(new Set(['reserved']));
  });

  it('says how runs ended that did not complete, over all cells', () => {
    const cells = [
      { ...cell, completedRuns: 1, endedEarly: { loop: 1, refused: 2 } },
      { ...cell, completedRuns: 0, endedEarly: { refused: 4 } },
      cell,
    ];
    expect(render(undefined, { ...report, cells }).join('\n')).toContain(
      '3 cells. Not all of 12 runs completed: 6 refused, 1 loop.',
    );
    const skipped = { ...cell, completedRuns: 2, endedEarly: { skipped: 2 } };
    for (const all of [cell, skipped])
      expect(render(undefined, { ...report, cells: [all] }).join('\n')).toContain('1 cell.');
  });

  it('says so where rows are still to come', () => {
    const cells = [cell, { ...cell, runs: 3, completedRuns: 3 }, { ...cell, runs: 0 }];
    const provenance = { ...report.provenance, seeds: [1, 2] };
    expect(render(undefined, { ...report, cells }).join('\n')).toContain(
      '3 cells. Not finished: 7 of 12 rows.',
    );
    expect(render(undefined, { ...report, provenance }).join('\n')).toContain(
      '2 trials. Not finished: 4 of 8 rows.',
    );
  });

  it('says what all cells have in common besides what was varied', () => {
    const settings = { reserved: 10_000, contextTokens: 64_000 };
    const two = [
      { ...cell, settings },
      { ...cell, settings: { ...settings, reserved: 20_000 }, policy: 'document-001' },
    ];
    const text = render(undefined, { ...report, cells: two }).join('\n');
    expect(text).toContain(
      'In all cells: model anthropic/claude-sonnet-4-5, summarizer lead, contextTokens=64000.\n- Sweep s1',
    );
    expect(render().join('\n')).toContain('In all cells: policy opencode-1.2.16, model');
  });

  it('says why runs failed and where first, five reasons at most', () => {
    const failure = { reason: 'malformed', times: 2, session: 'a.json', cell: 'c1' };
    const once = { ...failure, reason: 'odd', times: 1, cell: 'gone' };
    const told = failed([failure, once]);
    expect(told).toContain('Failed: 2 × malformed (first a.json at 10000)\n');
    expect(told).toContain('Failed: 1 × odd (a.json)');
    const short = screen({ ...report, failures: [failure, once] });
    expect(short).toContain('Failed: 2 × malformed');
    expect(short).not.toContain('odd');
    expect(failed(Array.from({ length: 7 }, () => failure))).toContain('and 2 other reasons, see');
    expect(failed(undefined)).not.toContain('Failed');
  });

  it('has on a screen the baseline and the best of many cells, and says how many are left', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({
      ...cell,
      id: `c${index}`,
      values: [10_000 + index],
    }));
    const costs = (index: number) => ({ ...sampleMetrics, costUsd: index === 29 ? 1 : 8 + index });
    const runs = new Map(
      many.map(({ id }, index) => [id, [armRunOfRow({ ...sampleRun(), metrics: costs(index) })]]),
    );
    const knobs = report.knobs;
    const told = screen({ ...report, cells: many, ...concludeCells({ cells: many, knobs }, runs) });
    expect(told.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    expect(told).toMatch(/^10000 +\$8\.75.*what others are held against$/m);
    expect(told).toMatch(/^10029 /m);
    const shown = told.match(/^100\d\d /gm)?.length ?? 0;
    expect(told).toContain(`${30 - shown} more: --details`);
  });
});
