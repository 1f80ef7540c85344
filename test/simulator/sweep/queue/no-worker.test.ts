import { expect, it } from 'vitest';
import { createIdleWatch } from '../../../../src/simulator/sweep/queue/no-worker.ts';

it.each([
  ['nothing at first', 24, 0, 0],
  ['after some seconds that nobody works', 25, 0, 1],
  ['that once', 100, 0, 1],
  ['nothing where somebody does', 100, 1, 0],
])('tells %s', async (_, looks, active, told) => {
  const notes: string[] = [];
  const queue = { getActiveCount: () => Promise.resolve(active) };
  const onIdle = createIdleWatch(queue, (message) => notes.push(message));
  for (let look = 0; look < looks; look++) await onIdle();
  expect(notes).toHaveLength(told);
  for (const note of notes) expect(note).toContain('No worker has taken a task');
});
