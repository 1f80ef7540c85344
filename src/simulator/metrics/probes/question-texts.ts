import { JUDGE_TEXTS } from './judge.ts';
import { READER_SYSTEM } from './probe.ts';
import { QUESTIONS_VERSION } from './templates.ts';

/** What readers and judges are told beside the session, and the rules by which they are understood; answers to others are not compared. */
export const QUESTION_TEXTS = {
  version: QUESTIONS_VERSION,
  reader: READER_SYSTEM,
  judge: JUDGE_TEXTS,
} as const;
