import type {
  AsyncSummarizer,
  SummaryAnswer,
  SummaryRequest,
} from '../../../src/simulator/summarizer/summarizer.ts';
import { step, text, user } from '../../support/history.ts';

/** A request of two short messages. */
export const REQUEST: SummaryRequest = {
  system: 'Be brief.',
  messages: [user('u', 'Mend the login page.'), step('s', [text('t', 'Mended.')])],
  prompt: 'Summarise.\n## Goal',
  outputCapTokens: 100,
};
/** A summary with all that is told of one. */
export const ANSWER: SummaryAnswer = {
  state: 'finished',
  text: '## Goal\nAll of it.\n',
  finish: 'stop',
  reasoningText: 'First\nthen.',
  call: {
    usage: { input: 60, output: 10, reasoning: 5, cacheRead: 40, cacheWrite: 0, total: 115 },
    costNanoUsd: 210,
    latencyMs: 12.5,
    model: 'm-2026-01-01',
    answeredAt: '2026-01-01T00:00:00.000Z',
  },
};
/** A failure by the size of the request. */
export const OVERFLOW: SummaryAnswer = {
  state: 'failed',
  reason: 'prompt is too long',
  isOverflow: true,
  failure: { type: 'overflow', statusCode: 400, message: 'prompt is too long' },
  error: { message: 'prompt is too long', statusCode: 400, body: '{}' },
  tries: 1,
};
/** A failure that may pass. */
export const DOWN: SummaryAnswer = {
  state: 'failed',
  reason: 'The server had an error.',
  isOverflow: false,
  failure: { type: 'fail', message: 'The server had an error.' },
  error: { message: 'The server had an error.', statusCode: 500 },
  tries: 4,
};

interface Counted extends AsyncSummarizer {
  asked(): number;
}

/** A model that always answers the same, and counts how often it was asked. */
export function answering(answer: SummaryAnswer): Counted {
  let asked = 0;
  return {
    name: 'ai:lab/m',
    isAsync: true,
    asked: () => asked,
    summarise: async () => {
      asked += 1;
      return answer;
    },
  };
}

/** A model that answers with how often it was asked. */
export function counting(): AsyncSummarizer {
  let asked = 0;
  return {
    name: 'ai:lab/m',
    isAsync: true,
    summarise: async () => {
      asked += 1;
      return { state: 'finished', text: `${asked}`, finish: 'stop' };
    },
  };
}
