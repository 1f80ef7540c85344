import { HarnessError } from '../errors.ts';
import { named, quoted } from '../names.ts';
import { createExtractive } from './extractive/index.ts';
import {
  createEcho,
  createEmpty,
  createFail,
  createGrow,
  createRatio,
  DEFAULT_RATIO,
} from './scripted.ts';
import type { Summarizer } from './summarizer.ts';

/** A summarizer as the table lists it. */
export interface SummarizerEntry {
  /** What it answers, in one line. */
  readonly describes: string;
  readonly create: () => Summarizer;
}

/** The summarizers that need no model, by name. */
export const summarizers = {
  extractive: {
    describes: 'Fills the template with sentences, commands and paths of the head itself',
    create: createExtractive,
  },
  'scripted:ratio': {
    describes: 'Filler of a tenth of the head; scripted:ratio=0.25 sets another fraction, up to 10',
    create: () => createRatio('scripted:ratio', DEFAULT_RATIO),
  },
  'scripted:empty': {
    describes: 'An empty text',
    create: () => createEmpty('scripted:empty'),
  },
  'scripted:grow': {
    describes: 'Filler that is a fifth longer than the head',
    create: () => createGrow('scripted:grow'),
  },
  'scripted:echo': {
    describes: "The head's own text",
    create: () => createEcho('scripted:echo'),
  },
  'scripted:fail': {
    describes: 'A failure that is no overflow',
    create: () => createFail('scripted:fail'),
  },
} satisfies Record<string, SummarizerEntry>;

/** The name of a summarizer of the table. */
export type SummarizerName = keyof typeof summarizers;

const SHORT_FOR_RATIO = 'scripted';
const RATIO_PREFIX = 'scripted:ratio=';
const LARGEST_RATIO = 10;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;

/** The summarizer of that name; `scripted:ratio=0.25` is `scripted:ratio` with another fraction. */
export function findSummarizer(name: string): Summarizer {
  if (name.startsWith(RATIO_PREFIX)) return createRatio(name, parseRatio(name));
  const known = name === SHORT_FOR_RATIO ? 'scripted:ratio' : name;
  return named<Record<SummarizerName, SummarizerEntry>>('summarizer', summarizers, known).create();
}

function parseRatio(name: string): number {
  const text = name.slice(RATIO_PREFIX.length);
  const ratio = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (ratio > 0 && ratio <= LARGEST_RATIO) return ratio;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected the ratio in ${quoted(name)} to be a number above 0 and at most ${LARGEST_RATIO}, as in 'scripted:ratio=0.25'.`,
  );
}
