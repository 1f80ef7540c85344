import type { Policy } from '../../../engine/index.ts';
import type { MomentKind } from './page-data.ts';

/** The rules by which a policy acts, in words, by the kind of moment that they lead to. */
export type Rules = Readonly<Partial<Record<MomentKind, string>>>;

/** The rules of a policy; one of another release may lack some. */
export function rulesOf({ trigger, prune, cut, summary, view }: Partial<Policy>): Rules {
  return {
    ...(trigger && { overflow: `overflow rule ${trigger.overflow}` }),
    ...(prune?.enabled && { prune: `prune pass ${prune.pass}, ${prune.when}` }),
    ...(cut && { pivot: `cut, which keeps ${cut.keep}` }),
    ...(summary && { summary: `instruction ${summary.instruction}` }),
    ...(view && { lost: `view rule ${view}` }),
  };
}
