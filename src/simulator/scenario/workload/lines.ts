/** Made-up output of commands, line by line. */

import * as z from 'zod';
import { createSource, type TextSource, type Words } from './words.ts';
import { shippedTexts } from './workload.ts';

const OUTPUTS = ['test', 'log', 'listing', 'paths', 'history', 'status', 'build', 'trace'] as const;

/** A kind of output. */
export type OutputKind = (typeof OUTPUTS)[number];

const outputs = shippedTexts('outputs', z.record(z.enum(OUTPUTS), z.array(z.string())));

/** Output of one kind, some lines before it. */
export function lineSource(
  kind: OutputKind,
  words: Words,
  first: readonly string[] = [],
): TextSource {
  const templates = outputs()[kind];
  return sourceOf(() => words.fill(words.draw.word(templates)), first);
}

/** Lines from a function, some lines before them. */
export function sourceOf(nextLine: () => string, first: readonly string[] = []): TextSource {
  const waiting = [...first];
  return createSource(
    () => `${waiting.shift() ?? nextLine()}\n`,
    (sentence) => `${sentence}\n`,
  );
}

/** A source with a text before it. */
export function startWith(text: string, source: TextSource): TextSource {
  let rest = text;
  return {
    peek: () => (rest === '' ? source.peek() : rest),
    take: () => {
      if (rest === '') source.take();
      rest = '';
    },
    hold: (sentence) => source.hold(sentence),
  };
}
