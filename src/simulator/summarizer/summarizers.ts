import { expectKind } from '../../engine/internal.ts';
import { sum } from '../lib/collections.ts';
import { badOption } from '../lib/errors.ts';
import { splitSentences, toLine } from '../lib/lines.ts';
import { named, quoted } from '../lib/names.ts';
import { bullet, clipToTokens, fillTemplate } from './extractive/extractive.ts';
import { scripted } from './scripted.ts';
import {
  askedHeadings,
  budgetTokens,
  headTexts,
  longestFitting,
  quotedSummary,
  type Summarizer,
  type SummarizerEntry,
  type SummarizerTools,
  type SummaryAnswer,
  type SummaryRequest,
  type TakenNumber,
} from './summarizer.ts';

export type Content = 'texts' | 'sizes';

interface Placed {
  readonly text: string;
  readonly at: number;
}

type Room = Parameters<typeof clipToTokens>[1];

const MOST_MISSES = 8;
const LONGEST_LINE = 2_000;
const LINE_END = /\r\n?|\n/;
const MOST_SENTENCES = 300;
const ROUNDS = 10;
const DAMPING = 0.85;
const FEWEST_WORDS = 2;
// The locale is fixed so that the machine's own does not move a boundary.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

const baselines = {
  lead: {
    describes: 'The first sentences of the head',
    answers: () => (request, tools) => fillAnswer(request, readOn(headLines(request), 1), tools),
  },
  tail: {
    describes: 'The last sentences of the head',
    answers: () => (request, tools) =>
      fillAnswer(request, readOn(headLines(request).toReversed(), -1), tools),
  },
  random: {
    describes: 'Random sentences of the head',
    answers: () => (request, tools) => fillAnswer(request, pick(headLines(request), tools), tools),
  },
  textrank: {
    describes: 'The sentences of the head that share the most words with others',
    answers: () => rankSentences,
  },
} satisfies Record<string, SummarizerEntry>;

/** The summarizers that need no model, by name. */
export const summarizers = {
  extractive: {
    describes:
      'Fills the template from prompts, answers, calls, lists of work and errors of the head',
    answers: () => fillTemplate,
  },
  ...baselines,
  ...scripted,
} satisfies Record<string, SummarizerEntry>;

const RECORDED_SUMMARIES = 'recorded';
const SHORT_FOR_RATIO = 'scripted';
const WAITS = /^(?:ai|cassette):/;
const FILLS = /^(?:recorded|scripted(?::(?:usual|ratio|tokens)(?:=.*)?)?)$/;
const WHOLE = /^\d+$/;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** Tests if a name stands for a real model or recordings of one. */
export function makesWait(name: string) {
  return WAITS.test(name);
}

/** Tests if a summarizer writes filler in the place of a real summary: of its size, and without its words. */
export function isFiller(name: string) {
  return FILLS.test(name);
}

export function contentFor(summarizer: string): Content {
  const isSized = summarizer.startsWith(SHORT_FOR_RATIO) || summarizer === RECORDED_SUMMARIES;
  return isSized ? 'sizes' : 'texts';
}

/** The summarizer of a name, which may set a number as in `scripted:ratio=0.25`. Its answers are cut at the request's cap, as a provider does. */
export function findSummarizer(name: string): Summarizer {
  if (makesWait(expectKind('name', name, 'text'))) {
    throw badOption(
      `Expected a summarizer that answers at once, got ${quoted(name)}. Real models and cassettes answer where sessions are run, as in 'compaction-bench run'.`,
    );
  }
  const plain = name === SHORT_FOR_RATIO ? 'scripted:ratio' : name;
  const table: Readonly<Record<string, SummarizerEntry>> = summarizers;
  const base = plain.slice(0, Math.max(plain.indexOf('='), 0));
  const takes = Object.hasOwn(table, base) ? table[base]?.takes : undefined;
  const value = takes && parseNumber(plain, base, takes);
  const { answers } = named('summarizer', table, takes ? base : plain);
  return withinCap({ name: plain, summarise: answers(value) });
}

function withinCap(summarizer: Summarizer): Summarizer {
  return {
    ...summarizer,
    summarise: (request, tools) => {
      const answer = summarizer.summarise(request, tools);
      const { outputCapTokens = Infinity } = request;
      const fits = (text: string) => tools.countTokens(text) <= outputCapTokens;
      if (outputCapTokens === Infinity || answer.state === 'failed' || fits(answer.text))
        return answer;
      const cutAt = (length: number) => answer.text.slice(0, length).replace(HALF_CHARACTER, '');
      return { ...answer, text: longestFitting(answer.text, cutAt, fits), finish: 'length' };
    },
  };
}

