/** An arm of a comparison: a summarizer with a prompt. */

import type { ModelProfile } from '../../provider/model-profile.ts';
import type { AnySummarizer, SummaryAnswer, SummaryRequest } from '../../summarizer/summarizer.ts';

/** A summarizer with a prompt. */
export interface SummaryArm {
  readonly summarizer: AnySummarizer;
  /** The model behind it, where the catalog knows it. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly prompt: SummaryPrompt;
}

/** What a summarizer is told to do. */
export interface SummaryPrompt {
  readonly name: string;
  readonly hash: string;
  /** Stands in the place of the policy's instruction; absent where that holds. */
  readonly instruction?: string | undefined;
  /** What a plugin of the agent adds to the instruction. */
  readonly context?: string | undefined;
}

/** A request that was made, as it was sent, with what came back. */
export interface SummaryCall {
  readonly request: SummaryRequest;
  readonly answer: SummaryAnswer;
}

/** The part of an instruction that a prompt of one's own must not lose. */
const PREVIOUS_SUMMARY = /^[^\n]*\n<previous-summary>\n[\s\S]*\n<\/previous-summary>/;

/** A summarizer that is asked with a prompt, and tells of each call. */
export function watchSummarizer(
  { summarizer, prompt }: SummaryArm,
  onCall: (call: SummaryCall) => void,
): AnySummarizer {
  const told = (request: SummaryRequest, answer: SummaryAnswer): SummaryAnswer => {
    onCall({ request, answer });
    return answer;
  };
  if (summarizer.isAsync === true) {
    return {
      ...summarizer,
      summarise: async (given, tools) => {
        const request = withPrompt(given, prompt);
        return told(request, await summarizer.summarise(request, tools));
      },
    };
  }
  return {
    ...summarizer,
    summarise: (given, tools) => {
      const request = withPrompt(given, prompt);
      return told(request, summarizer.summarise(request, tools));
    },
  };
}

/** A summary request with another instruction; the summary that is to be brought up to date stays in it. */
export function withPrompt(
  request: SummaryRequest,
  { instruction, context }: Pick<SummaryPrompt, 'instruction' | 'context'>,
): SummaryRequest {
  const own = instruction === undefined ? request.prompt : replaced(request.prompt, instruction);
  const prompt = context === undefined ? own : `${own}\n\n${context}`;
  return prompt === request.prompt ? request : { ...request, prompt };
}

function replaced(prompt: string, instruction: string): string {
  const previous = PREVIOUS_SUMMARY.exec(prompt)?.[0];
  return previous === undefined ? instruction : `${previous}\n\n${instruction}`;
}
