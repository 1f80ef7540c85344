import { expectKind } from '../../engine/internal.ts';
import { badOption, type HarnessError } from '../lib/errors.ts';
import { named, quoted } from '../lib/names.ts';
import { baselines } from './baselines.ts';
import { fillTemplate } from './extractive/extractive.ts';
import { scripted } from './scripted.ts';
import type {
  Summarizer,
  SummarizerEntry,
  SummarizerTools,
  SummaryAnswer,
  TakenNumber,
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

/** The content of a session that its runs have: with its texts, or their sizes alone. */
export type Content = 'texts' | 'sizes';

const RECORDED_SUMMARIES = 'recorded';
const SHORT_FOR_RATIO = 'scripted';
const WAITS = /^(?:ai|cassette):/;
const WHOLE = /^\d+$/;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;

const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** Tests if a name stands for an asynchronous summarizer: a real model, or recordings of one. */
export function makesWait(name: string): boolean {
  return WAITS.test(name);
}

/** The content of a session that a summarizer needs: filler and what was recorded come of sizes alone. */
export function contentFor(summarizer: string): Content {
  const isSized = summarizer.startsWith(SHORT_FOR_RATIO) || summarizer === RECORDED_SUMMARIES;
  return isSized ? 'sizes' : 'texts';
}

/**
 * The summarizer of that name; `scripted:ratio=0.25` and `scripted:tokens=500` set another number. Its answers are cut at the
 * request's cap, as a provider does.
 */
export function findSummarizer(name: string): Summarizer {
  if (makesWait(expectKind('name', name, 'text'))) throw waits(name);
  const plain = name === SHORT_FOR_RATIO ? 'scripted:ratio' : name;
  const table: Readonly<Record<string, SummarizerEntry>> = summarizers;
  const base = plain.slice(0, Math.max(plain.indexOf('='), 0));
  const takes = Object.hasOwn(table, base) ? table[base]?.takes : undefined;
  const value = takes && parseNumber(plain, base, takes);
  const { answers } = named('summarizer', table, takes ? base : plain);
  return withinCap({ name: plain, summarise: answers(value) });
}

function waits(name: string): HarnessError {
  return badOption(
    `Expected a summarizer that answers at once, got ${quoted(name)}. Real models and cassettes answer where sessions are run, as in 'compaction-bench run'.`,
  );
}

/** A summarizer whose answers end where the cap of the request cuts them off, as those of a provider do. */
function withinCap(summarizer: Summarizer): Summarizer {
  return {
    ...summarizer,
    summarise: (request, tools) => {
      const answer = summarizer.summarise(request, tools);
      const { outputCapTokens } = request;
      return outputCapTokens === undefined ? answer : cutOff(answer, outputCapTokens, tools);
    },
  };
}

function cutOff(answer: SummaryAnswer, capTokens: number, tools: SummarizerTools): SummaryAnswer {
  if (answer.state === 'failed' || tools.countTokens(answer.text) <= capTokens) return answer;
  return { ...answer, text: beginningWithin(answer.text, capTokens, tools), finish: 'length' };
}

/** The longest beginning of a text that fits, as far as longer ones count more. */
function beginningWithin(text: string, capTokens: number, tools: SummarizerTools): string {
  let fitting = '';
  let [low, high] = [1, text.length - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const beginning = text.slice(0, middle).replace(HALF_CHARACTER, '');
    if (tools.countTokens(beginning) <= capTokens) {
      fitting = beginning;
      low = middle + 1;
    } else high = middle - 1;
  }
  return fitting;
}

function parseNumber(name: string, base: string, takes: TakenNumber): number {
  const { what, most, isWhole, example } = takes;
  const text = name.slice(base.length + 1);
  const value = (isWhole ? WHOLE : DECIMAL).test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= most) return value;
  throw badOption(
    `Expected the ${what} in ${quoted(name)} to be a ${isWhole ? 'whole number' : 'number'} above 0 and at most ${most}, as in '${base}=${example}'.`,
  );
}
