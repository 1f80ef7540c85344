import { quotedSummary } from '../extractive/head.ts';
import { toLine } from '../extractive/plain-text.ts';
import { splitSentences } from '../extractive/sentences.ts';
import { headTexts } from '../head-text.ts';
import type { SummaryRequest } from '../summarizer.ts';

/** A sentence or a line longer than that is cut: it holds no prose. */
const LONGEST_LINE = 2_000;
const LINE_END = /\r\n?|\n/;

/** Every raw line that a head says, oldest first, after those of the summary that its instruction quotes. */
export function headLines({ messages, prompt }: SummaryRequest): readonly string[] {
  return [quotedSummary(prompt), ...headTexts(messages)].flatMap((text) =>
    text.split(LINE_END).filter((line) => line.trim() !== ''),
  );
}

/** The sentences of a raw line, without white space around them and list marks before them. */
export function sentencesOf(line: string): readonly string[] {
  return splitSentences(toLine(line.slice(0, LONGEST_LINE)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
