import { randomBytes } from 'node:crypto';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { createRedactor } from '../../simulator/session/redact/redactor.ts';
import { loadTokenizer } from '../../simulator/tokens/tokenizer.ts';
import { readVocabulary } from '../../simulator/tokens/vocabulary.ts';
import type { Redaction } from './import-sessions.ts';

/** Whose counts the filler has too. */
const TOKENIZER = 'o200k_base';
const SALT_BYTES = 32;

/** Redaction that nobody can repeat, or, with a salt of one's own, that gives the same filler again. */
export async function loadRedaction(
  salt: string = randomBytes(SALT_BYTES).toString('hex'),
): Promise<Redaction> {
  const tokenizer = await loadTokenizer(TOKENIZER);
  const vocabulary = readVocabulary(TOKENIZER);
  const { models } = readCatalog();
  const isKnownModel = (model: string) => models.has(model);
  return { createRedactor: () => createRedactor({ tokenizer, vocabulary, salt, isKnownModel }) };
}
