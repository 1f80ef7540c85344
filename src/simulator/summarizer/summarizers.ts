import { expectText } from '../../engine/internal.ts';
import { badOption, type HarnessError } from '../errors.ts';
import { named, quoted } from '../names.ts';
import { baselines } from './baselines/table.ts';
import { createExtractive } from './extractive/index.ts';
import type { SummarizerEntry, TakenNumber } from './scripted/entry.ts';
import { scripted } from './scripted/table.ts';
import type { Summarizer } from './summarizer.ts';
import { withinCap } from './within-cap.ts';

export type { SummarizerEntry };

/** The summarizers that need no model, by name. */
export const summarizers = {
  extractive: {
    describes: 'Fills the template with sentences, commands and paths taken from the head',
    create: createExtractive,
  },
  ...baselines,
  ...scripted,
} satisfies Record<string, SummarizerEntry>;

const SHORT_FOR_RATIO = 'scripted';
const WAITS = /^(?:ai|cassette):/;
const WHOLE = /^\d+$/;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;

/** Whether a name stands for what makes others wait: a real model, or recordings of one. */
export function makesWait(name: string): boolean {
  return WAITS.test(name);
}

/**
 * The summarizer of that name; `scripted:ratio=0.25` and `scripted:tokens=500` are those with another number. Like a
 * provider it writes no more than the cap of a request.
 */
export function findSummarizer(name: string): Summarizer {
  if (makesWait(expectText('name', name))) throw waits(name);
  const plain = name === SHORT_FOR_RATIO ? 'scripted:ratio' : name;
  return withinCap(findNumbered(name) ?? lookUp(plain).create());
}

function lookUp(name: string): SummarizerEntry {
  return named<Record<string, SummarizerEntry>>('summarizer', summarizers, name);
}

function findNumbered(name: string): Summarizer | undefined {
  const end = name.indexOf('=');
  const base = name.slice(0, Math.max(end, 0));
  if (!Object.hasOwn(summarizers, base)) return undefined;
  const { takes } = lookUp(base);
  return takes?.create(name, parseNumber(name, base, takes));
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

function waits(name: string): HarnessError {
  return badOption(
    `Expected a summarizer that answers at once, got ${quoted(name)}. Real models and cassettes answer where sessions are run, as in 'compaction-bench run'.`,
  );
}
