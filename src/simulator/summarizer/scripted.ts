import { isRequest, type Message, type SummaryRequest } from '../../engine/index.ts';
import { keepIn, sum } from '../lib/collections.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import type { Failure } from '../scenario/scenario.ts';
import said from './scripted.json' with { type: 'json' };
import {
  askedHeadings,
  budgetTokens,
  type FailedAnswer,
  type FinishedAnswer,
  headTexts,
  quotedSummary,
  saidTexts,
  type SummarizerEntry,
  type SummarizerTools,
} from './summarizer.ts';

const RATIO = { what: 'ratio', most: 10, isWhole: false } as const;
const TOKENS = { what: 'tokens', most: 100_000, isWhole: true, example: 500 } as const;
const SECONDS = { what: 'seconds', most: 3_600, isWhole: false, example: 30 } as const;
const USUAL_RATIO = 0.1;
const BAD_REQUEST = 400;

/** Words of which filler consists; each is one or two tokens in common tokenizers. */
const WORDS = said.words.split(' ');

const WORDS_PER_SENTENCE = 11;
const SAMPLE_WORDS = 200;
const MOST_CORRECTIONS = 12;
const REPEATED_CHARS = 400;
const CHINESE = /\p{Script=Han}/gu;
const CHINESE_SHARE = 0.1;
/** Filler by who counts it: runs of one session ask for the same again. */
const fillers = new WeakMap<SummarizerTools['countTokens'], Map<string, string>>();

/** Scripted summarizers, one misbehaviour a row. Source: users and failures, section 0.3. */
export const scripted = {
  'scripted:ratio': {
    describes:
      'Filler a tenth as long as the head; scripted:ratio=0.25 sets another fraction, up to 10',
    answers: (ratio) => (request, tools) => finished(ratioText(request, tools, ratio)),
    takes: { ...RATIO, example: 0.25 },
  },
  'scripted:tokens': {
    describes: 'A thousand tokens of filler; scripted:tokens=500 sets another number, up to 100000',
    answers:
      (tokens = 1_000) =>
      (request, tools) =>
        finished(fillerOf(tokens, request, tools)),
    takes: TOKENS,
  },
  'scripted:usual': {
    describes: 'Filler as long as recorded summaries, and at most a tenth as long as the head',
    answers: () => writeUsual,
  },
  'scripted:empty': { describes: 'A summary without text', answers: () => () => finished('') },
  'scripted:grow': {
    describes: 'Filler a fifth longer than the head; scripted:grow=2 is twice as long',
    answers:
      (ratio = 1.2) =>
      (request, tools) =>
        finished(ratioText(request, tools, ratio)),
    takes: { ...RATIO, example: 2 },
  },
  'scripted:cut': {
    describes: 'Filler a tenth as long as the head, cut off mid-sentence at the output limit',
    answers: (tokens) => (request, tools) => {
      const text =
        tokens === undefined ? ratioText(request, tools) : fillerOf(tokens, request, tools);
      return { ...finished(text), finish: 'length' };
    },
    takes: TOKENS,
  },
  'scripted:echo': {
    describes: "The head's own text",
    answers:
      () =>
      ({ messages }) =>
        finished(headTexts(messages).join('\n')),
  },
  'scripted:lossy': {
    describes:
      "The head's own lines, each kept with a probability of 0.7; scripted:lossy=0.9 sets another",
    // Losses are random only, so the expected measure is known.
    answers:
      (keep = 0.7) =>
      ({ messages, prompt }, { random }) => {
        const texts = [quotedSummary(prompt), ...headTexts(messages)];
        const lines = texts.flatMap((text) => text.split('\n'));
        const kept = lines.filter((line) => line.trim() !== '' && random() < keep);
        return finished([...askedHeadings(prompt).slice(0, 1), ...kept].join('\n'));
      },
    takes: { what: 'probability', most: 1, isWhole: false, example: 0.9 },
  },
  'scripted:tool-call': {
    describes: 'A tool call instead of text',
    answers: () => () => ({ ...finished(said.toolCall), finish: 'tool-calls' }),
  },
  'scripted:reasoning': {
    describes: 'Reasoning without text',
    answers: () => () => ({ ...finished(''), reasoningText: said.thought }),
  },
  'scripted:refuse': { describes: 'A polite refusal', answers: () => () => finished(said.refusal) },
  'scripted:answer': {
    describes: "An answer to the user's last request, not a summary",
    answers:
      () =>
      ({ messages }) =>
        finished(`Sure, I will do that now: ${newestRequest(messages)}`),
  },
  'scripted:language': {
    describes: 'Filler in Chinese, or in English where the session is Chinese',
    answers: () => (request, tools) => {
      const head = headTexts(request.messages).join('\n');
      const isChinese = (head.match(CHINESE)?.length ?? 0) > head.length * CHINESE_SHARE;
      const tokens = shareOf(countHead(request, tools));
      return finished(buildFiller(tokens, tools, isChinese ? undefined : said.chinese.split(' ')));
    },
  },
  'scripted:quote': {
    describes: 'Filler with quotes that the user never said',
    answers: () => (request, tools) =>
      finished(`${ratioText(request, tools)}\n\nThe user said: "${said.fabricated}"`),
  },
  'scripted:fail': {
    describes: 'A failure other than an overflow',
    answers: () => () => ({
      state: 'failed',
      reason: 'The summarizer fails by its script.',
      isOverflow: false,
    }),
  },
  'scripted:429': {
    describes: 'Too Many Requests (429), every time; scripted:429=30 asks to wait 30 seconds',
    answers: (seconds) => () =>
      failed('429 Too Many Requests', {
        type: 'rate-limit',
        ...(seconds !== undefined && { retryAfterMs: seconds * MS_PER_SECOND }),
      }),
    takes: SECONDS,
  },
  'scripted:500': {
    describes: 'A server error; scripted:500=503 has another status',
    answers:
      (statusCode = 500) =>
      () => {
        const message = `${statusCode} The server had an error while processing your request.`;
        return { ...failed(message, { type: 'fail', message }), error: { message, statusCode } };
      },
    takes: { what: 'status', most: 599, isWhole: true, example: 503 },
  },
  'scripted:slow': {
    describes:
      'Filler a tenth as long as the head, after two minutes; scripted:slow=30 takes 30 seconds',
    answers:
      (seconds = 120) =>
      (request, tools) => ({
        ...finished(ratioText(request, tools)),
        call: { latencyMs: Math.round(seconds * MS_PER_SECOND) },
      }),
    takes: SECONDS,
  },
  'scripted:abort': {
    describes: 'Aborted by the user after 100 tokens; scripted:abort=500 after 500',
    answers:
      (afterTokens = 100) =>
      () =>
        failed(`aborted after ${afterTokens} tokens`, { type: 'abort', afterTokens }),
    takes: TOKENS,
  },
  'scripted:overflow': {
    describes:
      'Refuses requests of more than 32000 tokens; scripted:overflow=500 sets another window',
    answers:
      (windowTokens = 32_000) =>
      (request, tools) => {
        const { countTokens } = tools;
        const own = countTokens(request.system) + countTokens(request.prompt);
        const tokens = countHead(request, tools) + own;
        if (tokens <= windowTokens) return finished(ratioText(request, tools));
        const message = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
        const statusCode = BAD_REQUEST;
        return {
          ...failed(message, { type: 'overflow', statusCode, message }),
          isOverflow: true,
          error: { message, statusCode },
        };
      },
    takes: { ...TOKENS, most: 10_000_000 },
  },
} satisfies Record<string, SummarizerEntry>;

