import type { Summarizer } from '../summarizer.ts';
import { fillAnswer, type Placed } from './fill.ts';
import { headLines, sentencesOf } from './lines.ts';
import { rankByLinks } from './page-rank.ts';

/** Sentences that are compared with each other; of more, as many spread evenly over the head. */
const MOST_SENTENCES = 300;
/** A sentence with fewer different words resembles nothing. */
const FEWEST_WORDS = 2;

// The locale is fixed so that the machine's own does not move a boundary.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The sentences of the head that share most words with others, after Mihalcea and Tarau (2004). */
export function createTextRank(): Summarizer {
  return {
    name: 'textrank',
    summarise: (request, tools) => {
      const sentences = sampleSentences(headLines(request));
      const ranks = rankByLinks(linksBetween(sentences.map(({ text }) => wordsOf(text))));
      const ranked = sentences.toSorted((a, b) => (ranks[b.at] ?? 0) - (ranks[a.at] ?? 0));
      return fillAnswer(request, ranked, tools);
    },
  };
}

function sampleSentences(lines: readonly string[]): readonly Placed[] {
  return sampleEvenly(sampleEvenly(lines).flatMap(sentencesOf)).map((text, at) => ({ text, at }));
}

function sampleEvenly(texts: readonly string[]): readonly string[] {
  if (texts.length <= MOST_SENTENCES) return texts;
  const stride = texts.length / MOST_SENTENCES;
  return Array.from(
    { length: MOST_SENTENCES },
    (_, index) => texts[Math.floor(index * stride)] ?? '',
  );
}

function wordsOf(sentence: string): ReadonlySet<string> {
  const words = [...segmenter.segment(sentence.toLowerCase())];
  return new Set(words.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment));
}

/** How alike sentences are: words in common by the logarithms of their numbers of words. */
function linksBetween(sentences: readonly ReadonlySet<string>[]): readonly (readonly number[])[] {
  return sentences.map((words, index) =>
    sentences.map((others, other) => (index === other ? 0 : likeness(words, others))),
  );
}

function likeness(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size < FEWEST_WORDS || others.size < FEWEST_WORDS) return 0;
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return shared / (Math.log(words.size) + Math.log(others.size));
}
