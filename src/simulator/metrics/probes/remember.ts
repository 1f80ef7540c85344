import { keepIn } from '../../lib/collections.ts';
import type { Reader, ReaderAnswer } from './probe.ts';

/** A reader that is asked the same only once. */
export function createRemembering(reader: Reader): Reader {
  const answers = new Map<string, Promise<ReaderAnswer>>();
  return {
    name: reader.name,
    answer: (prompt) => {
      const key = JSON.stringify([prompt.system, prompt.context, prompt.question]);
      return keepIn(answers, key, () => reader.answer(prompt));
    },
  };
}
