import { canonicalJson, type ModelContent, type ModelMessage } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';

/** Messages by what they say, so that the same words are the same object, wherever they come from. */
export interface MessageStore {
  keep(message: ModelMessage): ModelMessage;
  /** The message itself where it came from this store. */
  find(value: unknown): ModelMessage | undefined;
}

/** A store without messages. */
export function createMessageStore(): MessageStore {
  const kept = new WeakMap<object, ModelMessage>();
  const messages = new Map<string, ModelMessage>();
  const contents = new Map<string, ModelContent>();

  const keepContent = (content: ModelContent): ModelContent =>
    keepIn(contents, canonicalJson(content), () => Object.freeze(content));
  const make = ({ role, content }: ModelMessage): ModelMessage =>
    Object.freeze({ role, content: Object.freeze(content.map(keepContent)) });
  return {
    keep: (message) => {
      const before = kept.get(message);
      if (before !== undefined) return before;
      const own = keepIn(messages, canonicalJson(message), () => make(message));
      kept.set(own, own);
      return own;
    },
    find: (value) => (typeof value === 'object' && value !== null ? kept.get(value) : undefined),
  };
}
