import { summaryFault } from '../guards.ts';
import { missesHeadings } from '../prompts/headings.ts';
import type { EngineEvent, LoopState, Summarising, SummaryResult } from '../state.ts';
import { estimateMessages, estimateText } from '../render/weigh.ts';
import type { SummaryEnd, SummaryFailure } from './pivot-step.ts';
import { halveChunk, shrinkHead } from './shrink.ts';

/** What an attempt goes on with. */
interface Attempt {
  readonly phase: Summarising;
  readonly event: EngineEvent;
}

/** A smaller request, the next chunk, or the same one with a reminder; nothing when the answer stands. */
export function nextAttempt(
  state: LoopState,
  phase: Summarising,
  input: SummaryEnd,
): Attempt | undefined {
  return input.type === 'summary-failed'
    ? smallerAttempt(state, phase, input)
    : furtherAttempt(state, phase, input.result);
}

/** Why the summary of an attempt may not replace its head; nothing when it may. */
export function faultOf({ policy }: LoopState, phase: Summarising, result: SummaryResult) {
  if (phase.isReminded && missesHeadings(result.text, policy.summary.instruction)) {
    return 'the summary has none of the headings that were asked for, also after a reminder';
  }
  const { outputCapTokens } = policy.summary;
  const sizesOf = () => ({
    summaryTokens: estimateText(result.text, policy),
    headTokens: estimateMessages(phase.cut.head, policy),
  });
  return summaryFault(policy.guards, result, { outputCapTokens, sizesOf });
}

function smallerAttempt(
  { policy, limits }: LoopState,
  phase: Summarising,
  input: SummaryFailure,
): Attempt | undefined {
  if (!input.isOverflow || !policy.guards.shrinkSummaryRequest) return undefined;
  const smaller =
    shrinkHead(phase.cut.head, phase.rung, { policy, limits, asked: phase.asked }) ??
    halveChunk(phase.asked, phase.rung, policy);
  if (smaller === undefined) return undefined;
  const { head: asked, rung } = smaller;
  const rest = smaller.isHalf ? [...smaller.rest, ...phase.rest] : smaller.rest;
  return { phase: { ...phase, asked, rest, rung }, event: repeated(phase, 'too-large') };
}

function furtherAttempt(
  state: LoopState,
  phase: Summarising,
  result: SummaryResult,
): Attempt | undefined {
  const { guards, summary } = state.policy;
  const [asked, ...rest] = phase.rest;
  if (asked !== undefined) {
    const previousSummary = result.text || phase.previousSummary;
    return {
      phase: { ...phase, asked, rest, previousSummary },
      event: repeated(phase, 'next-chunk'),
    };
  }
  if (!guards.remindMissingHeadings || phase.isReminded) return undefined;
  if (faultOf(state, phase, result) !== undefined) return undefined;
  if (!missesHeadings(result.text, summary.instruction)) return undefined;
  return { phase: { ...phase, isReminded: true }, event: repeated(phase, 'no-headings') };
}

function repeated(
  { markerId }: Summarising,
  because: (EngineEvent & { type: 'summary-repeated' })['because'],
): EngineEvent {
  return { type: 'summary-repeated', markerId, because };
}
