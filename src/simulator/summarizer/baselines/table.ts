import type { SummarizerEntry } from '../scripted/entry.ts';
import { createLead, createTail } from './ends.ts';
import { createRandomSentences } from './random.ts';
import { createTextRank } from './textrank.ts';

/** The summarizers that others have to beat, by name. */
export const baselines = {
  lead: { describes: 'The first sentences of the head', create: createLead },
  tail: { describes: 'The last sentences of the head', create: createTail },
  random: { describes: 'Random sentences of the head', create: createRandomSentences },
  textrank: {
    describes: 'The sentences of the head that share the most words with others',
    create: createTextRank,
  },
} satisfies Record<string, SummarizerEntry>;
