import type { AssistantMessage, Message, Usage } from '../../../src/engine/index.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import { sessionOf } from '../session/statistics/session.ts';

/** What a hand-made session is besides its steps. */
export interface WorldOptions extends Partial<Session> {
  /** Of each message, in characters; every second one is a step. */
  readonly sizes: readonly number[];
  /** Seconds between the messages. */
  readonly gapSeconds?: number;
}

/** A character of the hand-made world. */
export const TOKENS_PER_CHARACTER = 2;
/** Every message of it costs this much more. */
export const TOKENS_PER_MESSAGE = 5;
/** System prompt and tools of it. */
export const OVERHEAD_TOKENS = 4_000;

const SECOND_MS = 1_000;

/** Characters of a text count as tokens. */
export const countCharacters = (text: string): number => text.length;

/** What a request with these messages before it holds in that world. */
export function contextOf(messages: readonly { readonly parts: Message['parts'] }[]): number {
  const characters = messages
    .flatMap(({ parts }) => parts)
    .reduce((total, part) => total + (part.type === 'text' ? part.text.length : 0), 0);
  return OVERHEAD_TOKENS + TOKENS_PER_CHARACTER * characters + TOKENS_PER_MESSAGE * messages.length;
}

/** A session whose provider counted without error, and cached everything that had been sent before. */
export function worldOf({ sizes, gapSeconds = 10, ...over }: WorldOptions): Session {
  const messages: Message[] = [];
  for (const [index, size] of sizes.entries()) {
    const text = 'x'.repeat(size);
    const id = `m${index}`;
    const createdAt = index * gapSeconds * SECOND_MS;
    const parts = [{ type: 'text' as const, id: `${id}-1`, text }];
    if (index % 2 === 0) messages.push({ id, role: 'user', createdAt, parts });
    else messages.push(stepOf(messages, { id, createdAt, parts }));
  }
  return sessionOf(messages, {
    name: 'world.jsonl',
    format: 'pi',
    model: 'anthropic/claude-sonnet-4-5',
    ...over,
  });
}

/** The session with the usage of one message replaced. */
export function withUsage(session: Session, id: string, usage: Usage | undefined): Session {
  const messages = session.messages.map((message) => {
    if (message.id !== id || message.role !== 'assistant') return message;
    const { usage: _usage, ...rest } = message;
    return usage === undefined ? rest : { ...rest, usage };
  });
  return { ...session, messages };
}

/** The session with one step by another model. */
export function withModel(session: Session, id: string, model: string): Session {
  const messages = session.messages.map((message) =>
    message.id === id && message.role === 'assistant' ? { ...message, model } : message,
  );
  return { ...session, messages };
}

/** Usage of that much input. */
export function usageOf(cacheRead: number, cacheWrite: number, input = 0): Usage {
  return { input, output: 9, reasoning: 0, cacheRead, cacheWrite };
}

function stepOf(
  messages: readonly Message[],
  own: Pick<AssistantMessage, 'id' | 'createdAt' | 'parts'>,
): AssistantMessage {
  const last = messages.findLast((message) => message.role === 'assistant');
  const cached = last?.usage ? last.usage.cacheRead + last.usage.cacheWrite : 0;
  const usage = usageOf(cached, contextOf(messages) - cached);
  return { ...own, role: 'assistant', parentId: messages.at(-1)?.id ?? '', finish: 'stop', usage };
}
