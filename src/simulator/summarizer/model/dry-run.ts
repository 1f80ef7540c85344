import type { ModelProfile } from '../../provider/model-profile.ts';
import { createExtractive } from '../extractive/index.ts';
import type { AsyncSummarizer, AsyncTools, SummaryAnswer, SummaryRequest } from '../summarizer.ts';
import { sizeOf, toModelRequest } from './model-summarizer.ts';
import { worstCostOf } from './price.ts';

/** What a run would ask of a real model. */
export interface Estimate {
  readonly requests: number;
  readonly inputTokens: number;
  /** Of answers as long as those that stood in. */
  readonly outputTokens: number;
  /** With those answers; unknown without prices. */
  readonly likelyNanoUsd: number | undefined;
  /** With answers as long as the cap allows; unknown without prices. */
  readonly mostNanoUsd: number | undefined;
}

/** A summarizer in place of a real model that counts what would have been asked. */
export interface DryRun {
  readonly summarizer: AsyncSummarizer;
  estimate(): Estimate;
}

/** Whose calls are not made. */
interface DryRunOptions extends Pick<AsyncSummarizer, 'name' | 'settings'> {
  readonly profile: ModelProfile | undefined;
  readonly outputCapTokens?: number | undefined;
}

const STAND_IN = createExtractive();
const NOTHING: Estimate = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  likelyNanoUsd: 0,
  mostNanoUsd: 0,
};

/** A dry run; the extractive summarizer stands in unless told otherwise, so that the session goes on. Every repetition counts, for a model may answer otherwise each time. */
export function createDryRun({ profile, outputCapTokens, ...asked }: DryRunOptions): DryRun {
  let total = NOTHING;
  return {
    summarizer: {
      ...asked,
      isAsync: true,
      summarise: async (request, tools) => {
        const answer = answerTo(request, tools);
        const sent = toModelRequest(request, tools, { outputCapTokens, profile });
        const { inputTokens, outputTokens: capTokens } = sizeOf(sent, tools);
        const outputTokens = answer.state === 'finished' ? tools.countTokens(answer.text) : 0;
        const costOf = (tokens: number) =>
          worstCostOf(profile, { inputTokens, outputTokens: tokens });
        total = {
          requests: total.requests + 1,
          inputTokens: total.inputTokens + inputTokens,
          outputTokens: total.outputTokens + outputTokens,
          likelyNanoUsd: add(total.likelyNanoUsd, costOf(outputTokens)),
          mostNanoUsd: add(total.mostNanoUsd, costOf(capTokens)),
        };
        return answer;
      },
    },
    estimate: () => total,
  };
}

function answerTo(request: SummaryRequest, tools: AsyncTools): SummaryAnswer {
  const text = tools.likelyAnswer?.(request);
  return text === undefined
    ? STAND_IN.summarise(request, tools)
    : { state: 'finished', text, finish: 'stop' };
}

function add(sum: number | undefined, value: number | undefined): number | undefined {
  return sum === undefined || value === undefined ? undefined : sum + value;
}
