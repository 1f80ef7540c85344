import { isObject } from '../../lib/json.ts';
import type { SessionFormat } from '../format.ts';
import type { Block } from '../reading/content.ts';
import { toId, toList, toModelName, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { isChat, readChat } from './chat.ts';

/** Sessions of nanocoder: chat messages with the model and the folder beside them. A compaction leaves no trace in them. */
export const nanocoder: SessionFormat = {
  label: 'nanocoder session (JSON)',
  certainty: 'mark',
  detect: (file) => isSession(file.json()),
  read: readRecording({ format: 'nanocoder' }, (recording, file) => {
    const document = file.json();
    return isSession(document) ? readSession(recording, document) : undefined;
  }),
  keeps: {
    tools: 'execute_bash string_replace find_files search_file_contents',
  },
};

function isSession(document: unknown): document is Block {
  if (!isObject(document)) return false;
  const { id, lastAccessedAt, model, workingDirectory, messages } = document;
  const texts = [id, lastAccessedAt, model, workingDirectory];
  if (!texts.every((value) => typeof value === 'string')) return false;
  return Array.isArray(messages) && isChat(messages);
}

function readSession(recording: Recording, document: Block): Facts {
  readChat(recording, toList(document['messages']).map(withImages));
  const model = toId(document['model']);
  return {
    sessionId: toId(document['id']),
    folder: toId(document['workingDirectory']),
    model: model && toModelName(model, toId(document['provider'])),
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