function parseNumber(name: string, base: string, takes: TakenNumber) {
  const { what, most, isWhole, example } = takes;
  const text = name.slice(base.length + 1);
  const value = (isWhole ? WHOLE : DECIMAL).test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= most) return value;
  throw badOption(
    `Expected the ${what} in ${quoted(name)} to be a ${isWhole ? 'whole number' : 'number'} above 0 and at most ${most}, as in '${base}=${example}'.`,
  );
}

function fillAnswer(
  request: SummaryRequest,
  sentences: Iterable<Placed>,
  tools: SummarizerTools,
): SummaryAnswer {
  const capTokens = budgetTokens(request);
  const countTokens = (text: string) => tools.countTokens(text);
  const [heading = ''] = askedHeadings(request.prompt);
  const maxTokens = capTokens - countTokens(`${heading}\n`);
  let chosen = choose(sentences, { countTokens, maxTokens });
  while (chosen.length > 0 && countTokens(write(heading, chosen)) > capTokens) {
    const excess = countTokens(write(heading, chosen)) / Math.max(1, capTokens) - 1;
    chosen = chosen.slice(0, -Math.max(1, Math.floor(chosen.length * Math.min(1, excess))));
  }
  const text = write(heading, chosen);
  return { state: 'finished', text: countTokens(text) > capTokens ? '' : text, finish: 'stop' };
}

function choose(sentences: Iterable<Placed>, room: Room) {
  const chosen: Placed[] = [];
  let leftTokens = room.maxTokens;
  let misses = 0;
  for (const { text, at } of sentences) {
    const tokens = room.countTokens(bullet(text));
    if (tokens <= leftTokens) {
      chosen.push({ text, at });
      leftTokens -= tokens;
    } else if (chosen.length === 0) {
      const start = clipToTokens(text, room);
      return start === '' ? [] : [{ text: start, at }];
    } else misses += 1;
    if (misses > MOST_MISSES || leftTokens <= 0) break;
  }
  return chosen;
}

function write(heading: string, chosen: readonly Placed[]) {
  const lines = chosen.toSorted((a, b) => a.at - b.at).map(({ text }) => `- ${text}`);
  return [heading, ...lines].filter((line) => line !== '').join('\n');
}

function* readOn(lines: readonly string[], step: 1 | -1): Generator<Placed> {
  let at = 0;
  for (const line of lines) {
    const sentences = sentencesOf(line);
    for (const text of step > 0 ? sentences : sentences.toReversed()) {
      yield { text, at };
      at += step;
    }
  }
}

function sentencesOf(line: string) {
  return splitSentences(toLine(line.slice(0, LONGEST_LINE)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

function headLines({ messages, prompt }: SummaryRequest) {
  return [quotedSummary(prompt), ...headTexts(messages)].flatMap((text) =>
    text.split(LINE_END).filter((line) => line.trim() !== ''),
  );
}

/** A sentence of each line; a line is split only when it is its turn. */
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

/** After Mihalcea and Tarau (2004). */
function rankSentences(request: SummaryRequest, tools: SummarizerTools): SummaryAnswer {
  const sampled = sampleEvenly(sampleEvenly(headLines(request)).flatMap(sentencesOf));
  const sentences = sampled.map((text, at) => ({ text, at }));
  const words = sentences.map(({ text }) => wordsOf(text));
  const links = words.map((own) =>
    words.map((others) => (own === others ? 0 : likeness(own, others))),
  );
  const ranks = rankByLinks(links);
  const ranked = sentences.toSorted((a, b) => (ranks[b.at] ?? 0) - (ranks[a.at] ?? 0));
  return fillAnswer(request, ranked, tools);
}

function sampleEvenly(texts: readonly string[]) {
  if (texts.length <= MOST_SENTENCES) return texts;
  const stride = texts.length / MOST_SENTENCES;
  return Array.from({ length: MOST_SENTENCES }, (_, at) => texts[Math.floor(at * stride)] ?? '');
}

/** The rank of each node by its links, after Brin and Page (1998). */
function rankByLinks(links: readonly (readonly number[])[]) {
  const sums = links.map(sum);
  let ranks: readonly number[] = links.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    const shares = ranks.map((rank, node) => rank / (sums[node] || 1));
    const drawnBy = (own: readonly number[]) =>
      own.reduce((total, weight, node) => total + weight * (shares[node] ?? 0), 0);
    ranks = links.map((own) => 1 - DAMPING + DAMPING * drawnBy(own));
  }
  return ranks;
}

function likeness(words: ReadonlySet<string>, others: ReadonlySet<string>) {
  if (words.size < FEWEST_WORDS || others.size < FEWEST_WORDS) return 0;
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return shared / (Math.log(words.size) + Math.log(others.size));
}

function wordsOf(sentence: string) {
  const words = [...segmenter.segment(sentence.toLowerCase())];
  return new Set(words.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment));
}
