import { sum } from '../../lib/collections.ts';
import { fillTemplate } from '../extractive/extractive.ts';
import type { AsyncSummarizer, SummarizerTools, SummaryRequest } from '../summarizer.ts';
import { callModel, type CallOptions, worstCostOf } from './call.ts';
import { fileFailure } from './failure.ts';
import { type TextReply, type TextRequest, toTextRequest } from './prompt.ts';
import { createWithoutRequest } from './without-request.ts';

interface ModelSummarizerOptions extends CallOptions {
  readonly name: string;
  readonly outputCapTokens?: number | undefined;
  readonly settings?: AsyncSummarizer['settings'];
  /** Takes secrets out of what a provider says. */
  readonly scrub: (text: string) => string;
}

type CapOptions = Pick<ModelSummarizerOptions, 'outputCapTokens' | 'profile'>;

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

/** The default cap, as in OpenCode. */
const USUAL_CAP_TOKENS = 32_000;
const TOKENS_PER_MESSAGE = 4;
/** Other tokenizers than the one at hand count up to a fifth more. */
const INPUT_MARGIN = 1.2;

const NOTHING: Estimate = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  likelyNanoUsd: 0,
  mostNanoUsd: 0,
};

export function createModelSummarizer(options: ModelSummarizerOptions): AsyncSummarizer {
  const { name, settings, scrub } = options;
  return {
    name,
    isAsync: true,
    settings,
    summarise: async (request, tools) => {
      const { signal, countTokens } = tools;
      const asked = toModelRequest(request, tools, options);
      const size = sizeOf(asked, tools);
      const estimateUsage = ({ text, reasoningText = '' }: TextReply) => ({
        input: countInput(asked, tools),
        output: countTokens(text),
        reasoning: countTokens(reasoningText),
        cacheRead: 0,
        cacheWrite: 0,
      });
      const answer = await callModel(options, asked, { size, estimateUsage, signal });
      if (answer.state === 'finished') return answer;
      // The words of a provider on a failure may repeat what it was sent.
      return fileFailure(answer, createWithoutRequest(asked, scrub));
    },
  };
}

/** A dry run, in which the extractive summarizer stands in. Every repetition counts. */
export function createDryRun({
  profile,
  outputCapTokens,
  ...asked
}: Pick<AsyncSummarizer, 'name' | 'settings'> & CapOptions): DryRun {
  let total = NOTHING;
  return {
    summarizer: {
      ...asked,
      isAsync: true,
      summarise: async (request, tools) => {
        const likely = tools.likelyAnswer?.(request);
        const answer =
          likely === undefined
            ? fillTemplate(request, tools)
            : ({ state: 'finished', text: likely, finish: 'stop' } as const);
        const sent = toModelRequest(request, tools, { outputCapTokens, profile });
        const { inputTokens, outputTokens: capTokens } = sizeOf(sent, tools);
        const outputTokens = tools.countTokens(answer.text);
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

/** Always with a cap, so that its price has one. */
function toModelRequest(
  request: SummaryRequest,
  { render }: SummarizerTools,
  { outputCapTokens, profile }: CapOptions,
) {
  const caps = [request.outputCapTokens, outputCapTokens, profile?.limits.outputTokens];
  const known = caps.filter((cap) => cap !== undefined);
  return {
    ...toTextRequest(request, render),
    outputCapTokens: Math.min(...known.filter((cap) => cap > 0), USUAL_CAP_TOKENS),
  };
}

function sizeOf(asked: TextRequest & { readonly outputCapTokens: number }, tools: SummarizerTools) {
  const inputTokens = Math.ceil(countInput(asked, tools) * INPUT_MARGIN);
  return { inputTokens, outputTokens: asked.outputCapTokens };
}

function countInput({ system, messages }: TextRequest, { countTokens }: SummarizerTools) {
  const texts = [system, ...messages.map(({ content }) => content)];
  return sum(texts.map((text) => countTokens(text) + TOKENS_PER_MESSAGE));
}

function add(one: number | undefined, other: number | undefined) {
  return one === undefined || other === undefined ? undefined : one + other;
}
