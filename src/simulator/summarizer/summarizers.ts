import { expectKind } from '../../engine/internal.ts';
import { badOption } from '../lib/errors.ts';
import { named, quoted } from '../lib/names.ts';
import { baselines } from './baselines.ts';
import { fillTemplate } from './extractive/extractive.ts';
import { scripted } from './scripted.ts';
import {
  longestFitting,
  type Summarizer,
  type SummarizerEntry,
  type TakenNumber,
} from './summarizer.ts';

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

export type Content = 'texts' | 'sizes';

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
