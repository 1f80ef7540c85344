import { HarnessError } from '../../errors.ts';
import { quoted } from '../../names.ts';
import type { AnySummarizer, FailedAnswer } from '../../summarizer/summarizer.ts';

/** Refusals of a request for what it is. All else may be otherwise the next time: a server that is away, or busy, or does not take the key. */
const REFUSES_REQUEST: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const REASON_LENGTH = 300;

/** A summarizer that rejects where nobody answered: that says nothing of a policy, and is to be no row of a sweep and no run that came to an end. */
export function requireAnswers(summarizer: AnySummarizer): AnySummarizer {
  if (!summarizer.isAsync) return summarizer;
  return {
    ...summarizer,
    summarise: async (request, tools) => {
      const answer = await summarizer.summarise(request, tools);
      if (answer.state === 'finished' || refusesRequest(answer)) return answer;
      const { name } = summarizer;
      throw new HarnessError(
        'UNREADABLE',
        `Expected an answer from ${quoted(name)}, got ${quoted(answer.reason, REASON_LENGTH)}.`,
      );
    },
  };
}

/** Whether a request was refused for what it is, and will be again. */
export function refusesRequest({ isOverflow, error }: FailedAnswer): boolean {
  return isOverflow || REFUSES_REQUEST.has(error?.statusCode);
}
