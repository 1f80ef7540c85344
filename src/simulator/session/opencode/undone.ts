import type { Tally } from '../reading/tally.ts';
import type { OpencodeInfo, OpencodeMessage } from './record.ts';

/**
 * The messages that the person did not undo. The program keeps what was undone, so that it can be brought
 * back, until the next prompt or compaction; from then on it is gone. An unknown point undoes nothing.
 */
export function withoutUndone(
  messages: readonly OpencodeMessage[],
  revert: OpencodeInfo['revert'],
  tally: Tally,
): readonly OpencodeMessage[] {
  const { messageID: messageId, partID: partId } = revert ?? {};
  const index = messages.findIndex(({ info }) => info.id !== undefined && info.id === messageId);
  const message = messages[index];
  if (message === undefined) return messages;
  const kept = partId === undefined ? [] : [cutAt(message, partId, tally)];
  tally.drop('undone message', messages.length - index - kept.length);
  return [...messages.slice(0, index), ...kept];
}

/** The message up to a part; all of it where it has no such part. */
function cutAt(message: OpencodeMessage, partId: string, tally: Tally): OpencodeMessage {
  const index = message.parts.findIndex(({ id }) => id === partId);
  if (index < 0) return message;
  tally.drop('undone part', message.parts.length - index);
  return { ...message, parts: message.parts.slice(0, index) };
}
