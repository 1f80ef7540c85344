import type { Summarizer } from '../summarizer.ts';
import type { SummarizerEntry, TakenNumber } from './entry.ts';
import {
  createAborted,
  createFail,
  createRateLimited,
  createServerError,
  createSlow,
  createSmallWindow,
} from './failures.ts';
import { createLossy, DEFAULT_KEEP } from './lossy.ts';
import {
  createAnswersUser,
  createFabricatedQuote,
  createReasoningOnly,
  createRefusal,
  createToolCall,
} from './misbehave.ts';
import {
  createCut,
  createEcho,
  createEmpty,
  createFixed,
  createOtherLanguage,
  createRatio,
  DEFAULT_RATIO,
  DEFAULT_TOKENS,
  GROWTH_RATIO,
} from './sizes.ts';

const DEFAULT_SECONDS = 120;
const DEFAULT_ABORT_TOKENS = 100;
const DEFAULT_WINDOW_TOKENS = 32_000;
const MOST_TOKENS = 100_000;
const MOST_SECONDS = 3_600;
const MOST_WINDOW_TOKENS = 10_000_000;
const LAST_STATUS = 599;

type Create = (name: string, value: number) => Summarizer;

const ratio = (create: Create, example: number): TakenNumber => ({
  what: 'ratio',
  most: 10,
  isWhole: false,
  example,
  create,
});
const probability = (create: Create, example: number): TakenNumber => ({
  what: 'probability',
  most: 1,
  isWhole: false,
  example,
  create,
});
const tokens = (create: Create, most = MOST_TOKENS): TakenNumber => ({
  what: 'tokens',
  most,
  isWhole: true,
  example: 500,
  create,
});
const seconds = (create: Create): TakenNumber => ({
  what: 'seconds',
  most: MOST_SECONDS,
  isWhole: false,
  example: 30,
  create,
});
const status: TakenNumber = {
  what: 'status',
  most: LAST_STATUS,
  isWhole: true,
  example: 503,
  create: createServerError,
};

/** Summarizers that do as they are told, each misbehaviour on a line. Source: users and failures, section 0.3. */
export const scripted = {
  'scripted:ratio': {
    describes:
      'Filler a tenth as long as the head; scripted:ratio=0.25 sets another fraction, up to 10',
    create: () => createRatio('scripted:ratio', DEFAULT_RATIO),
    takes: ratio(createRatio, 0.25),
  },
  'scripted:tokens': {
    describes: 'A thousand tokens of filler; scripted:tokens=500 sets another number, up to 100000',
    create: () => createFixed('scripted:tokens', DEFAULT_TOKENS),
    takes: tokens(createFixed),
  },
  'scripted:empty': {
    describes: 'A summary without text',
    create: () => createEmpty('scripted:empty'),
  },
  'scripted:grow': {
    describes: 'Filler a fifth longer than the head; scripted:grow=2 is twice as long',
    create: () => createRatio('scripted:grow', GROWTH_RATIO),
    takes: ratio(createRatio, 2),
  },
  'scripted:cut': {
    describes: 'Filler a tenth as long as the head, cut off mid-sentence at the output limit',
    create: () => createCut('scripted:cut'),
    takes: tokens(createCut),
  },
  'scripted:echo': {
    describes: "The head's own text",
    create: () => createEcho('scripted:echo'),
  },
  'scripted:lossy': {
    describes:
      "The head's own lines, each kept with a probability of 0.7; scripted:lossy=0.9 sets another",
    create: () => createLossy('scripted:lossy', DEFAULT_KEEP),
    takes: probability(createLossy, 0.9),
  },
  'scripted:tool-call': {
    describes: 'A tool call instead of text',
    create: () => createToolCall('scripted:tool-call'),
  },
  'scripted:reasoning': {
    describes: 'Reasoning without text',
    create: () => createReasoningOnly('scripted:reasoning'),
  },
  'scripted:refuse': {
    describes: 'A polite refusal',
    create: () => createRefusal('scripted:refuse'),
  },
  'scripted:answer': {
    describes: "An answer to the user's last request, not a summary",
    create: () => createAnswersUser('scripted:answer'),
  },
  'scripted:language': {
    describes: 'Filler in Chinese, or in English where the session is Chinese',
    create: () => createOtherLanguage('scripted:language'),
  },
  'scripted:quote': {
    describes: 'Filler with quotes that the user never said',
    create: () => createFabricatedQuote('scripted:quote'),
  },
  'scripted:fail': {
    describes: 'A failure other than an overflow',
    create: () => createFail('scripted:fail'),
  },
  'scripted:429': {
    describes: 'Too Many Requests (429), every time; scripted:429=30 asks to wait 30 seconds',
    create: () => createRateLimited('scripted:429'),
    takes: seconds(createRateLimited),
  },
  'scripted:500': {
    describes: 'A server error; scripted:500=503 has another status',
    create: () => createServerError('scripted:500'),
    takes: status,
  },
  'scripted:slow': {
    describes:
      'Filler a tenth as long as the head, after two minutes; scripted:slow=30 takes 30 seconds',
    create: () => createSlow('scripted:slow', DEFAULT_SECONDS),
    takes: seconds(createSlow),
  },
  'scripted:abort': {
    describes: 'Aborted by the user after 100 tokens; scripted:abort=500 after 500',
    create: () => createAborted('scripted:abort', DEFAULT_ABORT_TOKENS),
    takes: tokens(createAborted),
  },
  'scripted:overflow': {
    describes:
      'Refuses requests of more than 32000 tokens; scripted:overflow=500 sets another window',
    create: () => createSmallWindow('scripted:overflow', DEFAULT_WINDOW_TOKENS),
    takes: tokens(createSmallWindow, MOST_WINDOW_TOKENS),
  },
} satisfies Record<string, SummarizerEntry>;
