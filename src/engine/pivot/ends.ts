/** The cut that takes out what lies between the first and the newest messages. */

import { countMessage, unitsBefore } from '../conditions.ts';
import { estimateMessages } from '../estimate.ts';
import { isPrompt, isSummary, type Message } from '../message.ts';
import { overflowRules } from '../overflow.ts';
import type { KeepEnds, KeptAmount, Policy } from '../policy.ts';
import type { Limits } from '../usable.ts';

interface Rules {
  readonly cut: KeepEnds;
  readonly policy: Policy;
  readonly limits: Limits;
}

/** The messages between the first and the newest; none where `from` is not before `to`. */
export function middleOf(
  messages: readonly Message[],
  rules: Rules,
): { readonly from: number; readonly to: number } {
  const { first, unit, newest, beginsWith } = rules.cut;
  let left = first - unitsBefore(unit);
  let from = 0;
  for (; from < messages.length && left > 0; from += 1)
    left -= countMessage(messages[from] as Message, unit);
  const starts = newest.map((amount) => startOfNewest(messages, amount, rules));
  const start = withFurtherShare(
    messages,
    { from, start: Math.min(messages.length, ...starts) },
    rules,
  );
  if (beginsWith === undefined) return { from, to: start };
  const fits = (message: Message) =>
    beginsWith === 'prompt'
      ? isPrompt(message)
      : message.role === 'assistant' && !isSummary(message);
  const to = messages.findIndex((message, index) => index >= start && fits(message));
  return { from, to: to < 0 ? messages.length : to };
}

/** The message that crosses the amount stays or goes. */
function startOfNewest(messages: readonly Message[], amount: KeptAmount, rules: Rules): number {
  const { cut, policy } = rules;
  const unit = amount.of === 'all' ? cut.unit : amount.of;
  const weigh = (message: Message) =>
    unit === 'tokens' || unit === 'window' || unit === 'usable'
      ? estimateMessages([message], policy)
      : countMessage(message, unit);
  let left =
    amount.of === 'all'
      ? messages.reduce((sum, message) => sum + weigh(message), 0) * amount.share
      : totalOf(amount, rules);
  let start = messages.length;
  while (start > 0 && left > 0) {
    left -= weigh(messages[start - 1] as Message);
    if (left < 0 && cut.crossing === 'goes') break;
    start -= 1;
  }
  return start;
}

function totalOf(amount: KeptAmount, { policy: { trigger }, limits }: Rules): number {
  if ('count' in amount) return amount.count;
  return amount.of === 'window'
    ? limits.contextTokens * amount.share
    : overflowRules[trigger.overflow].usable(limits, trigger) * amount.share;
}

function withFurtherShare(
  messages: readonly Message[],
  { from, start }: { readonly from: number; readonly start: number },
  { cut: { furtherShare }, policy, limits }: Rules,
): number {
  if (furtherShare === undefined || limits.contextTokens === 0) return start;
  const mostTokens = limits.contextTokens * furtherShare.untilWindowShare;
  const step = Math.max(1, Math.round(messages.length * furtherShare.step));
  let at = start;
  while (at < messages.length && estimateMessages(messages.slice(at), policy) > mostTokens)
    at += step;
  return Math.max(from, Math.min(at, messages.length));
}
