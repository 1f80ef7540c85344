import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toId, toList, toModelName, toText } from '../reading/lenient.ts';
import { createTally } from '../reading/tally.ts';
import { noConversation, toSession } from '../reading/transcript.ts';
import type { Session } from '../session.ts';
import { createChatReader, isChat, parseMessage } from './chat.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Sessions of nanocoder: chat messages with the model and the folder beside them. A compaction leaves no trace in them. */
export const nanocoder: SessionFormat = {
  label: 'nanocoder session (JSON)',
  certainty: 'mark',
  detect: (file) => isSession(file.json()),
  read: (file) => [readSession(file)],
  keeps: {
    tools: 'execute_bash string_replace find_files search_file_contents',
  },
};

function isSession(document: unknown): document is Fields {
  if (!isObject(document)) return false;
  const { id, lastAccessedAt, model, workingDirectory, messages } = document;
  const texts = [id, lastAccessedAt, model, workingDirectory];
  if (!texts.every((value) => typeof value === 'string')) return false;
  return Array.isArray(messages) && isChat(messages);
}

function readSession(file: SourceFile): Session {
  const tally = createTally();
  const json = file.json();
  const document = isSession(json) ? json : {};
  const values = toList(document['messages']).map(withImages);
  const reader = createChatReader(tally);
  const messages = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - messages.length);
  for (const message of messages) reader.readMessage(message);
  const { drafts, system } = reader.end();
  if (drafts.length === 0) throw noConversation(file.name, 'a session without messages');
  const [sessionId, folder] = [toId(document['id']), toId(document['workingDirectory'])];
  const model = toId(document['model']);
  return {
    ...toSession(file.name, 'nanocoder', {
      drafts,
      tally,
      model: model && toModelName(model, toId(document['provider'])),
      sessionId,
      system,
    }),
    ...(folder !== undefined && { folder }),
  };
}

/** A message with its images among its content, as other chats have them. */
function withImages(message: unknown): unknown {
  const images = isObject(message) ? toList(message['images']) : [];
  if (!isObject(message) || images.length === 0) return message;
  const pieces = images.map((image) => {
    const { data, mediaType } = isObject(image) ? image : {};
    const url = `data:${toText(mediaType) ?? 'image/*'};base64,${toText(data) ?? ''}`;
    return { type: 'image_url', image_url: { url } };
  });
  return { ...message, content: [{ type: 'text', text: message['content'] }, ...pieces] };
}
