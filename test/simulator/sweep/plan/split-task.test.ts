import { describe, expect, it } from 'vitest';
import { splitTask } from '../../../../src/simulator/sweep/plan/split-task.ts';
import type { TaskRun } from '../../../../src/simulator/sweep/run/task.ts';

const session = { name: 's', file: 's', index: 0, hash: 'h' };

/** Two cells of each key, the laxest first. */
const runs = Array.from({ length: 50 }, (_, place) => ({ cell: `${place}`, seed: 1, place }));
const windowOf = (cell: string) => 100 - (Number(cell) % 25);
const readRun = ({ cell }: Pick<TaskRun, 'cell'>) => ({
  family: 'f',
  thresholds: { limits: [windowOf(cell)], protectTokens: 0, minimumTokens: 0 },
});

describe('splitTask', () => {
  const pieces = [...splitTask({ id: 't', session, runs }, readRun)];

  it('loses and doubles no run', () => {
    const places = pieces.flatMap((piece) => piece.runs.map(({ place }) => place));
    expect(places.toSorted((a, b) => a - b)).toEqual(runs.map(({ place }) => place));
  });

  it('keeps together what runs alike', () => {
    const pieceOf = (cell: string) =>
      pieces.findIndex((piece) => piece.runs.some((run) => run.cell === cell));
    expect(pieces).toHaveLength(3);
    for (let index = 0; index < 25; index++) {
      expect(pieceOf(`${index}`)).toBe(pieceOf(`${index + 25}`));
    }
  });

  it('begins with what tells most of the others', () => {
    const windows = pieces.flatMap((piece) => piece.runs.map(({ cell }) => windowOf(cell)));
    expect(windows).toEqual(windows.toSorted((a, b) => a - b));
  });

  it('gives every piece an id of its own', () => {
    expect(new Set(pieces.map(({ id }) => id)).size).toBe(pieces.length);
  });
});
