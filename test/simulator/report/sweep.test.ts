import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/simulator/report/prose.ts';
import type { SweepCell, SweepReport } from '../../../src/simulator/report/sweep-report.ts';
import { table } from '../../../src/simulator/report/sweep.ts';
import { sampleMetrics } from '../../support/sample-report.ts';

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

const render = (terminalColumns?: number, of: SweepReport = report) =>
  [...table.render(of, [], { colors: false, terminalColumns })].join('').split('\n\n');

const failed = (failures: SweepReport['failures']) =>
  render(undefined, { ...report, failures }).join('\n');

describe('the table of a sweep', () => {
  it('has all columns where nobody knows how much room there is', () => {
    const [cells = '', lost = ''] = render();
    expect(cells).toMatch(/^reserved +Steps +Peak +Overflows .* Misses +Runs$/m);
    expect(lost).toMatch(/^What was lost:\nreserved +Misses .* Paths gone$/m);
  });

  it('has the cost before all other numbers, and behind it how many runs completed', () => {
    const heads = Array.from(
      { length: 80 },
      (_, width) => render(width + 1)[0]?.split('\n')[0] ?? '',
    );
    const firstWith = (title: string) => heads.findIndex((head) => head.includes(title)) + 1;
    expect(firstWith('Cost')).toBe('reserved  $7.25'.length);
    expect(firstWith('Runs')).toBe('reserved  $7.25  4 of 4'.length);
    expect(firstWith('Compactions')).toBeGreaterThan(firstWith('Runs'));
    expect(new Set(heads.filter((head) => !head.includes('Cost')))).toEqual(new Set(['reserved']));
  });

  it('has as many as there is room for, and names below each table those that it leaves out', () => {
    const [cells = '', ofCells, lost = '', ofLost] = render(60);
    expect(Math.max(...`${cells}\n${lost}`.split('\n').map(widthOf))).toBeLessThanOrEqual(60);
    expect(cells).toMatch(/^reserved .* Cost .*Runs$/m);
    expect(ofCells).toMatch(
      /^No room for Peak; .*Misses: a\s+wider\s+terminal or --format\s+markdown/s,
    );
    expect(ofLost).toMatch(
      /^No room for Misses of references; .*Regret\s+in\s+time.*: a\s+wider\s+terminal/s,
    );
  });

  it('says how runs ended that did not complete, over all cells', () => {
    const cells = [
      { ...cell, completedRuns: 1, endedEarly: { loop: 1, refused: 2 } },
      { ...cell, completedRuns: 0, endedEarly: { refused: 4 } },
      cell,
    ];
    expect(render(undefined, { ...report, cells }).join('\n')).toContain(
      '3 cells. Not all of 12 runs completed: 6 refused, 1 loop. Numbers',
    );
    const skipped = { ...cell, completedRuns: 2, endedEarly: { skipped: 2 } };
    for (const all of [cell, skipped]) {
      expect(render(undefined, { ...report, cells: [all] }).join('\n')).toContain(
        '1 cell. Numbers',
      );
    }
  });

  it('says so where rows are still to come', () => {
    const cells = [cell, { ...cell, runs: 3, completedRuns: 3 }, { ...cell, runs: 0 }];
    const provenance = { ...report.provenance, seeds: [1, 2] };
    expect(render(undefined, { ...report, cells }).join('\n')).toContain(
      '3 cells. Not finished: 7 of 12 rows. Numbers',
    );
    expect(render(undefined, { ...report, provenance }).join('\n')).toContain(
      '2 trials. Not finished: 4 of 8 rows. Numbers',
    );
  });

  it.each<[seeds: readonly number[], words: string]>([
    [[1], 'over completed runs; for contexts, the largest.'],
    [
      [1, 2, 3],
      'over completed runs, in which a session counts once in each of the 3 trials; for contexts, the largest.',
    ],
  ])('says how often a session counts in sums over the trials %j', (seeds, words) => {
    const provenance = { ...report.provenance, seeds };
    expect(render(undefined, { ...report, provenance }).join('\n')).toContain(
      `Numbers are sums ${words}`,
    );
  });

  it('says nothing of what was lost where no run needed anything again', () => {
    const metrics = { ...sampleMetrics, references: 0 };
    expect(render(60, { ...report, cells: [{ ...cell, metrics }] }).join('\n')).not.toContain(
      'What was lost',
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
      'In all cells: model anthropic/claude-sonnet-4-5, summarizer lead, contextTokens=64000. Sweep s1',
    );
    expect(render().join('\n')).toContain('In all cells: policy opencode-1.2.16, model');
  });

  it('says why runs failed and where first, five reasons at most', () => {
    const failure = { reason: 'malformed', times: 2, session: 'a.json', cell: 'c1' };
    const once = { ...failure, reason: 'odd', times: 1, cell: 'gone' };
    expect(failed([failure, once])).toContain(
      'Failed: 2 × malformed (first a.json at 10000)\nFailed: 1 × odd (a.json)',
    );
    expect(failed(Array.from({ length: 7 }, () => failure))).toContain('and 2 other reasons, see');
    expect(failed(undefined)).not.toContain('Failed');
  });
});
