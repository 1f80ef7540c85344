import type { Summarizer, SummarizerTools } from '../summarizer.ts';
import { fillAnswer, type Placed } from './fill.ts';
import { headLines, sentencesOf } from './lines.ts';

/** Sentences of the head by chance, every line as likely as any other. */
export function createRandomSentences(): Summarizer {
  return {
    name: 'random',
    summarise: (request, tools) => fillAnswer(request, pick(headLines(request), tools), tools),
  };
}

/** A sentence of each line in a shuffled order; a line is split only when it is its turn. */
function* pick(lines: readonly string[], { random }: SummarizerTools): Generator<Placed> {
  const order = lines.map((_, index) => index);
  for (let left = order.length; left > 0; left--) {
    const drawn = Math.floor(random() * left);
    const at = order[drawn] ?? 0;
    order[drawn] = order[left - 1] ?? 0;
    const sentences = sentencesOf(lines[at] ?? '');
    const text = sentences[Math.floor(random() * sentences.length)];
    if (text !== undefined) yield { text, at };
  }
}
