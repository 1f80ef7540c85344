import { beginningOf, endOf } from '../cut-text.ts';
import { estimateTokens } from '../estimate.ts';
import { isPrompt, type Message, type UserMessage } from '../message.ts';
import type { Policy } from '../policy.ts';
import { wordsOf } from '../request.ts';
import { type Tools } from '../state.ts';

/** Index of the first prompt that neither a step nor a summary has come after; -1 where there is none. */
export function unansweredFrom(view: readonly Message[]): number {
  const answered = view.findLastIndex(({ role }) => role === 'assistant');
  return view.findIndex((message, index) => index > answered && isPrompt(message));
}

/**
 * What the person said, the newest first to fit and the oldest first in order. The text that does not fit any more is cut
 * in its middle, and what is older is left out. Source: Codex, `build_compacted_history`.
 */
export function quotePrompts(
  messages: readonly Message[],
  budgetTokens: number,
  { estimator }: Pick<Policy, 'estimator'>,
): readonly string[] {
  const quoted: string[] = [];
  let leftTokens = budgetTokens;
  for (const text of textsOf(messages).toReversed()) {
    if (leftTokens <= 0) break;
    const tokens = estimateTokens(text.length, estimator);
    quoted.push(
      tokens <= leftTokens
        ? text
        : cutMiddle(text, Math.floor(leftTokens * estimator.charsPerToken)),
    );
    leftTokens -= tokens;
  }
  return quoted.toReversed();
}

/** Prompts that say so again. */
export function quoteMessages(texts: readonly string[], tools: Tools): readonly UserMessage[] {
  return texts.map((text) => ({
    id: tools.newId('message'),
    role: 'user',
    createdAt: tools.now,
    parts: [{ type: 'text', id: tools.newId('part'), text }],
  }));
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.filter(isPrompt).flatMap((message) => wordsOf(message) ?? []);
}

/** Beginning and end of a text, of so many characters together, and what was left out between them. */
function cutMiddle(text: string, chars: number): string {
  const head = Math.ceil(chars / 2);
  const left = text.length - chars;
  return `${beginningOf(text, head)}\n[${left} characters left out]\n${endOf(text, chars - head)}`;
}
