import type { RequestCheck } from './check.ts';

/** Reasoning stands before what came of it. */
export const reasoningFollowed: RequestCheck = {
  describes: 'Reasoning is followed by text or a call in the same message',
  source: 'openai-agents-js#1280, vercel/ai#11036: OpenAI, Responses API',
  scope: 'message',
  start: () => ({
    next: ({ content }) =>
      content.at(-1)?.type === 'reasoning' ? 'ends with reasoning that nothing follows' : undefined,
  }),
};
