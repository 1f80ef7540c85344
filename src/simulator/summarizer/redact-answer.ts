import { createKeyedHash, stretchSalt } from '../session/redact/cipher.ts';
import { createRedactor } from '../session/redact/redactor.ts';
import { readVocabulary } from '../tokens/encodings.ts';
import { loadTokenizer } from '../tokens/tokenizer.ts';
import type { SummaryAnswer } from './summarizer.ts';

/** Whose counts the filler has too. */
const TOKENIZER = 'o200k_base';

/** An answer with filler of the same shape and size in the place of its words; each answer is the key of its own filler. */
export async function redactAnswer(answer: SummaryAnswer): Promise<SummaryAnswer> {
  if (answer.state === 'failed') return answer;
  const { text, reasoningText } = answer;
  const redactor = createRedactor({
    tokenizer: await loadTokenizer(TOKENIZER),
    vocabulary: readVocabulary(TOKENIZER),
    hash: createKeyedHash(stretchSalt(`${text}\n${reasoningText ?? ''}`)),
  });
  return {
    ...answer,
    text: redactor.redactText(text),
    ...(reasoningText !== undefined && { reasoningText: redactor.redactText(reasoningText) }),
  };
}
