import { createKeyedHash, stretchSalt } from '../session/redact/cipher.ts';
import { createRedactor } from '../session/redact/redactor.ts';
import { loadVocabulary } from '../session/redact/vocabulary.ts';
import type { SummaryAnswer } from './summarizer.ts';

/** An answer with filler of the same shape and size in the place of its words; each answer is the key of its own filler. */
export async function redactAnswer(answer: SummaryAnswer): Promise<SummaryAnswer> {
  if (answer.state === 'failed') return answer;
  const { text, reasoningText } = answer;
  const redactor = createRedactor({
    vocabulary: await loadVocabulary(),
    hash: createKeyedHash(stretchSalt(`${text}\n${reasoningText ?? ''}`)),
  });
  return {
    ...answer,
    text: redactor.redactText(text),
    ...(reasoningText !== undefined && { reasoningText: redactor.redactText(reasoningText) }),
  };
}
