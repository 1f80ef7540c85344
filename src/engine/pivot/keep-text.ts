import { selectCheckpointTail } from './checkpoint-tail.ts';
import { estimateTokens } from '../estimate.ts';
import { isSummary, markerOf, type Message } from '../message.ts';
import type { Policy } from '../policy.ts';
import { flattenMessage } from './flatten.ts';

/** From which message on a checkpoint keeps messages as text, and that text; 0 and nothing where it keeps none. */
export interface KeptText {
  readonly start: number;
  readonly recent: string;
}

/** Longest tool output in the text of a checkpoint, in characters. Source: OpenCode 1.18.15 and later. */
const CHECKPOINT_OUTPUT_CHARS = 2_000;

/** What a checkpoint keeps of messages without markers, about that many tokens of it. Source: OpenCode 2.0. */
export function keepText(
  messages: readonly Message[],
  keepTokens: number,
  policy: Policy,
): KeptText {
  const { estimator } = policy;
  const texts = messages.map((message) => textOf(message, policy));
  const entries = messages.map((message, index) => {
    const length = texts[index]?.length ?? 0;
    const isUser = message.role === 'user';
    return length === 0 ? { isUser } : { isUser, sizeTokens: estimateTokens(length, estimator) };
  });
  const hasPreviousTail = messages.some(
    (message) => isSummary(message) && message.parts.length > 1,
  );
  const start = selectCheckpointTail(entries, { keepTokens, hasPreviousTail }) ?? 0;
  const kept = start === 0 ? [] : texts.slice(start).filter((text) => text !== '');
  return { start, recent: kept.join('\n\n') };
}

/** Whether a view has text that is in no checkpoint yet. */
export function hasText(view: readonly Message[], policy: Policy): boolean {
  return view.some((message) => textOf(message, policy) !== '');
}

/** A message as the text that a checkpoint keeps; empty for markers and for checkpoints themselves. */
function textOf(message: Message, { render: { clearedOutput } }: Policy): string {
  if (isSummary(message) || markerOf(message) !== undefined) return '';
  return flattenMessage(message, { clearedOutput, toolOutputChars: CHECKPOINT_OUTPUT_CHARS });
}
