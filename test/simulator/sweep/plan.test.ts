import { describe, expect, it } from 'vitest';
import { splitTask } from '../../../src/simulator/sweep/plan.ts';
import type { TaskRun } from '../../../src/simulator/sweep/run/task.ts';
import { largestFirst } from '../../../src/simulator/sweep/run-plan.ts';

/** Sessions as `file size`. */
const ordered = (...sessions: readonly string[]) => {
  const read = sessions.map((text) => {
    const [file = '', size] = text.split(' ');
    return { ref: { file }, size: Number(size) };
  });
  return largestFirst(read, [...read.keys()]).map((index) => sessions[index]);
};

describe('largestFirst', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['begins with the largest', ['a 1', 'b 3', 'c 2'], ['b 3', 'c 2', 'a 1']],
    ['stays with a file', ['a 1', 'b 2', 'a 3'], ['a 3', 'a 1', 'b 2']],
    ['goes by the largest of a file', ['a 1', 'b 2', 'c 5', 'b 9'], ['b 9', 'b 2', 'c 5', 'a 1']],
    ['keeps the order of sessions of one size', ['b 1', 'a 1', 'b 1'], ['b 1', 'b 1', 'a 1']],
  ])('%s', (_, sessions, expected) => {
    expect(ordered(...sessions)).toEqual(expected);
  });

  it('gives only those that are asked for', () => {
    const sessions = [1, 2, 3].map((size) => ({ ref: { file: `${size}` }, size }));
    expect(largestFirst(sessions, [0, 2])).toEqual([2, 0]);
  });
});

const session = { name: 's', file: 's', index: 0, hash: 'h' };
/** Two cells of each key, the laxest first. */
const runs = Array.from({ length: 50 }, (_, place) => ({ cell: `${place}`, seed: 1, place }));
const windowOf = (cell: string) => 100 - (Number(cell) % 25);
const readRun = ({ cell }: Pick<TaskRun, 'cell'>) => ({
  key: 'k',
  calmKey: 'k',
  limits: [windowOf(cell)],
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
    for (let index = 0; index < 25; index++)
      expect(pieceOf(`${index}`)).toBe(pieceOf(`${index + 25}`));
  });

  it('begins with what tells most of the others', () => {
    const windows = pieces.flatMap((piece) => piece.runs.map(({ cell }) => windowOf(cell)));
    expect(windows).toEqual(windows.toSorted((a, b) => a - b));
  });

  it('gives every piece an id of its own', () => {
    expect(new Set(pieces.map(({ id }) => id)).size).toBe(pieces.length);
  });
});
