import { describe, expect, it } from 'vitest';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { parseArm } from '../../../src/simulator/scenario/arms.ts';
import { type Cell, resolveCell } from '../../../src/simulator/sweep/grid.ts';
import { doneIn } from '../../../src/simulator/sweep/plan.ts';
import { repeatOf } from '../../../src/simulator/sweep/run/run-task.ts';

const base = { arm: parseArm('none'), model: 'anthropic/claude-sonnet-4-5', settings: {} };
const cells = ['extractive', 'tail', 'lead'].map((summarizer) =>
  resolveCell({ ...base, summarizer }, { catalog: readCatalog() }),
);
const session = (name: string) => ({
  ref: { name, file: name, index: 0, hash: name },
  size: 1,
  story: { project: null, title: null, date: null },
  recordedBy: { format: 'canonical' },
});
const plan = {
  cells,
  seeds: [7, 8],
  sessions: [session('a'), session('b')],
  unread: [],
  dropped: [],
};
const isLive = ({ summarizer }: { summarizer: string }) => summarizer === 'tail';
const places = Array.from({ length: 2 * 3 * 2 }, (_, place) => place);

describe('doneIn', () => {
  it.each([
    [true, [2, 8, 9]],
    [false, [0, 1, 5, 6, 7, 10, 11]],
  ])('leaves the places of cells that are wanted (%s) and not done', (isAsking, expected) => {
    const isWanted = (cell: Cell) => isLive(cell) === isAsking;
    const isDone = doneIn(plan, isWanted, (place) => place === 3 || place === 4);
    expect(places.filter((place) => !isDone(place))).toEqual(expected);
  });
});

describe('repeatOf', () => {
  it.each([
    [7, 1],
    [8, 2],
  ])('calls the trial of seed %i the repetition %i', (seed, repeat) => {
    expect(repeatOf(seed, { firstSeed: 7 })).toBe(repeat);
  });
});
