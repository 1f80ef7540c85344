import { estimateMessages, estimateResults, jsonChars, jsonEstimator } from '../estimate.ts';
import { isPrompt, isSummary, markerOf, type Message } from '../message.ts';
import type { KeepSize, LastShare, Policy, KeepEnds, KeptAmount } from '../policy.ts';
import type { Cut } from '../state.ts';
import type { Limits } from '../usable.ts';
import { type QuotedCut, quotePrompts, unansweredFrom } from './resume.ts';
import { withoutPivots } from './summary.ts';
import { hasText, keepText, selectTail, tailBudgetTokens } from './tail.ts';
import { countMessage, unitsBefore } from '../conditions.ts';
import { overflowRules } from '../overflow.ts';

/** A pending compaction: what the model saw, and which message queued it. */
export interface Pending {
  readonly view: readonly Message[];
  /** The user message that the summary answers. */
  readonly parentId: string;
  /** A refused prompt may be taken out and sent again. */
  readonly mayReplay: boolean;
  /** The provider refused the request; absent means that it did not. */
  readonly isAfterRefusal?: boolean;
}

interface Rules {
  readonly cut: KeepEnds;
  readonly policy: Policy;
  readonly limits: Limits;
}

const ANY_VIEW = 'nothing everything last-messages last-turns recent-turns'.split(' ');
const keepUnanswered = (cut: Cut) => keepFrom(cut, cut.head[unansweredFrom(cut.head)]);

/** Divides what the model saw into what is summarised and what stays. */
export function planCut(pending: Pending, own: Policy, limits: Limits): Cut {
  const { cut: always, summary } = own;
  const policy = { ...own, cut: (pending.isAfterRefusal && summary.fallback?.cut) || always };
  const whole = policy.cut.keep === 'unanswered' ? cutUnanswered(pending) : cutForReplay(pending);
  const cut = summary.anchored ? { ...whole, head: withoutPending(whole.head) } : whole;
  if (cut.replay !== undefined && policy.resume.replaysAlone) return cut;
  switch (policy.cut.keep) {
    case 'nothing':
    case 'everything':
    case 'unanswered':
      return cut;
    case 'pending':
      return pending.isAfterRefusal ? cut : keepFrom(cut, cut.head[pendingFrom(cut.head)]);
    case 'last-messages':
      return keepLastMessages(cut, policy.cut.count);
    case 'last-turns':
      return keepLastTurns(cut, policy.cut.count);
    case 'recent-turns':
      return keepRecentTurns(cut, policy, limits);
    case 'checkpoint':
      return keepAsText(cut, policy.cut.tokens, policy);
    case 'user-messages':
      return withQuotes(policy.cut.firstTokens ? cut : keepUnanswered(cut), policy.cut, policy);
    case 'ends':
      return keepEnds(cut, { cut: policy.cut, policy, limits });
    default:
      return keepFrom(cut, firstKept(cut.head, policy.cut, { ...pending, policy, limits }));
  }
}

/** Tests if a view holds something to summarise. Sources: OpenCode 2.0, pi, Gemini CLI, Qwen Code. */
export function canCut(view: readonly Message[], policy: Policy, limits: Limits): boolean {
  const { cut } = policy;
  if (cut.keep === 'checkpoint') return hasText(view, policy);
  if (ANY_VIEW.includes(cut.keep)) return true;
  if (cut.keep === 'pending') return view.some(({ role }) => role === 'assistant');
  const { head } = planCut({ view, parentId: '', mayReplay: false }, policy, limits);
  if (cut.keep !== 'last-share') return keepable(head).length > 0;
  return sizedBy(cut, cut.opening ? view : head).length > 0;
}

/** The view, or what precedes a refused prompt. Source: OpenCode 1.2.16; design document 003. */
export function cutForReplay({ view, parentId, mayReplay }: Pending): Cut {
  if (!mayReplay) return { head: view };
  const parentIndex = view.findIndex((message) => message.id === parentId);
  const replayIndex = view.slice(0, Math.max(0, parentIndex)).findLastIndex(isPrompt);
  const head = view.slice(0, Math.max(0, replayIndex));
  const replay = view[replayIndex];
  if (replay?.role !== 'user' || !head.some(isPrompt)) return { head: view };
  return { head, replay };
}

/** The messages that a cut may keep: markers and earlier summaries are none. */
export function keepable(view: readonly Message[]): readonly Message[] {
  return view.filter((message) => markerOf(message) === undefined && !isSummary(message));
}

