import type { Message, Part } from '../../../engine/index.ts';
import { contentHash } from '../../lib/json.ts';
import type { Session } from '../session.ts';

/** What tells the messages of a session from all others. */
export interface Marks {
  /** A number for each message, which its copy in another session has as well. */
  readonly ofMessages: Float64Array;
  /** How many messages two sessions have to begin alike with before that is no chance; infinite where nothing tells. */
  readonly least: number;
}

/** How the messages of a recorder are known again. */
interface Evidence {
  /** What no two messages share by chance; empty where there is nothing of the kind. */
  of(message: Message): string;
  describe(part: Part): string;
}

/** By when they came and how large they are, and not by what they say, so that redacted ones are known as well. */
const BY_TIME: Evidence = {
  of: ({ createdAt }) => (createdAt > 0 ? String(createdAt) : ''),
  describe: (part) => `${part.type} ${sizeOf(part)}`,
};

/** By the ids of their calls and by their texts. */
const BY_CALLS: Evidence = {
  of: ({ parts }) => parts.flatMap((part) => (part.type === 'tool' ? part.callId : [])).join('\n'),
  describe: (part) => (part.type === 'text' ? part.text : BY_TIME.describe(part)),
};

/** Recorders that date a copied message by when they copied it; the ids of its calls stay. */
const DATES_COPIES: ReadonlySet<string> = new Set(['codex']);

/** Hexadecimal digits of a hash that a number holds exactly. */
const MARK_DIGITS = 12;

/** The marks of all messages of a session. */
export function markMessages({ format, messages }: Pick<Session, 'format' | 'messages'>): Marks {
  const evidence = DATES_COPIES.has(format) ? BY_CALLS : BY_TIME;
  const first = messages.findIndex(
    (message) => message.role === 'assistant' && evidence.of(message) !== '',
  );
  return {
    ofMessages: Float64Array.from(messages, (message) => markOf(message, evidence)),
    least: first === -1 ? Number.POSITIVE_INFINITY : first + 1,
  };
}

/** Characters of what was said or came back, and one for the part itself. */
export function sizeOf(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return 1 + part.text.length;
  if (part.type !== 'tool') return 1;
  if (part.state.status === 'completed') return 2 + part.state.output.length;
  return part.state.status === 'error' ? 2 + part.state.error.length : 1;
}

/** A number that two values share by no chance. */
export function toMark(value: unknown): number {
  return Number.parseInt(contentHash(value).slice(0, MARK_DIGITS), 16);
}

function markOf(message: Message, evidence: Evidence): number {
  const parts = message.parts.map((part) => evidence.describe(part));
  return toMark([message.role, evidence.of(message), ...parts]);
}
