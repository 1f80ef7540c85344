import type { SummaryAnswer, Summarizer, SummarizerTools } from './summarizer.ts';

const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** A summarizer whose answers end where the cap of the request cuts them off, as those of a provider do. */
export function withinCap(summarizer: Summarizer): Summarizer {
  return {
    ...summarizer,
    summarise: (request, tools) => {
      const answer = summarizer.summarise(request, tools);
      const { outputCapTokens } = request;
      return outputCapTokens === undefined ? answer : cutOff(answer, outputCapTokens, tools);
    },
  };
}

function cutOff(answer: SummaryAnswer, capTokens: number, tools: SummarizerTools): SummaryAnswer {
  if (answer.state === 'failed' || tools.countTokens(answer.text) <= capTokens) return answer;
  return { ...answer, text: beginningWithin(answer.text, capTokens, tools), finish: 'length' };
}

/** The longest beginning of a text that fits, as far as longer ones count more. */
function beginningWithin(text: string, capTokens: number, tools: SummarizerTools): string {
  let fitting = '';
  let [low, high] = [1, text.length - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const beginning = text.slice(0, middle).replace(HALF_CHARACTER, '');
    if (tools.countTokens(beginning) <= capTokens) {
      fitting = beginning;
      low = middle + 1;
    } else high = middle - 1;
  }
  return fitting;
}
