import {
  checkpointText,
  isCheckpoint,
  isSent,
  type Message,
  type Part,
  type RenderPolicy,
  renderPart,
  type SummaryRequest,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import { type CountText, countPart } from './count.ts';

/** True tokens of what a request holds. Each part is counted once in each of its forms. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: readonly Message[]): number;
  /** What a summary request holds: its system prompt stands for the overhead, and no tools go with it. */
  summaryInputTokens(request: SummaryRequest): number;
  /** A text on its own. */
  textTokens(text: string): number;
}

/** A ledger over a session's token basis. */
export function createLedger(basis: TokenBasis, count: CountText, render: RenderPolicy): Ledger {
  const { factor, perMessageTokens, overheadTokens } = basis;
  const byMessage = new WeakMap<Message, number>();
  const byPart = new WeakMap<Part, number>();

  const textTokens = (text: string) => Math.round(factor * count(text));
  const partTokens = (part: Part, role: Message['role']) =>
    remember(byPart, part, () => Math.round(factor * countPart(part, role, { render, count })));
  const messageTokens = (message: Message) =>
    remember(byMessage, message, () => {
      if (isCheckpoint(message, render)) {
        return textTokens(checkpointText(message)) + perMessageTokens;
      }
      const sent = message.parts.filter(
        (part) => renderPart(part, message.role, render).length > 0,
      );
      if (!isSent(message) || sent.length === 0) return 0;
      return sum(sent.map((part) => partTokens(part, message.role))) + perMessageTokens;
    });
  const viewTokens = (view: readonly Message[]) => sum(view.map(messageTokens));

  return {
    textTokens,
    contextTokens: (view) => overheadTokens + viewTokens(view),
    summaryInputTokens: ({ system, messages, prompt }) =>
      textTokens(system) + viewTokens(messages) + textTokens(prompt) + perMessageTokens,
  };
}

function remember<Key extends object>(
  cache: WeakMap<Key, number>,
  key: Key,
  compute: () => number,
): number {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = compute();
  cache.set(key, value);
  return value;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
