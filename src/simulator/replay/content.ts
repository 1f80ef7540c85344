import type { Message, Part } from '../../engine/index.ts';

/**
 * What a message says, as a key: the same in every run, although each run makes its messages anew. Of what
 * is sent in part only or in another form, the message itself.
 */
export function contentOf(message: Message): readonly Part[] | Message {
  const isPlain =
    message.role === 'user' || (message.error === undefined && message.summary !== true);
  return isPlain ? message.parts : message;
}
