import { overflowRules, type Limits, type Policy, policies } from '../../../engine/index.ts';
import { type CellContent, hashOf } from '../grid/cell.ts';

/**
 * Hash of everything that a run can read of a cell. Cells that share it run alike, whatever they are
 * called; that others do not is not said.
 */
export function effectiveKey({ policy, model, summaryModel, summarizer }: CellContent): string {
  const effective = effectivePolicy(policy, model.limits);
  return hashOf({ policy: effective, model, summaryModel, summarizer });
}

function effectivePolicy(policy: Policy, limits: Limits): unknown {
  const { name, describes: _, source: __, prune, ...rest } = policy;
  return {
    ...rest,
    // Only the control is known by its name.
    isControl: name === policies.none.name,
    trigger: effectiveTrigger(policy, limits),
    // What a pass would clear does not matter where none is ever made.
    prune: prune.enabled && prune.when !== 'never' ? prune : { enabled: false },
  };
}

/** Of reserve and caps only what they leave usable is read, as long as the limits stay as they are. */
function effectiveTrigger({ trigger, guards }: Policy, limits: Limits): unknown {
  if (guards.learnWindow) return trigger;
  const { reservedTokens, windowShare, outputCapTokens, afterStepOutputCapTokens, ...rest } =
    trigger;
  const usableWith = (cap: number) =>
    overflowRules[trigger.overflow].usable(limits, {
      reservedTokens,
      windowShare,
      outputCapTokens: cap,
    });
  const afterStepCap = afterStepOutputCapTokens ?? outputCapTokens;
  return { ...rest, usable: [usableWith(outputCapTokens), usableWith(afterStepCap)] };
}
