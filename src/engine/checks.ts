/** Checks whether the context overflows: after a step, and before a request. */

import { countUnits } from './conditions.ts';
import { estimateMessages, estimatePart, estimateResults } from './estimate.ts';
import { findNewest, type Fold, foldOver, itemAt, itemsFrom, type List } from './history.ts';
import { isRequest, isTurnOver, type Latest, newestRequest, readLatestSteps } from './latest.ts';
import {
  type AssistantMessage,
  isCleared,
  isComplete,
  isSummary,
  type Message,
  type Part,
  storedPart,
  type Usage,
} from './message.ts';
import {
  checkOverflow,
  compactsUnasked,
  type OverflowCheck,
  type OverflowRuleName,
  overflowRules,
} from './overflow.ts';
import type { TriggerPolicy } from './policy.ts';
import { type EngineEvent, historyOf, type LoopState } from './state.ts';
import type { Limits, OverflowOptions } from './usable.ts';
import { countAll } from './usage.ts';
import { viewUnder } from './view.ts';

interface StepCheck {
  readonly check?: OverflowCheck;
  readonly events: readonly EngineEvent[];
}

type Measured = AssistantMessage & { readonly usage: Usage };

interface CheckTerms extends OverflowOptions {
  readonly rule: OverflowRuleName;
  readonly newerTokens: number;
  /** Tokens that prunes took out; 0 where they do not count. */
  readonly clearedTokens: number;
}

const NO_CHECK: StepCheck = { events: [] };
const viewOf = (state: LoopState) => viewUnder(historyOf(state), state.policy);
const SPIKE_FACTOR = 2;
/** Estimates tell nothing below this many tokens. */
const SPIKE_FLOOR_TOKENS = 10_000;
/** Below this share of the estimate, a request was cut. Source: reports of local servers with small windows. */
const TRUNCATED_SHARE = 0.6;
/** A usage of nothing. */
export const NO_USAGE: Usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

const newestMeasured: Fold<Message, AssistantMessage | undefined> = {
  start: undefined,
  add: (measured, message) => {
    if (message.role === 'assistant' && message.summary !== true)
      return isMeasured(message) ? message : measured;
    return isComplete(message) ? undefined : measured;
  },
};

/** Sealed reasoning from before the newest step's turn, and of that turn. */
const sealed: Fold<Message, readonly [earlier: number, own: number, isAsked: boolean]> = {
  start: [0, 0, false],
  add: ([earlier, own, isAsked], message) => {
    if (message.role === 'user') return [earlier, own, true];
    const { sealedTokens = 0 } = message;
    return isAsked ? [earlier + own, sealedTokens, false] : [earlier, own + sealedTokens, false];
  },
};

