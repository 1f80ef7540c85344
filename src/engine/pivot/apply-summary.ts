import {
  changeState,
  type Health,
  historyOf,
  type LoopState,
  type Summarising,
  type SummaryResult,
  type Tools,
  WAITING,
} from '../state.ts';
import { afterPivot } from '../guards.ts';
import { isTurnOver, readLatestSteps } from '../view/latest.ts';
import type { Message, UserMessage } from '../message.ts';
import { checkOverflow } from '../overflow.ts';
import type { ResumePolicy, SummaryPolicy } from '../policy.ts';
import { resumeTexts } from '../prompts/resume.ts';
import { newestRequest, wordsOf } from '../request.ts';
import { firstItems, grow, insertAt, type List } from '../history.ts';
import { viewUnder } from '../view.ts';
import { estimateMessages } from '../render/weigh.ts';
import { findMarker, withoutMarker, withTail } from './marked-history.ts';
import type { PivotStep } from './pivot-step.ts';
import { quoteMessages } from './quote.ts';
import { continueMessage, replayPrompt } from './resume.ts';
import { summaryMessage } from './summary.ts';

/** Puts a summary in the place of its head, and goes on as the policy has it. */
export function applySummary(
  state: LoopState,
  phase: Summarising,
  answer: { readonly result: SummaryResult; readonly tools: Tools },
): PivotStep {
  const { result, tools } = answer;
  const { parentId, cut } = phase;
  const answered = withText(result, state.policy.summary);
  const summary = summaryMessage(answered, { parentId, recent: cut.recent }, tools);
  const marker = findMarker(historyOf(state), phase);
  const isAuto = marker?.auto === true;
  const isResumed = isAuto && !endsTurn(state, result);
  const resumed = isResumed ? resume(state, phase, tools) : undefined;
  const quoted = quoteMessages(cut.quoted ?? [], tools);
  const summarised = [...quoted, summary].reduce<List<Message>>(
    (grown, message, index) => insertAt(grown, phase.insertAt + index, message),
    withTail(historyOf(state), phase),
  );
  const history = (resumed ?? []).reduce<List<Message>>(
    (grown, message) => grow(grown, message),
    summarised,
  );
  return {
    state: 'compacted',
    goesOn: resumed !== undefined && isSilent(state.policy.resume),
    next: changeState(state, {
      history,
      health: healthAfter(state, phase, history),
      phase: WAITING,
    }),
    event: {
      type: 'compacted',
      markerId: phase.markerId,
      summaryId: summary.id,
      auto: isAuto,
      isReplay: phase.cut.replay !== undefined,
    },
  };
}

/** What the guards know once a pivot has made that history. */
function healthAfter(state: LoopState, phase: Summarising, history: List<Message>): Health {
  const { policy, overheadTokens } = state;
  const weigh = (messages: List<Message>) =>
    overheadTokens + estimateMessages(viewUnder(messages, policy), policy);
  return afterPivot(state.health, policy.guards, () => ({
    beforeTokens: weigh(withoutMarker(historyOf(state), phase)),
    afterTokens: weigh(history),
  }));
}

/** Before 1.2.16 a summary whose own usage was over the limit was taken for an overflow, and the turn ended. */
function endsTurn({ policy, limits }: LoopState, { usage }: SummaryResult): boolean {
  if (!policy.summary.checksOwnUsage || usage === undefined) return false;
  const { overflow: rule, ...trigger } = policy.trigger;
  return checkOverflow(usage, limits, { ...trigger, rule }).isOverflow;
}

function withText(result: SummaryResult, { emptyText }: SummaryPolicy): SummaryResult {
  const isReplaced = emptyText !== undefined && result.text.trim() === '';
  return isReplaced ? { ...result, text: emptyText } : result;
}

function isSilent({ continueText }: ResumePolicy): boolean {
  return continueText === undefined || resumeTexts[continueText] === '';
}

/** What is said for the session to go on, which may be nothing; `undefined` where the host does not let it. */
function resume(
  state: LoopState,
  phase: Summarising,
  tools: Tools,
): readonly UserMessage[] | undefined {
  const { policy } = state;
  const history = historyOf(state);
  if (phase.cut.replay !== undefined) return [replayPrompt(phase.cut.replay, policy.resume, tools)];
  if (tools.hooks?.autoContinue?.() === false) return undefined;
  // What came while the summary was written is a turn of its own.
  const before = firstItems(history, phase.insertAt);
  if (policy.resume.onlyMidTurn === true && isTurnOver(readLatestSteps(before))) return [];
  const afterRefusal = findMarker(history, phase)?.overflow === true;
  const requestOf = () => {
    const newest = newestRequest(before);
    return (newest && wordsOf(newest)) ?? '';
  };
  return continueMessage(policy.resume, { afterRefusal, requestOf }, tools);
}