/** The first message that stays; nothing where none does. */
export function firstKept(
  view: readonly Message[],
  cut: KeepSize,
  rules: Omit<Rules, 'cut'> & Pick<Pending, 'isAfterRefusal'>,
): Message | undefined {
  const { policy, isAfterRefusal = false } = rules;
  const messages = sizedBy(cut, view);
  switch (cut.keep) {
    case 'recent-messages':
      return firstOfRecent(messages, cut, policy);
    case 'newest-messages':
      return messages[Math.max(0, messages.length - cut.count)];
    case 'newest-exchanges':
      return firstOfExchanges(messages, cut, rules);
    case 'newest-steps':
      return firstOfSteps(view, cut.tokens, policy);
    case 'last-share':
      if (isAfterRefusal && isMidTurn(view, cut)) return undefined;
      return firstOfShare(messages, cut, policy);
  }
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
  const nearest = { from, start: Math.min(messages.length, ...starts) };
  const start = withFurtherShare(messages, nearest, rules);
  if (beginsWith === undefined) return { from, to: start };
  const fits = (message: Message) =>
    beginsWith === 'prompt'
      ? isPrompt(message)
      : message.role === 'assistant' && !isSummary(message);
  const to = messages.findIndex((message, index) => index >= start && fits(message));
  return { from, to: to < 0 ? messages.length : to };
}

/** Gemini CLI takes an earlier summary for a prompt, which may go alone. */
function sizedBy(cut: KeepSize, view: readonly Message[]): readonly Message[] {
  if (cut.keep !== 'last-share') return keepable(view);
  return view.filter((message) => markerOf(message) === undefined);
}

/** Unanswered prompts stay; where there are none, a refused prompt is summarised and said again. Source: Goose. */
function cutUnanswered({ view, mayReplay }: Pending): Cut {
  if (!mayReplay || unansweredFrom(view) >= 0) return keepUnanswered({ head: view });
  const newest = view.findLast(isPrompt);
  return newest?.role === 'user' ? { head: view, replay: newest } : { head: view };
}

/** Index of a step whose results wait, or of unanswered prompts; else -1. */
function pendingFrom(view: readonly Message[]): number {
  const newest = view.findLastIndex(({ role }) => role === 'assistant');
  return newest < 0 || isLastWord(view[newest]) ? unansweredFrom(view) : newest;
}

function keepFrom(cut: Cut, first: Message | undefined): Cut {
  if (first === undefined) return cut;
  const start = cut.head.indexOf(first);
  return withTail({ ...cut, head: cut.head.slice(0, start) }, first);
}

function withTail(cut: Cut, first: Message | undefined): Cut {
  return first === undefined ? cut : { ...cut, tailStartId: first.id };
}

function withoutPending(head: readonly Message[]): readonly Message[] {
  const newest = head.at(-1);
  return newest && markerOf(newest) ? head.slice(0, -1) : head;
}

/** Slices as document 004 writes them, also of too few messages. */
function keepLastMessages(cut: Cut, count: number): Cut {
  const messages = cut.head.filter((message) => markerOf(message) === undefined);
  const cutoff = messages.length - count;
  return withTail({ ...cut, head: messages.slice(0, cutoff) }, messages.slice(cutoff)[0]);
}

function keepLastTurns(cut: Cut, count: number): Cut {
  const prompts = cut.head.flatMap((message, index) => (isPrompt(message) ? [index] : []));
  const start = prompts.at(-count) ?? 0;
  return start === 0 ? cut : withTail({ ...cut, head: cut.head.slice(0, start) }, cut.head[start]);
}

function keepRecentTurns(cut: Cut, policy: Policy, limits: Limits): Cut {
  const budgetTokens = tailBudgetTokens(policy, limits);
  if (policy.cut.keep !== 'recent-turns' || budgetTokens === undefined) return cut;
  const messages = sizedMessages(cut.head, policy);
  const tail = selectTail(messages, { ...policy.cut, budgetTokens }, jsonEstimator(policy));
  if (tail === undefined) return cut;
  const kept = new Set(messages.slice(tail.startIndex));
  const head = cut.head.filter((message) => !kept.has(message));
  return { ...cut, head, tailStartId: tail.startId };
}

/** Earlier pivots take room where the head holds them. Source: OpenCode release history, S4 and S5. */
function sizedMessages(head: readonly Message[], { summary }: Policy): readonly Message[] {
  const messages = withoutPending(head);
  return summary.anchored ? withoutPivots(messages) : messages;
}

