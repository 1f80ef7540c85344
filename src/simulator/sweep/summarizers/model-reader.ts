import type { Message } from '../../../engine/index.ts';
import type { Reader, ReaderPrompt } from '../../metrics/probes/probe.ts';
import type { AnySummarizer, SummaryAnswer, SummaryRequest } from '../../summarizer/summarizer.ts';

/** What a reader that is a model may use. */
export interface ModelReaderOptions {
  readonly count: (text: string) => number;
  readonly signal?: AbortSignal | undefined;
  readonly repeat?: number | undefined;
}

/** A model as a reader: asked as a summarizer is, so that cassettes, limits and budget hold for it too. */
export function createModelReader(
  model: AnySummarizer,
  { count, signal, repeat }: ModelReaderOptions,
): Reader {
  const models = new Set<string>();
  const tools = { countTokens: count, random: () => 0, signal, repeat };
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
