import type { Policy } from '../../../engine/index.ts';
import type { Parting } from '../../report/compare/comparison.ts';
import { type AsyncRunOptions, collectRun } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { findParting } from './find-parting.ts';

/** Where the runs of a session under two policies part; `undefined` where they do the same. */
export async function partRuns(
  trace: Trace,
  {
    policies: [a, b],
    ...options
  }: Omit<AsyncRunOptions, 'policy'> & { readonly policies: readonly [Policy, Policy] },
): Promise<Parting | undefined> {
  const first = await collectRun(trace, { ...options, policy: a });
  const second = await collectRun(trace, { ...options, policy: b });
  return findParting(first, second);
}
