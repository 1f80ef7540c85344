import type { PageGroup, PageRun } from './page-data.ts';

/** Which groups completed the same runs, of those that completed the most: no other sums can be held against each other. */
export function findPeers(
  groups: readonly Pick<PageGroup, 'completedRuns'>[],
  runs: readonly Pick<PageRun, 's' | 'g' | 'seed' | 'state'>[],
): readonly boolean[] {
  const most = Math.max(0, ...groups.map(({ completedRuns }) => completedRuns));
  const completed = groups.map((_, group) => describeCompleted(group, runs));
  const isFull = groups.map(({ completedRuns }) => most > 0 && completedRuns === most);
  const isOneSet = new Set(completed.filter((_, group) => isFull[group])).size === 1;
  return isFull.map((full) => full && isOneSet);
}

function describeCompleted(
  group: number,
  runs: readonly Pick<PageRun, 's' | 'g' | 'seed' | 'state'>[],
): string {
  const own = runs.filter(({ g, state }) => g === group && state === 'completed');
  return own
    .map(({ s, seed }) => `${s} ${seed}`)
    .toSorted()
    .join('\n');
}
