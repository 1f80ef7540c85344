import type { SessionFormat } from '../format.ts';
import {
  type Fields,
  fieldsOf,
  objectsIn,
  toId,
  toList,
  toModel,
  toText,
} from '../reading/lenient.ts';
import { readRecording } from '../reading/recording.ts';
import { isChat, readChat } from './openai-chat.ts';

/** Sessions of nanocoder: chat messages with the model and the folder beside them. A compaction leaves no trace in them. */
export const nanocoder: SessionFormat = {
  label: 'nanocoder session (JSON)',
  certainty: 'mark',
  detect: (file) => {
    const { id, lastAccessedAt, model, workingDirectory, messages } = fieldsOf(file.json());
    const texts = [id, lastAccessedAt, model, workingDirectory];
    if (!texts.every((value) => typeof value === 'string')) return false;
    return Array.isArray(messages) && isChat(messages);
  },
  read: readRecording({ format: 'nanocoder' }, (recording, file) => {
    const { id, messages, model, provider, workingDirectory: folder } = fieldsOf(file.json());
    readChat(
      recording,
      toList(messages).map((message) => withImages(fieldsOf(message))),
    );
    return { sessionId: toId(id), folder: toId(folder), model: toModel(model, provider) };
  }),
  keeps: { tools: 'execute_bash string_replace find_files search_file_contents' },
};

function withImages(message: Fields): Fields {
  const { images, content } = message;
  const pieces = objectsIn(images).map(({ data, mediaType }) => ({
    type: 'image',
    data,
    mimeType: toText(mediaType) ?? 'image/*',
  }));
  return pieces.length === 0
    ? message
    : { ...message, content: [{ type: 'text', text: content }, ...pieces] };
}
