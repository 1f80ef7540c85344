import type { ModelMessage } from '../../engine/index.ts';

/** The ids of calls and results in some messages, as the numbers of the first and the last of them. */
export interface IdSpan {
  /** -1 where there is no id. */
  readonly first: number;
  /** -1 where there is no id. */
  readonly last: number;
}

/** Gives the span of messages. */
export type SpanOf = (messages: readonly ModelMessage[]) => IdSpan;

/** The span of messages without ids. */
export const NO_IDS: IdSpan = { first: -1, last: -1 };

/**
 * Numbers ids in the order in which it meets them, so that messages have no id in common of which the span of one
 * begins after that of the other.
 */
export function createSpans(): SpanOf {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return number;
  };
  return (messages) => {
    let { first, last } = NO_IDS;
    for (const { content } of messages) {
      for (const one of content) {
        if (one.type !== 'tool-call' && one.type !== 'tool-result') continue;
        const number = numberOf(one.callId);
        first = first === NO_IDS.first ? number : Math.min(first, number);
        last = Math.max(last, number);
      }
    }
    return { first, last };
  };
}