/** Wordings in which providers name their window when they refuse; the number is the first group. */
const WINDOW_WORDINGS: readonly RegExp[] = [
  /> ([\d,]+) maximum/i, // Anthropic
  /context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i, // Anthropic, with the answer's room
  /maximum number of tokens allowed \(([\d,]+)\)/i, // Google
  /maximum prompt length is ([\d,]+)/i, // xAI
  /maximum context length (?:is|of) ([\d,]+)/i, // OpenRouter, DeepSeek, vLLM
  /context length is only ([\d,]+)/i, // vLLM
  /available context size \(([\d,]+)/i, // llama.cpp
  /exceeds the limit of ([\d,]+)/i, // Copilot
  /with ([\d,]+) maximum context length/i, // Mistral
  /input length should be \[\d+, ([\d,]+)\]/i, // DashScope
  /exceeded model token limit: ([\d,]+)/i, // Kimi, Moonshot
  /greater than the context length \(n_keep: [\d,]+ *>= *n_ctx: ([\d,]+)/i, // LM Studio
];

/** The check of a step that has just finished, with its own usage. */
export function checkAfterStep(state: LoopState, step: AssistantMessage): StepCheck {
  const { trigger } = state.policy;
  if (!trigger.afterStep) return NO_CHECK;
  const outputCapTokens = afterStepCap(trigger);
  if (trigger.onlyBetweenTurns !== true)
    return checkStep(state, step, termsOf(state, outputCapTokens));
  const latest = readLatestSteps(historyOf(state));
  if (!isTurnOver(latest)) return NO_CHECK;
  return checkNewest(state, viewOf(state), { latest, outputCapTokens });
}

/** The cap on one answer that the check after a step knows. */
export function afterStepCap(trigger: TriggerPolicy): number {
  return trigger.afterStepOutputCapTokens ?? trigger.outputCapTokens;
}

/** Tests if a check would repeat the one that a step has just passed. */
export function isPassedAgain(
  { policy: { trigger } }: LoopState,
  { finished }: Latest,
  passed: AssistantMessage | undefined,
): boolean {
  if (passed === undefined || finished !== passed || trigger.countsNewerMessages) return false;
  return afterStepCap(trigger) === trigger.outputCapTokens;
}

/** The check before a request, with the newest step's usage. */
export function checkBeforeRequest(
  state: LoopState,
  view: List<Message>,
  latest: Latest,
): StepCheck {
  const { trigger } = state.policy;
  if (!trigger.beforeRequest) return NO_CHECK;
  if (trigger.onlyBetweenTurns === true && latest.isAnswered) return NO_CHECK;
  return checkNewest(state, view, { latest, outputCapTokens: trigger.outputCapTokens });
}

/** The step whose usage is checked: the newest that finished, or one measured since the newest pivot. */
export function measuredStep(
  state: LoopState,
  view: List<Message>,
  { finished }: Latest,
): AssistantMessage | undefined {
  const { trigger } = state.policy;
  if (!trigger.countsNewerMessages || finished === undefined || tellsUsage(finished, trigger))
    return finished;
  const measured = foldOver(historyOf(state), newestMeasured);
  const isShown = findNewest(view, (message) => message === measured) >= 0;
  return isShown ? measured : finished;
}

/** Why no compaction can help: system prompt, tools and the newest request alone are too much. */
export function irreducibleFloor(state: LoopState): string | undefined {
  const { policy, limits, overheadTokens } = state;
  if (!policy.guards.stopIrreducible || limits.contextTokens === 0) return undefined;
  const usableTokens = overflowRules[policy.trigger.overflow].usable(limits, policy.trigger);
  const request = newestRequest(historyOf(state));
  const requestTokens = request === undefined ? 0 : estimateMessages([request], policy);
  const countedTokens = policy.trigger.counted === undefined ? overheadTokens : 0;
  if (countedTokens + requestTokens < usableTokens) return undefined;
  return `system and tools ${overheadTokens} + newest request ${requestTokens} ≥ usable ${usableTokens} tokens`;
}

/** The limits after a refusal that names a smaller window. */
export function learnLimits(limits: Limits, refusal: string): Limits {
  const found = WINDOW_WORDINGS.flatMap((wording) => wording.exec(refusal)?.[1] ?? []);
  const windowTokens = Number(found[0]?.replaceAll(',', ''));
  const { contextTokens, inputTokens, ...rest } = limits;
  const declaredTokens = inputTokens || contextTokens;
  const isNews = windowTokens > 0 && (declaredTokens === 0 || windowTokens < declaredTokens);
  return isNews ? { ...rest, contextTokens: windowTokens } : limits;
}

function checkStep(state: LoopState, step: AssistantMessage, terms: CheckTerms): StepCheck {
  const { trigger, guards } = state.policy;
  // A summary's own usage says nothing about the next request.
  if (!compactsUnasked(trigger) || step.summary === true) return NO_CHECK;
  if (trigger.counted !== undefined) return checkCounted(state, step, terms);
  if (!tellsUsage(step, trigger)) {
    if (guards.estimateMissingUsage)
      return checkEstimate(state, ignored(step, 'the provider told none'), terms);
    const usage = step.usage ?? (trigger.anyOf && NO_USAGE);
    return usage ? checkUsage(state, usage, terms) : NO_CHECK;
  }
  const found = checkUsage(state, step.usage, terms);
  const doubt = guards.ignoreImplausibleUsage ? doubtIn(state, step, found.check) : undefined;
  if (doubt === undefined) return found;
  const doubted = ignored(step, doubt);
  return guards.estimateMissingUsage ? checkEstimate(state, doubted, terms) : doubted;
}

function tellsUsage(step: AssistantMessage, { takesZero }: TriggerPolicy): step is Measured {
  return takesZero === true ? step.usage !== undefined : isMeasured(step);
}

/** No real request takes nothing. */
function isMeasured(step: AssistantMessage): step is Measured {
  return Object.values(step.usage ?? NO_USAGE).some((tokens) => tokens > 0);
}

function checkUsage(
  { limits }: LoopState,
  usage: Usage,
  terms: CheckTerms,
): StepCheck & { readonly check: OverflowCheck } {
  const newerTokens = terms.newerTokens + terms.clearedTokens;
  return { check: checkOverflow(usage, limits, { ...terms, newerTokens }), events: [] };
}

function checkEstimate(state: LoopState, { events }: StepCheck, terms: CheckTerms): StepCheck {
  const usage = { ...NO_USAGE, input: estimateView(state) };
  return { ...checkUsage(state, usage, { ...terms, newerTokens: 0 }), events };
}

function checkCounted(state: LoopState, { usage }: AssistantMessage, terms: CheckTerms): StepCheck {
  const estimated = { ...NO_USAGE, input: countedTokens(state) };
  const found = checkUsage(state, estimated, { ...terms, newerTokens: 0 });
  if (state.policy.trigger.counted !== 'request-or-usage' || usage === undefined) return found;
  const measured = checkUsage(state, usage, terms);
  return measured.check.countTokens > found.check.countTokens ? measured : found;
}

function countedTokens(state: LoopState): number {
  const { counted } = state.policy.trigger;
  if (counted === 'request' || counted === 'request-or-usage') return estimateView(state);
  const view = viewOf(state);
  const messages = counted === 'messages' ? view : itemsFrom(view, findNewest(view, isSummary) + 1);
  return estimateMessages(messages, state.policy);
}

function estimateView(state: LoopState): number {
  return state.overheadTokens + estimateMessages(viewOf(state), state.policy);
}

function ignored(step: AssistantMessage, reason: string): StepCheck {
  return { events: [{ type: 'usage-ignored', messageId: step.id, reason }] };
}

function doubtIn(state: LoopState, step: Measured, { countTokens }: OverflowCheck) {
  const history = historyOf(state);
  const windowTokens = state.limits.contextTokens;
  if (windowTokens > 0 && countTokens > windowTokens)
    return `${countTokens} tokens on a window of ${windowTokens}`;
  const index = findNewest(history, (message) => message === step);
  const previousIndex = findNewest(history, (message, at) => at < index && hasUsage(message));
  const previous = itemAt(history, previousIndex);
  if (!hasUsage(previous) || previous.summary === true) return undefined;
  const [before, measured] = [countAll(previous.usage), countAll(step.usage)];
  // A count that does not grow although the session does: the provider may have cut the request.
  if (measured <= before) {
    const expectedTokens = estimateView(state);
    return measured < TRUNCATED_SHARE * expectedTokens
      ? `${measured} tokens of about ${expectedTokens} that were sent`
      : undefined;
  }
  if (countTokens <= SPIKE_FACTOR * before + SPIKE_FLOOR_TOKENS) return undefined;
  const added = itemsFrom(history, previousIndex).slice(0, index - previousIndex);
  // Text of no more than a character a token could explain at most this much growth.
  const chars = JSON.stringify(added.map(({ parts }) => parts)).length;
  return countTokens - before > chars ? `${countTokens} tokens after ${before}` : undefined;
}

function hasUsage(message: Message | undefined): message is Measured {
  return message?.role === 'assistant' && message.usage !== undefined;
}

function termsOf(state: LoopState, outputCapTokens: number): CheckTerms {
  const { overflow: rule, reservedTokens, windowShare, anyOf } = state.policy.trigger;
  const view = anyOf && viewOf(state);
  return {
    rule,
    reservedTokens,
    windowShare,
    anyOf,
    outputCapTokens,
    counts: view && countUnits(view),
    newerTokens: 0,
    clearedTokens: 0,
  };
}

function checkNewest(
  state: LoopState,
  view: List<Message>,
  { latest, outputCapTokens }: { readonly latest: Latest; readonly outputCapTokens: number },
): StepCheck {
  const { trigger, guards } = state.policy;
  const step = measuredStep(state, view, latest);
  if (step === undefined) return NO_CHECK;
  if (guards.ignoreStaleUsage && isStale(historyOf(state), step))
    return ignored(step, 'measured before the newest pivot');
  const newerTokens = trigger.countsNewerMessages ? estimateNewer(state, view, step) : 0;
  const [sealedTokens] = trigger.countsSealed ? foldOver(view, sealed) : [0];
  return checkStep(state, step, {
    ...termsOf(state, outputCapTokens),
    newerTokens: newerTokens + sealedTokens,
    clearedTokens: trigger.countsCleared ? estimateCleared(state, view) : 0,
  });
}

function estimateCleared({ policy }: LoopState, view: List<Message>): number {
  return foldOver(view, {
    by: { name: 'cleared', rules: [policy.estimator, policy.render] },
    start: 0,
    add: (total, { role, parts }) =>
      parts.reduce((sum, part) => {
        const whole = uncleared(part);
        if (whole === part) return sum;
        return sum + estimatePart(whole, role, policy) - estimatePart(part, role, policy);
      }, total),
  });
}

function uncleared(part: Part): Part {
  const stored = storedPart(part);
  if (!isCleared(stored)) return stored;
  const { compactedAt: _, ...state } = stored.state;
  return { ...stored, state };
}

function isStale(history: List<Message>, finished: AssistantMessage): boolean {
  const index = findNewest(
    history,
    (message) => message === finished || (isSummary(message) && Boolean(message.finish)),
  );
  return itemAt(history, index) !== finished;
}

function estimateNewer(state: LoopState, view: List<Message>, finished: AssistantMessage): number {
  const { leavesOutPrompts } = state.policy.trigger;
  const newer = itemsFrom(view, findNewest(view, (message) => message === finished) + 1).filter(
    (message) => leavesOutPrompts !== true || !isRequest(message),
  );
  return [finished, ...newer].reduce(
    (total, message) => total + (message.role === 'user' ? 0 : (message.unseenTokens ?? 0)),
    estimateResults(finished, state.policy) + estimateMessages(newer, state.policy),
  );
}
