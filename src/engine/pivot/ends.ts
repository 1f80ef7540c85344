/** The cut that keeps the first messages and the newest ones, and takes out what lies between them. */

import { countMessage, unitsBefore } from '../conditions.ts';
import { estimateMessages } from '../estimate.ts';
import { isPrompt, isSummary, type Message } from '../message.ts';
import { overflowRules } from '../overflow.ts';
import type { KeepEnds, KeptAmount } from '../policy.ts';
import type { Policy } from '../policy.ts';
import type { Limits } from '../usable.ts';

/** Indexes among messages that a cut may keep: the first ones end before `from`, the newest begin at `to`. */
export interface Middle {
  readonly from: number;
  readonly to: number;
}

interface Rules {
  readonly cut: KeepEnds;
  readonly policy: Policy;
  readonly limits: Limits;
}

type Weigh = (message: Message) => number;

/** The messages between the first ones and the newest ones; none where `from` is not before `to`. */
export function middleOf(messages: readonly Message[], rules: Rules): Middle {
  const { cut } = rules;
  const from = endOfFirst(messages, cut);
  const starts = cut.newest.map((amount) => startOf(messages, amount, rules));
  const earliest = Math.min(messages.length, ...starts);
  const to = atBoundary(
    messages,
    withFurtherShare(messages, { from, start: earliest }, rules),
    cut,
  );
  return { from, to };
}

function endOfFirst(messages: readonly Message[], { first, unit }: KeepEnds): number {
  let left = first - unitsBefore(unit);
  let index = 0;
  for (; index < messages.length && left > 0; index += 1) {
    left -= countMessage(messages[index] as Message, unit);
  }
  return index;
}

function startOf(messages: readonly Message[], amount: KeptAmount, rules: Rules): number {
  const weigh = weightIn(amount, rules);
  return startOfNewest(messages, { weigh, total: totalOf(messages, amount, rules) }, rules.cut);
}

function startOfNewest(
  messages: readonly Message[],
  { weigh, total }: { readonly weigh: Weigh; readonly total: number },
  { crossing }: KeepEnds,
): number {
  let left = total;
  let start = messages.length;
  while (start > 0 && left > 0) {
    left -= weigh(messages[start - 1] as Message);
    if (left < 0 && crossing === 'goes') break;
    start -= 1;
  }
  return start;
}

function weightIn(amount: KeptAmount, { cut, policy }: Rules): Weigh {
  if (amount.of === 'messages' || amount.of === 'events') {
    const unit = amount.of;
    return (message) => countMessage(message, unit);
  }
  if (amount.of === 'all') return (message) => countMessage(message, cut.unit);
  return (message) => estimateMessages([message], policy);
}

function totalOf(
  messages: readonly Message[],
  amount: KeptAmount,
  { cut, policy, limits }: Rules,
): number {
  if ('count' in amount) return amount.count;
  const { trigger } = policy;
  switch (amount.of) {
    case 'all':
      return messages.reduce((sum, one) => sum + countMessage(one, cut.unit), 0) * amount.share;
    case 'window':
      return limits.contextTokens * amount.share;
    case 'usable':
      return overflowRules[trigger.overflow].usable(limits, trigger) * amount.share;
  }
}

function withFurtherShare(
  messages: readonly Message[],
  { from, start }: { readonly from: number; readonly start: number },
  { cut, policy, limits }: Rules,
): number {
  const { furtherShare } = cut;
  if (furtherShare === undefined || limits.contextTokens === 0) return start;
  const mostTokens = limits.contextTokens * furtherShare.untilWindowShare;
  const step = Math.max(1, Math.round(messages.length * furtherShare.step));
  let at = start;
  while (at < messages.length && estimateMessages(messages.slice(at), policy) > mostTokens) {
    at += step;
  }
  return Math.max(from, Math.min(at, messages.length));
}

function atBoundary(messages: readonly Message[], start: number, { beginsWith }: KeepEnds): number {
  if (beginsWith === undefined) return start;
  const fits = (message: Message) =>
    beginsWith === 'prompt'
      ? isPrompt(message)
      : message.role === 'assistant' && !isSummary(message);
  const found = messages.findIndex((message, index) => index >= start && fits(message));
  return found < 0 ? messages.length : found;
}
