import { type Summarizer, budgetTokens } from '../summarizer.ts';
import { fitTopics } from './fit.ts';
import { readTemplate } from './template.ts';
import { readTopics } from './topics.ts';

/**
 * The summarizer that needs no model. It fills the template from the structure of the head: requests, last answers, calls,
 * lists of work and errors. It knows no language.
 */
export function createExtractive(): Summarizer {
  return {
    name: 'extractive',
    summarise: (request, tools) => ({
      state: 'finished',
      text: fitTopics(readTemplate(request.prompt), readTopics(request), {
        maxTokens: budgetTokens(request),
        countTokens: (text) => tools.countTokens(text),
      }),
      finish: 'stop',
    }),
  };
}
