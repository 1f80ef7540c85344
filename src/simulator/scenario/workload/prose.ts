import * as z from 'zod';
import type { Piece } from './plan.ts';
import { compose, createSource, type TextSource, type Words } from './words.ts';
import { type Language, LANGUAGES, shippedTexts } from './workload.ts';

/** A speaker and a language: people ask, the model reports. */
export interface Voice {
  readonly language: Language;
  readonly speaker: 'user' | 'model';
}

/** Sentences about a project by language and speaker. */
const sentences = shippedTexts(
  'prose',
  z.record(
    z.enum(LANGUAGES),
    z.strictObject({ user: z.array(z.string()), model: z.array(z.string()) }),
  ),
);

/** The voice of a model to itself and to tools. */
export const TOOL_VOICE: Voice = { language: 'english', speaker: 'model' };

/** Languages that put no space between sentences. */
const UNSPACED: readonly Language[] = ['chinese', 'japanese'];
/** End of a sentence; after anything else the next one would read on. */
const ENDED = /[.!?]$/;
/** Share of sentences that end a paragraph. */
const PARAGRAPH_RATE = 0.15;

/** Prose of exactly the characters of a piece. */
export function writeProse(piece: Piece, voice: Voice, words: Words): string {
  const text = compose(piece, proseSource(voice, words));
  const end = UNSPACED.includes(voice.language) ? '。' : '.';
  return /[\p{L}\p{N}\s,，、(（]$/u.test(text) ? `${text.slice(0, -1)}${end}` : text;
}

/** Sentences one after another, in paragraphs. */
export function proseSource({ language, speaker }: Voice, words: Words): TextSource {
  const templates = sentences()[language][speaker];
  const gap = UNSPACED.includes(language) ? '' : ' ';
  const end = () => (words.draw.isTrue(PARAGRAPH_RATE) ? '\n\n' : gap);
  return createSource(
    () => `${words.fill(words.draw.word(templates))}${end()}`,
    (sentence) => `${sentence}${gap === '' || !ENDED.test(sentence) ? '\n' : gap}`,
  );
}
