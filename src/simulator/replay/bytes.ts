import {
  type Fold,
  foldOver,
  type Message,
  type ModelContent,
  renderMessage,
  type RenderPolicy,
} from '../../engine/index.ts';
import { contentOf } from './content.ts';

/** Counts the bytes of messages as a request carries them; each content is measured once. */
export function createByteCount(render: RenderPolicy): (view: readonly Message[]) => number {
  const known = new WeakMap<object, number>();
  const bytesOf = (message: Message) => {
    const content = contentOf(message);
    const bytes = known.get(content) ?? measure(message, render);
    known.set(content, bytes);
    return bytes;
  };
  const total: Fold<Message, number> = {
    start: 0,
    add: (bytes, message) => bytes + bytesOf(message),
  };
  return (view) => foldOver(view, total);
}

function measure(message: Message, render: RenderPolicy): number {
  return renderMessage(message, render)
    .flatMap(({ content }) => content)
    .reduce((total, content) => total + bytesOfContent(content), 0);
}

/** Bytes of one piece of a model message, data URLs included. */
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
