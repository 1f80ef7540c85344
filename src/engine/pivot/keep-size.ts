import type { KeepSize, Policy } from '../policy.ts';
import { isPrompt, isSummary, markerOf, type Message } from '../message.ts';
import { estimateMessages, estimateResults, jsonChars } from '../render/weigh.ts';

/** Whether a pivot keeps by size. */
export function keepsBySize<Cut extends { readonly keep: string }>(
  cut: Cut,
): cut is Extract<Cut, KeepSize> {
  return ['recent-messages', 'newest-messages', 'last-share'].includes(cut.keep);
}

/** The messages that a cut may keep: markers and earlier summaries are none. */
export function keepable(view: readonly Message[]): readonly Message[] {
  return view.filter((message) => markerOf(message) === undefined && !isSummary(message));
}

/** The first message that stays; nothing where none does. It may be the first of all, so that nothing is left to summarise. */
export function firstKept(
  messages: readonly Message[],
  cut: KeepSize,
  policy: Policy,
): Message | undefined {
  switch (cut.keep) {
    case 'recent-messages':
      return firstOfRecent(messages, cut.tokens, policy);
    case 'newest-messages':
      return messages[Math.max(0, messages.length - cut.count)];
    case 'last-share':
      return firstOfShare(messages, cut.share, policy);
  }
}

/**
 * Back from the newest message to the one with which the sum is reached, or to the one behind it where results of tools
 * reach it: a cut is never in front of results alone. Where nothing stands behind them all stays. Source: pi, `findCutPoint`.
 */
function firstOfRecent(
  messages: readonly Message[],
  tokens: number,
  policy: Policy,
): Message | undefined {
  let sum = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as Message;
    if (sum + estimateResults(message, policy) >= tokens) return messages[index + 1] ?? messages[0];
    sum += estimateMessages([message], policy);
  }
  return messages[0];
}

/** Source: Gemini CLI, its split point: only prompts begin what stays; after a last word of the model nothing need stay. */
function firstOfShare(
  messages: readonly Message[],
  share: number,
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
  return isLastWord(messages.at(-1)) ? undefined : newest;
}

function isLastWord(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.parts.every(({ type }) => type !== 'tool');
}
