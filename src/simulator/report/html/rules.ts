import type { Policy, PrunePolicy } from '../../../engine/index.ts';
import type { MomentKind } from './page-data.ts';

/** The rules by which a policy acts, in words, by the kind of moment that they lead to. */
export type Rules = Readonly<Partial<Record<MomentKind, string>>>;

/** The rules of a policy; one of another release may lack some. */
export function rulesOf({ trigger, prune, cut, summary, view }: Partial<Policy>): Rules {
  return {
    ...(trigger && { overflow: `overflow rule ${trigger.overflow}` }),
    ...(prune && prunesOf(prune)),
    ...(cut && { pivot: `cut, which keeps ${cut.keep}` }),
    ...(summary && { summary: `instruction ${summary.instruction}` }),
    ...(view && { lost: `view rule ${view}` }),
  };
}

function prunesOf({ enabled, pass, when, cleanups = [] }: PrunePolicy): Rules {
  const passes = [
    ...cleanups.map((cleanup) => `clean-up ${cleanup.pass}, ${cleanup.when}`),
    ...(enabled ? [`prune pass ${pass}, ${when}`] : []),
  ];
  return passes.length === 0 ? {} : { prune: passes.join('; ') };
}
