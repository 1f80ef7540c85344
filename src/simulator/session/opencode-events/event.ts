import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { Fields } from '../opencode/gather.ts';
import { maybeId, maybeText } from '../reading/lenient.ts';

/** Something that the server told its listeners. */
export interface OpencodeEvent {
  readonly type: string;
  readonly properties: Fields;
}

/** A piece of a text that is being written. */
export type Delta = z.infer<typeof deltaSchema>;

const deltaSchema = z.object({
  messageID: maybeId,
  partID: z.string(),
  field: maybeText,
  delta: z.string(),
});

/** What events are about that say nothing of a conversation. */
const OTHER_SUBJECTS = new Set(
  `command file global ide installation lsp mcp permission project pty question server storage
  todo tui vcs workspace worktree`.split(/\s+/),
);

/** Kinds of events about a session and its messages. */
const KNOWN_TYPES = new Set([
  'message.updated',
  'message.removed',
  'message.part.updated',
  'message.part.delta',
  'message.part.removed',
  'session.created',
  'session.updated',
  'session.deleted',
  'session.compacted',
  'session.diff',
  'session.error',
  'session.idle',
  'session.status',
]);

/** The event of a recorded line, which may stand in an envelope; `undefined` if it is none. */
export function parseEvent(line: unknown): OpencodeEvent | undefined {
  if (!isObject(line)) return undefined;
  const event = [line['event'], line['payload'], line].find(
    (value) =>
      isObject(value) && typeof value['type'] === 'string' && isObject(value['properties']),
  );
  return event as OpencodeEvent | undefined;
}

/** Whether an event is of a type that this program's server has. */
export function isKnown({ type }: OpencodeEvent): boolean {
  return KNOWN_TYPES.has(type) || OTHER_SUBJECTS.has(type.slice(0, type.indexOf('.')));
}

/** Whether an event brings a message that can be placed. */
export function isMessageEvent({ type, properties }: OpencodeEvent): boolean {
  return type === 'message.updated' && isMessage(properties['info']);
}

/** Whether a value is a message that can be placed: it has an id, and a session that it belongs to. */
export function isMessage(info: unknown): boolean {
  return isObject(info) && typeof info['sessionID'] === 'string' && typeof info['id'] === 'string';
}

/** The piece of text that an event brings, or `undefined` if it brings none that can be placed. */
export function parseDelta(properties: Fields): Delta | undefined {
  return deltaSchema.safeParse(properties).data;
}
