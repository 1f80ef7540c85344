import { formatCount, formatShare } from './numbers.ts';
import { shownText } from './shown-text.ts';
import type { PolicyTotal } from './totals.ts';

/** What of the user's constraints and of the files of the work no view names any more, one sentence a policy. */
export function describeLost(totals: readonly PolicyTotal[]): readonly string[] {
  return totals.flatMap(({ policy, metrics }) => {
    const { goneConstraints, constraints, gonePaths, paths } = metrics;
    if (!goneConstraints && !gonePaths) return [];
    const wishes = `${formatCount(goneConstraints)} of ${formatCount(constraints)} user constraints`;
    const files = `${formatShare(gonePaths ?? 0, paths ?? 0)} of ${formatCount(paths)} paths`;
    return [`No longer visible at the end under ${shownText(policy)}: ${wishes}, ${files}.`];
  });
}
