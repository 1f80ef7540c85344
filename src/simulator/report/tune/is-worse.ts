import type { ObjectiveOutcome } from './tune-report.ts';

/** Whether an outcome speaks for today's settings. */
export function isWorse({
  objective,
  verdict,
}: Pick<ObjectiveOutcome, 'objective' | 'verdict'>): boolean {
  return verdict === (objective.better === 'lower' ? 'higher' : 'lower');
}
