import { isObject } from '../../lib/json.ts';
import { toText } from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';
import { toMoment } from '../reading/time.ts';

/** An object of JSON of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** A message of OpenCode with its parts, as values of JSON. */
export interface StoredMessage {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

/** Messages and parts as they lie beside each other. */
export interface Pieces {
  readonly infos: readonly Fields[];
  readonly parts: readonly Fields[];
}

/**
 * Messages with their parts, oldest first. Of one id the last record holds, in the place of the first;
 * parts stand in the order in which they lie there, as the program itself reads them.
 */
export function gatherMessages(pieces: Pieces, tally: Tally): readonly StoredMessage[] {
  const infos = lastOfEach(pieces.infos);
  const parts = lastOfEach(pieces.parts);
  const byMessage = new Map<unknown, Fields[]>();
  for (const info of infos) byMessage.set(info['id'], []);
  for (const part of parts) byMessage.get(part['messageID'])?.push(part);
  const orphans = parts.filter((part) => !byMessage.has(part['messageID']));
  tally.drop('part without a message', orphans.length);
  const messages = infos.map((info) => ({ info, parts: byMessage.get(info['id']) ?? [] }));
  return sortByTime(messages);
}

/** Records in the order in which their ids came up, each as it was last; of those without an id, all. */
function lastOfEach(records: readonly Fields[]): readonly Fields[] {
  const byKey = new Map<unknown, Fields>();
  for (const record of records) {
    const { id, messageID } = record;
    byKey.set(typeof id === 'string' ? JSON.stringify([id, toText(messageID)]) : record, record);
  }
  return [...byKey.values()];
}

/** Ids begin again from time to time, so that only those of one moment tell which came first. */
function sortByTime(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  let time = 0;
  const timed = messages.map((message) => {
    time = timeOf(message) ?? time;
    return { message, time, id: toText(message.info['id']) ?? '' };
  });
  const sorted = timed.toSorted((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
  return sorted.map(({ message }) => message);
}

function timeOf({ info }: StoredMessage): number | undefined {
  return isObject(info['time']) ? toMoment(info['time']['created']) : undefined;
}
