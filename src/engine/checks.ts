import type { Latest } from './latest.ts';
import { isSummary, type AssistantMessage, type Message } from './message.ts';
import { checkOverflow, type OverflowCheck } from './overflow.ts';
import type { TriggerPolicy } from './policy.ts';
import type { EngineEvent, LoopState } from './transition.ts';
import { estimateMessages, estimateResults } from './weigh.ts';

/** What a check found: an overflow or not, or a usage that it did not believe. */
export interface StepCheck {
  readonly check?: OverflowCheck;
  readonly events: readonly EngineEvent[];
}

const NO_CHECK: StepCheck = { events: [] };
/** A count this many times what was expected is a spike. */
const SPIKE_FACTOR = 2;
/** Expected counts are estimates; below this many tokens they tell nothing. */
const SPIKE_FLOOR_TOKENS = 10_000;

/** The check of a step that has just finished, with its own usage. */
export function checkAfterStep(state: LoopState, step: AssistantMessage): StepCheck {
  const { trigger } = state.policy;
  if (!trigger.afterStep) return NO_CHECK;
  return checkStep(state, step, {
    outputCapTokens: afterStepCap(trigger),
    newerTokens: 0,
  });
}

/** The cap on one answer that the check after a step knows. */
export function afterStepCap(trigger: TriggerPolicy): number {
  return trigger.afterStepOutputCapTokens ?? trigger.outputCapTokens;
}

/** The check before a request, with the newest step's usage and the limits of the model that is asked next. */
export function checkBeforeRequest(
  state: LoopState,
  view: readonly Message[],
  { finished }: Latest,
): StepCheck {
  const { trigger, guards } = state.policy;
  if (!trigger.beforeRequest || finished === undefined) return NO_CHECK;
  if (guards.ignoreStaleUsage && isStale(state.history, finished)) {
    return ignored(finished, 'measured before the newest pivot');
  }
  const newerTokens = trigger.countsNewerMessages ? estimateNewer(state, view, finished) : 0;
  return checkStep(state, finished, { outputCapTokens: trigger.outputCapTokens, newerTokens });
}

/** A summary's own usage says nothing about the next request; a step without usage says nothing at all. */
function checkStep(
  state: LoopState,
  step: AssistantMessage,
  options: { readonly outputCapTokens: number; readonly newerTokens: number },
): StepCheck {
  const { auto, overflow, reservedTokens } = state.policy.trigger;
  if (!auto || step.summary === true || step.usage === undefined) return NO_CHECK;
  const check = checkOverflow(step.usage, state.limits, {
    ...options,
    rule: overflow,
    reservedTokens,
  });
  const doubt = state.policy.guards.ignoreImplausibleUsage
    ? doubtIn(state, step, check)
    : undefined;
  return doubt === undefined ? { check, events: [] } : ignored(step, doubt);
}

function doubtIn(
  { limits, history }: LoopState,
  step: AssistantMessage,
  { countTokens }: OverflowCheck,
): string | undefined {
  const windowTokens = limits.contextTokens;
  if (windowTokens > 0 && countTokens > windowTokens) {
    return `${countTokens} tokens on a window of ${windowTokens}`;
  }
  const index = history.indexOf(step);
  const previous = history.slice(0, Math.max(0, index)).findLast(hasUsage);
  if (previous === undefined || previous.summary === true) return undefined;
  const before = checkedTokens(previous);
  const isSpike = countTokens > SPIKE_FACTOR * before + SPIKE_FLOOR_TOKENS;
  return isSpike &&
    !explainsGrowth(history.slice(history.indexOf(previous), index), countTokens - before)
    ? `${countTokens} tokens after ${before}`
    : undefined;
}

/** Text of four characters a token or fewer could explain at most this much growth. */
function explainsGrowth(added: readonly Message[], growthTokens: number): boolean {
  const chars = JSON.stringify(added.map(({ parts }) => parts)).length;
  return growthTokens <= chars;
}

function checkedTokens({ usage }: AssistantMessage): number {
  return usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

function hasUsage(message: Message): message is AssistantMessage {
  return message.role === 'assistant' && message.usage !== undefined;
}

function isStale(history: readonly Message[], finished: AssistantMessage): boolean {
  const pivotIndex = history.findLastIndex(
    (message) => isSummary(message) && Boolean(message.finish),
  );
  return history.indexOf(finished) < pivotIndex;
}

/** What came after the measured usage: the step's own tool results, and later messages of the view. */
function estimateNewer(
  state: LoopState,
  view: readonly Message[],
  finished: AssistantMessage,
): number {
  const newer = view.slice(view.indexOf(finished) + 1);
  return estimateResults(finished, state.policy) + estimateMessages(newer, state.policy);
}

function ignored(step: AssistantMessage, reason: string): StepCheck {
  return { events: [{ type: 'usage-ignored', messageId: step.id, reason }] };
}