function keepAsText(cut: Cut, keepTokens: number, policy: Policy): Cut {
  const messages = cut.head.filter((message) => markerOf(message) === undefined);
  const { start, recent } = keepText(messages, keepTokens, policy);
  const head = start === 0 ? messages : messages.slice(0, start);
  return { ...cut, head, ...(recent === '' ? {} : { recent }) };
}

function keepEnds(cut: Cut, rules: Parameters<typeof middleOf>[1]): Cut {
  const messages = keepable(cut.head);
  const { from, to } = middleOf(messages, rules);
  const [lastOfFirst, firstOfNewest] = [messages[from - 1], messages[Math.max(from, to)]];
  const kept = new Set([...messages.slice(0, from), ...messages.slice(Math.max(from, to))]);
  const head = cut.head.filter((message) => !kept.has(message));
  const headEndId = lastOfFirst && { headEndId: lastOfFirst.id };
  return withTail({ ...cut, head, ...headEndId }, firstOfNewest);
}

function withQuotes(cut: Cut, rule: QuotedCut, policy: Policy): Cut {
  return { ...cut, quoted: quotePrompts(cut.head, rule, policy) };
}

/** Source: pi, `findCutPoint`. */
function firstOfRecent(
  messages: readonly Message[],
  { tokens, newestStays }: KeepSize & { readonly keep: 'recent-messages' },
  policy: Policy,
) {
  let sum = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as Message;
    if (sum + estimateResults(message, policy) >= tokens)
      return messages[index + 1] ?? (newestStays ? message : messages[0]);
    sum += estimateMessages([message], policy);
  }
  return messages[0];
}

/** A cut is behind a step; a prompt that was sent has a reminder, and a refused step counts. Source: Kimi Code 0.20. */
function firstOfExchanges(
  messages: readonly Message[],
  { count: most, windowShare }: KeepSize & { readonly keep: 'newest-exchanges' },
  { policy, limits, isAfterRefusal = false }: Parameters<typeof firstKept>[2],
): Message | undefined {
  const mostTokens = windowShare * (limits.contextTokens || Infinity);
  let [count, tokens] = [Number(isAfterRefusal), 0];
  let first: Message | undefined;
  const isEnough = () => first !== undefined && (count >= most || tokens >= mostTokens);
  for (let index = messages.length - 1; index > 0 && !isEnough(); index -= 1) {
    const message = messages[index] as Message;
    const isSent = isAfterRefusal || index < messages.length - 1;
    const results = message.parts.filter(({ type }) => type === 'tool').length;
    count += message.role === 'user' ? Number(isSent) : results;
    tokens += estimateMessages([message], policy);
    if (isEnough()) break;
    count += 1;
    if (messages[index - 1]?.role === 'assistant') first = message;
  }
  return first ?? messages[0];
}

/** A prompt that a session begins with may be summarised, a later newest one stays. Source: Cline. */
function firstOfSteps(view: readonly Message[], tokens: number, policy: Policy) {
  const messages = keepable(view);
  let [sum, index] = [0, messages.length];
  for (; index > 0 && sum < tokens; index -= 1)
    sum += estimateMessages(messages.slice(index - 1, index), policy);
  const prompt = messages.findLastIndex(isPrompt);
  const isOpening = prompt === 0 && !view.some(isSummary);
  return messages[prompt < 0 || isOpening ? index : Math.min(index, prompt)];
}

/** Only prompts begin what stays; after a last word of the model nothing need stay. Source: Gemini CLI. */
function firstOfShare(
  messages: readonly Message[],
  { share, steps }: LastShare,
  { render }: Policy,
): Message | undefined {
  const sizes = messages.map((message) => jsonChars(message, render));
  const total = sizes.reduce((sum, chars) => sum + chars, 0);
  let [before, newest]: [number, Message | undefined] = [0, undefined];
  for (const [index, message] of messages.entries()) {
    if (isPrompt(message)) newest = message;
    if (newest === message && before >= (1 - share) * total) return message;
    before += sizes[index] ?? 0;
  }
  if (isLastWord(messages.at(-1))) return undefined;
  return steps === undefined || newest === messages.at(-1)
    ? newest
    : firstOfNewest(messages, steps);
}

function isMidTurn(view: readonly Message[], { steps }: LastShare): boolean {
  const newest = keepable(view).at(-1);
  return steps !== undefined && newest?.role === 'assistant' && !isLastWord(newest);
}

function firstOfNewest(messages: readonly Message[], steps: number): Message | undefined {
  const others = messages.findLastIndex(
    (message) => message.role === 'user' || isLastWord(message),
  );
  return messages[Math.max(others + 1, messages.length - steps)];
}

function isLastWord(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.parts.every(({ type }) => type !== 'tool');
}

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
