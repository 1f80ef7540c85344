import { type Limits, overflowRules, type Policy, policies } from '../../../engine/index.ts';
import { shortHash } from '../../content-hash.ts';
import type { CellContent } from '../grid/cell.ts';
import type { Thresholds } from './thresholds.ts';

/** What a run can read of a cell: numbers that it only holds its counts against, and everything else. */
export interface EffectiveCell {
  /** Hash of everything else. */
  readonly family: string;
  readonly thresholds: Thresholds;
}

/**
 * Hash of everything that a run can read of a cell. Cells that share it run alike, whatever they are
 * called; that others do not is not said.
 */
export function effectiveKey(content: CellContent): string {
  return shortHash(readCell(content));
}

/** A cell as its runs read it. Those of one family differ at most in their thresholds. */
export function readCell(content: CellContent): EffectiveCell {
  const { policy, model, summaryModel, summarizer, asked, mode } = content;
  const { prune, protectTokens, minimumTokens } = readPrune(policy);
  const { trigger, usable } = readTrigger(policy, model.limits);
  const { name, describes: _, source: __, ...rest } = policy;
  const { limits, trueLimits } = model;
  return {
    family: shortHash({
      // Only the control is known by its name.
      policy: { ...rest, isControl: name === policies.none.name, trigger, prune },
      model: { ...model, limits: kindOf(limits), trueLimits: kindOf(trueLimits) },
      summaryModel,
      summarizer,
      asked,
      mode,
    }),
    thresholds: {
      limits: [...usable, ...sizesOf(limits), ...sizesOf(trueLimits)],
      protectTokens,
      minimumTokens,
    },
  };
}

/** Of reserve and caps only what they leave usable is read, as long as the limits stay as they are. */
function readTrigger({ trigger, guards }: Policy, limits: Limits) {
  const { reservedTokens, windowShare, outputCapTokens, afterStepOutputCapTokens, ...rest } =
    trigger;
  const usableWith = (cap: number) =>
    overflowRules[trigger.overflow].usable(limits, {
      reservedTokens,
      windowShare,
      outputCapTokens: cap,
    });
  const afterStepCap = afterStepOutputCapTokens ?? outputCapTokens;
  return {
    trigger: guards.learnWindow ? trigger : rest,
    usable: [usableWith(outputCapTokens), usableWith(afterStepCap)],
  };
}

/** What a pass would clear does not matter where none is ever made; another order compares no count of its own. */
function readPrune({ prune }: Policy) {
  const { byAge, ...rest } = prune;
  const none = { protectTokens: 0, minimumTokens: 0 };
  if (!prune.enabled || prune.when === 'never') {
    const { cleanups = [], idleMs } = prune;
    const rules = cleanups.length > 0 && { cleanups, idleMs };
    return { prune: { enabled: false, ...rules }, ...none };
  }
  if (prune.pass !== 'by-age') return { prune: rest, ...none };
  // What clean-ups clear is told together with what the pass compares.
  if (prune.cleanups !== undefined) return { prune, ...none };
  if (prune.evicts !== undefined) return { prune, ...none };
  const { protectTokens, minimumTokens, ...others } = byAge;
  return { prune: { ...rest, byAge: others }, protectTokens, minimumTokens };
}

/** A window or a cap of 0 is none, which is another thing than a small one. */
function kindOf({ contextTokens, inputTokens, ...rest }: Limits) {
  return { ...rest, hasWindow: contextTokens > 0, hasInputCap: Boolean(inputTokens) };
}

function sizesOf({ contextTokens, inputTokens = 0 }: Limits): readonly number[] {
  return [contextTokens, inputTokens];
}
