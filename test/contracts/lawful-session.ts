import { expect } from 'vitest';
import type { Message, Part } from '../../src/engine/index.ts';
import type { Session } from '../../src/simulator/session/session.ts';

const TURN_ENDS = new Set(['stop', 'length', 'content-filter']);

/** What holds for every session, of whatever format. Most of what is drawn is looked at by them, so that none calls `expect` for each message. */
const SESSION_LAWS: Readonly<Record<string, (session: Session) => boolean>> = {
  'begins with a prompt': ({ messages }) => messages[0]?.role === 'user',
  'has an id of its own for each message and part': ({ messages }) =>
    areOwn(messages.flatMap(({ id, parts }) => [id, ...parts.flatMap(idsOf)])),
  'has an id of its own for each call': ({ messages }) => areOwn(callIdsOf(messages)),
  'links side sessions to calls that it has': ({ messages, sideSessions = [] }) => {
    const callIds = new Set(callIdsOf(messages));
    return sideSessions.every(({ callId }) => callIds.has(callId));
  },
  'has a time for each message': ({ messages }) =>
    messages.every(({ createdAt }) => createdAt >= 0 && isDate(createdAt)),
  'has each step answer a prompt before it': answersPrompts,
  'has no summaries of its own': ({ messages }) =>
    messages.every((message) => message.role === 'user' || message.summary === undefined),
  'goes on with calls until a turn ends': ({ messages }) =>
    messages.every(
      (message, index) => message.role === 'user' || endsAt(message.finish, messages[index + 1]),
    ),
  'has used no fewer tokens than none': ({ messages }) =>
    messages.every(
      (message) =>
        message.role === 'user' ||
        Object.values(message.usage ?? {}).every((tokens) => tokens >= 0),
    ),
  'has compactions in their order, and clearings behind a message': ({
    messages,
    recordedCompactions,
  }) =>
    recordedCompactions.every(
      ({ kind, messageIndex }, nth) =>
        (messageIndex > 0 || (kind === 'full' && messageIndex === 0)) &&
        messageIndex <= messages.length &&
        messageIndex >= (recordedCompactions[nth - 1]?.messageIndex ?? 0),
    ),
};

/** Checks what holds for every session. */
export function expectLawful(session: Session): void {
  const broken = Object.entries(SESSION_LAWS).filter(([, holds]) => !holds(session));
  expect(broken.map(([says]) => says)).toEqual([]);
}

function answersPrompts({ messages }: Session): boolean {
  const promptIds = new Set<string>();
  return messages.every((message) => {
    if (message.role === 'user') promptIds.add(message.id);
    return message.role === 'user' || promptIds.has(message.parentId);
  });
}

/** Allows an end of a step before the next message; only the last request may stay open. */
function endsAt(finish: string | undefined, next: Message | undefined): boolean {
  if (next?.role === 'assistant') return finish === 'tool-calls';
  return finish === undefined ? next === undefined : TURN_ENDS.has(finish);
}

function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : [])),
  );
}

/** The ids of a part and of the files that came with it. */
function idsOf(part: Part): readonly string[] {
  const files = part.type === 'tool' && part.state.status === 'completed' && part.state.attachments;
  return [part.id, ...(files || []).map(({ id }) => id)];
}

function areOwn(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length && !ids.includes('');
}

function isDate(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}
