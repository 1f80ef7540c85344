import type { Piece } from '../plan.ts';
import type { Language } from '../workload.ts';
import { compose, createSource, type TextSource } from './compose.ts';
import { sentences, type Speaker } from './sentences.ts';
import type { Words } from './words.ts';

/** Who speaks in which language. */
export interface Voice {
  readonly language: Language;
  readonly speaker: Speaker;
}

/** How a model writes to itself and to tools. */
export const TOOL_VOICE: Voice = { language: 'english', speaker: 'model' };

/** Languages that put no space between sentences. */
const UNSPACED: readonly Language[] = ['chinese', 'japanese'];
/** What ends a sentence; after anything else, as a path, the next one would go on with it. */
const ENDED = /[.!?]$/;
/** How often a sentence ends its paragraph. */
const PARAGRAPH_RATE = 0.15;

/** Prose of exactly the characters of a piece. */
export function writeProse(piece: Piece, voice: Voice, words: Words): string {
  const { language } = voice;
  const text = compose(piece, proseSource(voice, words));
  const end = UNSPACED.includes(language) ? '。' : '.';
  return /[\p{L}\p{N}\s,，、(（]$/u.test(text) ? `${text.slice(0, -1)}${end}` : text;
}

/** Sentences one after another, in paragraphs. */
export function proseSource({ language, speaker }: Voice, words: Words): TextSource {
  const gap = UNSPACED.includes(language) ? '' : ' ';
  const end = () => (words.draw.isTrue(PARAGRAPH_RATE) ? '\n\n' : gap);
  const templates = sentences[language][speaker];
  return createSource(
    () => `${words.draw.one(templates)?.(words) ?? ''}${end()}`,
    (sentence) => `${sentence}${gap === '' || !ENDED.test(sentence) ? '\n' : gap}`,
  );
}
