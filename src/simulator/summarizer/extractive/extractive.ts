import {
  budgetTokens,
  type FinishedAnswer,
  type SummarizerTools,
  type SummaryRequest,
} from '../summarizer.ts';
import { fitTopics } from './fit.ts';
import { readTemplate } from './template.ts';
import { readTopics } from './topics.ts';

/**
 * The answer of the summarizer that needs no model. It fills the template from the structure of the head: requests, last
 * answers, calls, lists of work and errors. It knows no language.
 */
export function fillTemplate(
  request: SummaryRequest,
  { countTokens }: SummarizerTools,
): FinishedAnswer {
  const room = { maxTokens: budgetTokens(request), countTokens };
  const text = fitTopics(readTemplate(request.prompt), readTopics(request), room);
  return { state: 'finished', text, finish: 'stop' };
}
