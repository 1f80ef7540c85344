/** Guards: checks that keep a policy from harming a session, each on or off. */

import type { GuardsPolicy } from './policy.ts';
import type { Health, SummaryResult } from './state.ts';

/** The context right before a pivot and right after it. */
export interface PivotContext {
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** No guard at all, as in the released programs before 2.0. */
export const NO_GUARDS = guardsOf(false, { maxIneffective: 0, maxRefilled: 0, maxFailures: 0 });

/** Every guard with the numbers that suit most sessions. */
export const ALL_GUARDS = guardsOf(true, { maxIneffective: 2, maxRefilled: 3, maxFailures: 3 });

const INEFFECTIVE_SHARE = 0.95;
const CUT_OFF: readonly string[] = ['length', 'content-filter', 'error', 'max_tokens'];
/** How models write calls when they have no tools: as markup, or as a bare JSON object with a name. */
const TOOL_CALL =
  /^\s*(?:```\w*\s*)?(?:<\/?(?:tool_call|function_calls?|invoke|antml:invoke|tool_use)\b|\[TOOL_CALLS?\]|\{\s*"(?:name|tool|function|tool_calls?)"\s*:)/i;

/** Nothing has gone wrong yet. */
export const HEALTHY: Health = { failures: 0, ineffective: 0, refilled: 0 };

/** Steps after which a session that is full again was not filled up by the pivot alone. */
const REFILLED_STEPS = 2;
const isOpen = (limit: number, count: number) => limit > 0 && count >= limit;

/** Why a summary may not replace its head; nothing when it may. */
export function summaryFault(
  guards: GuardsPolicy,
  result: SummaryResult,
  measures: {
    /** The longest answer that was asked for; absent where none was. */
    readonly outputCapTokens?: number | undefined;
    readonly sizesOf: () => { readonly summaryTokens: number; readonly headTokens: number };
  },
): string | undefined {
  if (guards.rejectEmptySummary && result.text.trim() === '') return 'the summary is empty';
  const cutOff = guards.rejectTruncatedSummary
    ? cutOffIn(result, measures.outputCapTokens)
    : undefined;
  if (cutOff !== undefined) return `the summary was cut off (${cutOff})`;
  if (
    guards.rejectToolCallSummary &&
    (result.finish === 'tool-calls' || TOOL_CALL.test(result.text))
  )
    return 'the summary is a tool call';
  if (!guards.rejectLargerSummary) return undefined;
  const { summaryTokens, headTokens } = measures.sizesOf();
  return summaryTokens >= headTokens
    ? `the summary (${summaryTokens} tokens) is not smaller than what it replaces (${headTokens})`
    : undefined;
}

/** After a person's request: only failed compactions stay counted. */
export function afterRequest({ failures }: Health): Health {
  return failures === 0 ? HEALTHY : { ...HEALTHY, failures };
}

/** After an attempt that failed or was rejected. */
export function afterFailure(health: Health): Health {
  return { ...health, failures: health.failures + 1 };
}

/** Tests if a pivot left the context about as large as it was. */
export function isIneffective({ beforeTokens, afterTokens }: PivotContext): boolean {
  return afterTokens >= INEFFECTIVE_SHARE * beforeTokens;
}

/** After a pivot; the context is weighed only for the guard that asks. */
export function afterPivot(
  health: Health,
  { maxIneffective }: GuardsPolicy,
  contextOf: () => PivotContext,
): Health {
  const achievedNothing = maxIneffective > 0 && isIneffective(contextOf());
  return {
    failures: 0,
    ineffective: achievedNothing ? health.ineffective + 1 : 0,
    refilled: health.refilled,
    stepsSincePivot: 0,
  };
}

/** After a step. */
export function afterStep(health: Health): Health {
  if (health.stepsSincePivot === undefined) return health;
  const { failures, ineffective, refilled, stepsSincePivot } = health;
  return { failures, ineffective, refilled, stepsSincePivot: stepsSincePivot + 1 };
}

/** When another pivot is due, soon after the newest one or not. */
export function afterOverflow(health: Health): Health {
  if (health.stepsSincePivot === undefined) return health;
  return {
    ...health,
    refilled: health.stepsSincePivot <= REFILLED_STEPS ? health.refilled + 1 : 0,
  };
}

/** Which breaker is open, in words; nothing while compactions may go on. */
export function openBreaker(guards: GuardsPolicy, health: Health): string | undefined {
  if (isOpen(guards.maxFailures, health.failures))
    return `${health.failures} failed compactions in a row`;
  if (isOpen(guards.maxIneffective, health.ineffective))
    return `${health.ineffective} compactions in a row without effect`;
  if (isOpen(guards.maxRefilled, health.refilled))
    return `${health.refilled} compactions in a row filled up again by the next steps`;
  return undefined;
}

function guardsOf(
  isOn: boolean,
  numbers: Pick<GuardsPolicy, 'maxIneffective' | 'maxRefilled' | 'maxFailures'>,
): GuardsPolicy {
  return {
    rejectLargerSummary: isOn,
    rejectEmptySummary: isOn,
    rejectTruncatedSummary: isOn,
    rejectToolCallSummary: isOn,
    ...numbers,
    ignoreStaleUsage: isOn,
    ignoreImplausibleUsage: isOn,
    estimateMissingUsage: isOn,
    learnWindow: isOn,
    stopIrreducible: isOn,
    remindMissingHeadings: isOn,
    shrinkSummaryRequest: isOn,
  };
}

/** An answer as long as its cap was cut, whatever the model says. Source: Qwen Code. */
function cutOffIn({ finish, usage }: SummaryResult, capTokens = Number.POSITIVE_INFINITY) {
  if (CUT_OFF.includes(finish)) return finish;
  const outputTokens = usage?.output ?? 0;
  return outputTokens >= capTokens ? `${outputTokens} tokens` : undefined;
}
