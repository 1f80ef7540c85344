/** Scripted summarizers of a given length. */

import type { SummaryRequest } from '../../../engine/index.ts';
import { askedHeadings } from '../asked-headings.ts';
import { buildFiller, CHINESE_WORDS } from '../filler.ts';
import { headTexts } from '../head-text.ts';
import type { FinishedAnswer, Summarizer, SummarizerTools } from '../summarizer.ts';

/** A summarizer that always writes something, or nothing. */
export interface Writer extends Summarizer {
  summarise(request: SummaryRequest, tools: SummarizerTools): FinishedAnswer;
}

/** How long most scripted answers are, measured by the head. */
export const DEFAULT_RATIO = 0.1;
/** How long an answer of `scripted:tokens` is. */
export const DEFAULT_TOKENS = 1_000;
/** How long an answer of `scripted:grow` is, measured by the head. */
export const GROWTH_RATIO = 1.2;

const CHINESE = /\p{Script=Han}/gu;
/** From this share of its characters on a text counts as Chinese. */
const CHINESE_SHARE = 0.1;

/** Filler of that fraction of the head's tokens, and of one token at least where the head has any. */
export function createRatio(name: string, ratio: number): Writer {
  return { name, summarise: (request, tools) => finished(ratioText(request, ratio, tools)) };
}

/** Filler of always as many tokens, whatever the head. */
export function createFixed(name: string, tokens: number): Writer {
  return { name, summarise: (request, tools) => finished(fillerOf(tokens, request, tools)) };
}

/** Filler that the limit on an answer cut off, after that many tokens or a share of the head. */
export function createCut(name: string, tokens?: number): Summarizer {
  const whole = tokens === undefined ? createRatio(name, DEFAULT_RATIO) : createFixed(name, tokens);
  return {
    name,
    summarise: (request, tools) => ({ ...whole.summarise(request, tools), finish: 'length' }),
  };
}

/** No text at all. */
export function createEmpty(name: string): Summarizer {
  return { name, summarise: () => finished('') };
}

/** The head's own text. */
export function createEcho(name: string): Summarizer {
  return { name, summarise: ({ messages }) => finished(headTexts(messages).join('\n')) };
}

/** Filler in Chinese, without the headings; in English where the head is Chinese. */
export function createOtherLanguage(name: string): Summarizer {
  return {
    name,
    summarise: (request, tools) => {
      const words = isChinese(headTexts(request.messages).join('\n')) ? undefined : CHINESE_WORDS;
      const tokens = tokensFor(request, DEFAULT_RATIO, tools);
      return finished(buildFiller(tokens, counterOf(tools), words));
    },
  };
}

/** An answer that ended as the model wanted. */
export function finished(text: string): FinishedAnswer {
  return { state: 'finished', text, finish: 'stop' };
}

/** Filler of a share of the head. */
export function ratioText(request: SummaryRequest, ratio: number, tools: SummarizerTools): string {
  return fillerOf(tokensFor(request, ratio, tools), request, tools);
}

/** Tokens of everything that a head says. */
export function countHead({ messages }: SummaryRequest, tools: SummarizerTools): number {
  return headTexts(messages).reduce((sum, text) => sum + tools.countTokens(text), 0);
}

/** Filler below the first heading that is asked for, so that no guard takes it for an answer to something else. */
function fillerOf(tokens: number, request: SummaryRequest, tools: SummarizerTools): string {
  const count = counterOf(tools);
  const [heading] = askedHeadings(request.prompt);
  const start = heading === undefined ? '' : `${heading}\n`;
  const freeTokens = tokens - count(start);
  return freeTokens > 0 ? start + buildFiller(freeTokens, count) : buildFiller(tokens, count);
}

function tokensFor(request: SummaryRequest, ratio: number, tools: SummarizerTools): number {
  const headTokens = countHead(request, tools);
  return headTokens === 0 ? 0 : Math.max(1, Math.round(headTokens * ratio));
}

function counterOf(tools: SummarizerTools): (text: string) => number {
  return (text) => tools.countTokens(text);
}

function isChinese(text: string): boolean {
  return (text.match(CHINESE)?.length ?? 0) > text.length * CHINESE_SHARE;
}
