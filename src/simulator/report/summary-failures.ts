import { type CountedReason, type RunRecord, sumReasons } from '../metrics/record.ts';
import { formatCount } from './numbers.ts';

/** A policy whose summaries failed, and why. */
export interface PolicyFailures {
  readonly policy: string;
  /** The most frequent first. */
  readonly reasons: readonly CountedReason[];
}

/** Of each policy; more would tell little else. */
const SHOWN_REASONS = 3;

/** The same in sentences, one a policy; `show` makes names and reasons fit to stand in a document. */
export function describeFailures(
  runs: readonly RunRecord[],
  show: (text: string) => string,
): readonly string[] {
  return collectFailures(runs).map(({ policy, reasons }) => {
    const shown = reasons
      .slice(0, SHOWN_REASONS)
      .map(({ reason, times }) => `${formatCount(times)} × ${show(reason)}`);
    const rest = reasons.slice(SHOWN_REASONS).reduce((sum, { times }) => sum + times, 0);
    const more = rest === 0 ? [] : [`${formatCount(rest)} × something else`];
    return `Summaries that failed under ${show(policy)}: ${[...shown, ...more].join('; ')}`;
  });
}

/** Why summaries failed under each policy, over all of its runs; nothing of a policy whose summaries did not. */
function collectFailures(runs: readonly RunRecord[]): readonly PolicyFailures[] {
  const policies = [...new Set(runs.map(({ policy }) => policy))];
  return policies.flatMap((policy) => {
    const own = runs.filter((run) => run.policy === policy);
    const reasons = sumReasons(own.flatMap(({ summaryFailures = [] }) => summaryFailures));
    return reasons.length === 0 ? [] : [{ policy, reasons }];
  });
}
