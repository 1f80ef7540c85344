import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../../src/simulator/sweep/pool/pool.ts';
import type { SweepTask } from '../../../../src/simulator/sweep/run/task.ts';

/** Tasks of a session for each count, called `a1`, `a2`, `b1` and so on. */
function* tasksOf(...counts: readonly number[]): Generator<SweepTask, void, void> {
  for (const [index, count] of counts.entries()) {
    const name = 'abcdef'.charAt(index);
    const session = { name, file: name, index: 0, hash: name };
    for (let task = 1; task <= count; task++) yield { id: `${name}${task}`, session, runs: [] };
  }
}

/** What seats get that ask in this order; a seat that gets nothing asks no more. */
function handOut(tasks: Iterable<SweepTask>, seats: readonly number[]): string {
  const dispatcher = createDispatcher(tasks);
  return seats.map((seat) => dispatcher.next(seat)?.id ?? '-').join(' ');
}

describe('createDispatcher', () => {
  it.each<[string, readonly number[], readonly number[], string]>([
    ['stays with a session', [3, 3], [0, 1, 0, 1, 1, 0], 'a1 b1 a2 b2 b3 a3'],
    ['goes on with the next session', [1, 2, 1], [0, 1, 0, 1, 1], 'a1 b1 c1 b2 -'],
    ['shares what another seat does last', [4, 1], [0, 1, 1, 0, 0], 'a1 b1 a4 a2 a3'],
    ['leaves the last task to who has its session', [3], [0, 1, 1, 0, 0], 'a1 a3 - a2 -'],
    ['takes from whoever has most', [2, 5, 1], [0, 1, 2, 2], 'a1 b1 c1 b5'],
    ['has nothing where there is nothing', [], [0, 1], '- -'],
  ])('%s', (_, counts, seats, expected) => {
    expect(handOut(tasksOf(...counts), seats)).toBe(expected);
  });

  it('takes tasks only as sessions are begun', () => {
    const taken: string[] = [];
    function* counted() {
      for (const task of tasksOf(1, 1, 1)) {
        taken.push(task.id);
        yield task;
      }
    }
    createDispatcher(counted()).next(0);
    expect(taken).toEqual(['a1', 'b1']);
  });
});
