import type { Message } from '../../../../src/engine/index.ts';
import { loadVocabulary } from '../../../../src/simulator/session/redact/vocabulary.ts';
import {
  createKeyedHash,
  type KeyedHash,
} from '../../../../src/simulator/session/redact/cipher.ts';
import {
  createRedactor,
  type Redactor,
} from '../../../../src/simulator/session/redact/redactor.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { loadTokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';

/** A tokenizer and its tokens, loaded once for all tests of a file. */
export const tokenizer = await loadTokenizer('o200k_base');
const vocabulary = await loadVocabulary();

/** A hash under a salt that is not stretched, which would take long. */
export const hashOf = (salt: string): KeyedHash => createKeyedHash(Buffer.from(salt));

/** A redactor that has seen nothing. */
export const newRedactor = (salt = 'pepper'): Redactor =>
  createRedactor({
    vocabulary,
    hash: hashOf(salt),
    isKnownModel: (model) => model === 'lab/model',
  });

/** A session of messages with nothing else in it. */
export const sessionOf = (
  messages: readonly Message[],
  fields: Partial<Session> = {},
): Session => ({
  name: 'chat',
  format: 'openai-chat',
  isSide: false,
  isPartial: false,
  messages,
  recordedCompactions: [],
  isOutputFinal: true,
  report: { dropped: {}, repaired: {} },
  ...fields,
});

/** Everything of a value that somebody could read, also what JSON leaves out. */
export const written = (value: unknown): string =>
  JSON.stringify(value, (_, child: unknown) => (child instanceof Map ? [...child] : child));
