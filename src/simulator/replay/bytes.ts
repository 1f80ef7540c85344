import type { ModelContent, ModelMessage } from '../../engine/index.ts';

/** Bytes of what model messages hold, data URLs included. */
export function bytesOf(messages: readonly ModelMessage[]): number {
  let bytes = 0;
  for (const { content } of messages) {
    for (const one of content) bytes += bytesOfContent(one);
  }
  return bytes;
}

/** Bytes of one piece of a model message. */
export function bytesOfContent(content: ModelContent): number {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return Buffer.byteLength(content.text);
    case 'file':
      return Buffer.byteLength(content.url);
    case 'tool-call':
      return Buffer.byteLength(JSON.stringify(content.input) ?? '');
    case 'tool-result':
      return content.attachments.reduce(
        (total, { url }) => total + Buffer.byteLength(url),
        Buffer.byteLength(content.output),
      );
  }
}
