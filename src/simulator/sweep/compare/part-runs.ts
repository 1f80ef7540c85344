import type { Policy } from '../../../engine/index.ts';
import type { Parting } from '../../report/compare/comparison.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { Session } from '../../session/session.ts';
import { compileFor } from '../whatif/compile-for.ts';
import type { VariantOptions } from '../whatif/run-variant.ts';
import { findParting } from './find-parting.ts';

/** Where the runs of a session under two policies part; `undefined` where they do the same. */
export async function partRuns(
  session: Session,
  options: Omit<VariantOptions, 'policy'> & { readonly policies: readonly [Policy, Policy] },
): Promise<Parting | undefined> {
  const trace = await compileFor(options.model.id, session);
  const [a, b] = options.policies;
  const first = await collectRun(trace, { ...options, policy: a });
  const second = await collectRun(trace, { ...options, policy: b });
  return findParting(first, second);
}