function finished(text: string): FinishedAnswer {
  return { state: 'finished', text, finish: 'stop' };
}

function failed(reason: string, failure: Failure): FailedAnswer {
  return { state: 'failed', reason, isOverflow: false, failure };
}

/** Inputs of calls are left out, so that it is as long where a head has sizes and no texts. */
function writeUsual(request: SummaryRequest, tools: SummarizerTools) {
  // A cap cuts it off like any other answer.
  const { outputCapTokens: _, ...uncapped } = request;
  const saidTokens = sum(saidTexts(request.messages).map((text) => tools.countTokens(text)));
  const tokens = Math.min(budgetTokens(uncapped), shareOf(saidTokens));
  return finished(fillerOf(tokens, request, tools));
}

function ratioText(request: SummaryRequest, tools: SummarizerTools, ratio?: number) {
  return fillerOf(shareOf(countHead(request, tools), ratio), request, tools);
}

/** Filler below the first heading, so that no guard takes it for an answer to something else. */
function fillerOf(tokens: number, request: SummaryRequest, tools: SummarizerTools) {
  const [heading] = askedHeadings(request.prompt);
  const start = heading === undefined ? '' : `${heading}\n`;
  const known = fillers.get(tools.countTokens) ?? new Map<string, string>();
  fillers.set(tools.countTokens, known);
  return keepIn(known, `${tokens} ${start}`, () => {
    const freeTokens = tokens - tools.countTokens(start);
    return freeTokens > 0 ? start + buildFiller(freeTokens, tools) : buildFiller(tokens, tools);
  });
}

function buildFiller(tokens: number, tools: SummarizerTools, source: readonly string[] = WORDS) {
  if (tokens <= 0) return '';
  const countWords = (words: number) => tools.countTokens(writeWords(words, source));
  const tokensPerWord = Math.max(countWords(SAMPLE_WORDS) / SAMPLE_WORDS, 1 / 8);
  let words = Math.max(1, Math.round(tokens / tokensPerWord));
  let best = { words, distance: Number.POSITIVE_INFINITY };
  for (let corrections = 0; corrections < MOST_CORRECTIONS; corrections++) {
    const missing = tokens - countWords(words);
    if (Math.abs(missing) < best.distance) best = { words, distance: Math.abs(missing) };
    if (missing === 0) break;
    const missingWords = Math.max(1, Math.round(Math.abs(missing) / tokensPerWord));
    words = Math.max(1, words + Math.sign(missing) * missingWords);
  }
  return writeWords(best.words, source);
}

function writeWords(count: number, source: readonly string[]) {
  const words = Array.from({ length: count }, (_, index) => {
    const word = source[index % source.length] ?? '';
    return (index + 1) % WORDS_PER_SENTENCE === 0 ? `${word}.` : word;
  });
  return words.join(' ');
}

function shareOf(headTokens: number, ratio = USUAL_RATIO) {
  return headTokens === 0 ? 0 : Math.max(1, Math.round(headTokens * ratio));
}

function countHead({ messages }: SummaryRequest, tools: SummarizerTools) {
  return sum(headTexts(messages).map((text) => tools.countTokens(text)));
}

function newestRequest(messages: readonly Message[]) {
  const texts = messages
    .findLast(isRequest)
    ?.parts.flatMap((part) => (part.type === 'text' && part.synthetic !== true ? [part.text] : []));
  return (texts ?? []).join('\n').slice(0, REPEATED_CHARS);
}
