import { describe, expect, it } from 'vitest';
import { toPageOfTune } from '../../../../src/simulator/report/html/page-of-tune.ts';
import type { TuneReport } from '../../../../src/simulator/report/tune-report.ts';
import { tuneFormats } from '../../../../src/simulator/report/tune.ts';
import { sampleTuneReport } from '../../../support/sample-tune-report.ts';
import { PIPE } from '../../../support/terminals.ts';

const { advice, today, cells, verdict } = sampleTuneReport();
const feasible = [
  { settings: { reserved: 20 }, values: [3, 1], isToday: true, isKnee: false },
  { settings: { reserved: 30 }, values: [2, 2], isToday: false, isKnee: true },
  { settings: { reserved: 40 }, values: [1, 3], isToday: false, isKnee: false },
];
const report: TuneReport = sampleTuneReport({
  cells: { ...cells, feasible, infeasible: [{ settings: { reserved: 50 }, reason: 'loop' }] },
  front: feasible.map((point) => ({
    ...point,
    misses: { mean: 2, bestKnown: 1 },
  })),
  tried: [{ setting: 'reserved', matters: false, isVaried: true, leastCost: null }],
  verdict: { ...verdict, state: 'better', change: { reserved: 30 } },
  advice: { ...advice, state: 'change', settings: { reserved: 30 } },
});

describe('toPageOfTune', () => {
  const page = toPageOfTune(report);

  it('draws every cell that keeps the constraints, and marks the knee and what is so today', () => {
    expect(page.plane?.axes.map(({ name, better }) => [name, better])).toEqual([
      ['cost', 'lower'],
      ['tokensSaved', 'higher'],
    ]);
    expect(page.plane?.points).toEqual([
      { name: 'reserved=20', parts: [], values: [3, 1], mark: 'today' },
      { name: 'reserved=30', parts: [], values: [2, 2], mark: 'knee' },
      { name: 'reserved=40', parts: [], values: [1, 3] },
    ]);
  });

  it('tells points by the settings that change something', () => {
    const tried = [
      { setting: 'reserved', matters: true, isVaried: true, leastCost: null },
      { setting: 'minimum', matters: false, isVaried: true, leastCost: null },
    ];
    const settings = { reserved: 20, minimum: 5 };
    const [point] = feasible;
    const { plane } = toPageOfTune({
      ...report,
      cells: { ...cells, feasible: [{ ...point!, settings }] },
      tried,
    });
    expect(plane?.points).toMatchObject([
      { name: 'reserved=20 minimum=5', parts: ['reserved=20'] },
    ]);
  });

  it("draws today's settings faintly where they break a constraint, if anything is known of them", () => {
    const [, ...others] = feasible;
    const infeasible = { ...today, state: 'infeasible', values: [9, null] } as const;
    const pointsOf = (values: readonly (number | null)[]) =>
      toPageOfTune({
        ...report,
        cells: { ...cells, feasible: others },
        today: { ...infeasible, values },
      }).plane?.points.filter(({ isFaint }) => isFaint === true);
    expect(pointsOf([9, null])).toEqual([
      { name: 'reserved=20', parts: [], values: [9, null], mark: 'today', isFaint: true },
    ]);
    expect(pointsOf([null, null])).toEqual([]);
  });

  it('says what a terminal is told, and what to write apart from it', () => {
    const told = tuneFormats.table(report, { ...PIPE, details: true }).replaceAll(/ {2,}/g, ' ');
    const lines = (page.lists ?? []).flatMap((list) => list.lines);
    expect(lines).not.toEqual([]);
    for (const line of [...page.notes, ...lines]) expect(told).toContain(line);
    for (const line of page.verdict) {
      expect(told).toContain(line.replace(/\.$/, '').replace(/^([a-z]+\??): /, '$1 '));
    }
    expect(page.verdict[0]).toBe('Better: reserved=30 (now 20).');
    const text = JSON.stringify({ compaction: { reserved: 30 } }, null, 2);
    expect(page.snippets).toEqual({
      lead: ['To have reserved=30, write:'],
      texts: [{ where: 'opencode.json:', text }],
    });
  });
});
