import {
  explainOverflow,
  type Limits,
  type OverflowExplanation,
  type Policy,
} from '../../../engine/index.ts';
import type { SettingTarget } from '../setting.ts';
import type { SettingValues } from '../settings.ts';

/** What a policy is examined with. */
export interface CheckupOptions {
  /** Preset and model before any setting. */
  readonly base: SettingTarget;
  /** Preset and model with all settings in force. */
  readonly target: SettingTarget;
  readonly given: SettingValues;
  /** Tokens that a request needs in any case: system prompt, tools, the newest request. */
  readonly floorTokens: number;
  /** What writes summaries, if it is another model than the session's own. */
  readonly summarizer?: { readonly model: string; readonly limits: Limits } | undefined;
}

/** A policy and a model as their lints see them. */
export interface Checkup extends CheckupOptions {
  /** What a check compares with; absent where none is ever made. */
  readonly trigger?: OverflowExplanation;
  /** What a check at a step's end compares with, where it is another one than before a request. */
  readonly afterStepTrigger?: OverflowExplanation;
}

const NO_USAGE = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** Works out what the checks of a policy compare with on a model. */
export function examine(options: CheckupOptions): Checkup {
  const { policy, limits } = options.target;
  const { trigger } = policy;
  if (!isChecked(policy)) return options;
  const general = explainTrigger(policy, limits, trigger.outputCapTokens);
  const { afterStepOutputCapTokens } = trigger;
  if (!trigger.afterStep || afterStepOutputCapTokens === undefined) {
    return { ...options, trigger: general };
  }
  const afterStepTrigger = explainTrigger(policy, limits, afterStepOutputCapTokens);
  if (!trigger.beforeRequest) return { ...options, trigger: afterStepTrigger };
  return afterStepTrigger.check.usableTokens === general.check.usableTokens
    ? { ...options, trigger: general }
    : { ...options, trigger: general, afterStepTrigger };
}

/** The tokens below which the policy does nothing; absent where no check is ever made or the window is unknown. */
export function usableTokensOf({ trigger }: Checkup): number | undefined {
  return trigger === undefined || trigger.isUnlimited ? undefined : trigger.check.usableTokens;
}

/** Whether any check of counted tokens is made. */
export function isChecked({ trigger }: Policy): boolean {
  return trigger.auto && (trigger.afterStep || trigger.beforeRequest);
}

/** Whether anything leads to a pivot besides a person. */
export function canPivot({ cut, memory, trigger }: Policy): boolean {
  if (cut.keep === 'everything' || memory !== undefined) return false;
  return trigger.auto || trigger.onRefusal === 'compact';
}

function explainTrigger(
  { trigger }: Policy,
  limits: Limits,
  outputCapTokens: number,
): OverflowExplanation {
  const { overflow: rule, reservedTokens, windowShare } = trigger;
  return explainOverflow(NO_USAGE, limits, { rule, reservedTokens, windowShare, outputCapTokens });
}
