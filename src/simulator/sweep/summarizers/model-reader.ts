import type { Message } from '../../../engine/index.ts';
import { contentHash } from '../../content-hash.ts';
import type { Reader, ReaderPrompt } from '../../metrics/probes/probe.ts';
import type { AnySummarizer, SummaryAnswer, SummaryRequest } from '../../summarizer/summarizer.ts';

/** What a reader that is a model may use. */
export interface ModelReaderOptions {
  readonly count: (text: string) => number;
  readonly signal?: AbortSignal | undefined;
  readonly repeat?: number | undefined;
  readonly part: ReaderPart;
}

/** Whether questions are answered or answers judged. */
export type ReaderPart = 'reader' | 'judge';

/**
 * What dry runs count with. A reader's answer has no value and is another one for each context, so that every verdict
 * counts that there may be.
 */
const LIKELY_ANSWERS: Readonly<Record<ReaderPart, (request: SummaryRequest) => string>> = {
  reader: ({ messages }) => `something like ${contentHash(messages)}`,
  judge: () => '{"recalled": true, "accurate": true}',
};

/** A model as a reader: asked as a summarizer is, so that cassettes, limits and budget hold for it too. */
export function createModelReader(
  model: AnySummarizer,
  { count, signal, repeat, part }: ModelReaderOptions,
): Reader {
  const models = new Set<string>();
  const likelyAnswer = LIKELY_ANSWERS[part];
  const tools = { countTokens: count, random: () => 0, signal, repeat, likelyAnswer };
  return {
    name: model.name,
    answer: async (prompt) => {
      const answer: SummaryAnswer = await model.summarise(toRequest(prompt), tools);
      if (answer.call?.model !== undefined) models.add(answer.call.model);
      if (answer.state === 'finished') return { state: 'answered', text: answer.text };
      return { state: 'failed', reason: answer.reason };
    },
    models: () => [...models],
  };
}

function toRequest({ system, context, question }: ReaderPrompt): SummaryRequest {
  const message: Message = {
    id: 'context',
    role: 'user',
    createdAt: 0,
    parts: [{ type: 'text', id: 'context-0', text: context }],
  };
  return { system, messages: context === '' ? [] : [message], prompt: question };
}
