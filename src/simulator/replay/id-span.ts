import type { ModelMessage } from '../../engine/index.ts';

/** The ids of calls and results in some messages, as the numbers of the first and the last of them. */
export interface IdSpan {
  /** -1 where there is no id. */
  readonly first: number;
  /** The same. */
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
    const met = messages.flatMap(({ content }) =>
      content.flatMap((one) =>
        one.type === 'tool-call' || one.type === 'tool-result' ? [numberOf(one.callId)] : [],
      ),
    );
    return met.length === 0 ? NO_IDS : { first: Math.min(...met), last: Math.max(...met) };
  };
}
