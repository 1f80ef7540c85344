import type { Usage } from '../../../engine/index.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import type { AsyncSummarizer, SummarizerTools, SummaryRequest } from '../summarizer.ts';
import { type CallOptions, callModel } from './call.ts';
import { fileFailure } from './filed-answer.ts';
import type { RequestSize } from './price.ts';
import { toTextRequest } from './prompt.ts';
import type { TextReply, TextRequest } from './text-model.ts';
import { createWithoutRequest } from './without-request.ts';

/** A summarizer that asks a real model. */
export interface ModelSummarizerOptions extends CallOptions {
  readonly name: string;
  /** Longest answer in tokens where the policy sets none, and at most. */
  readonly outputCapTokens?: number | undefined;
  /** What of the call's way decides an answer. */
  readonly settings?: AsyncSummarizer['settings'];
  /** Takes secrets out of what a provider says. */
  readonly scrub: (text: string) => string;
}

interface CapOptions {
  readonly outputCapTokens?: number | undefined;
  readonly profile?: ModelProfile | undefined;
}

/** The cap where nobody sets one, as OpenCode has it. */
const USUAL_CAP_TOKENS = 32_000;
/** Roles and separators. */
const TOKENS_PER_MESSAGE = 4;
/** Other tokenizers than the one at hand count up to a fifth more. */
const INPUT_MARGIN = 1.2;

/** The summarizer that a model makes. */
export function createModelSummarizer(options: ModelSummarizerOptions): AsyncSummarizer {
  const { name, settings, scrub } = options;
  return {
    name,
    isAsync: true,
    ...(settings && { settings }),
    summarise: async (request, tools) => {
      const asked = toModelRequest(request, tools, options);
      const size = sizeOf(asked, tools);
      const estimateUsage = createEstimate(asked, tools);
      const { signal } = tools;
      const answer = await callModel(options, asked, { size, estimateUsage, signal });
      if (answer.state === 'finished') return answer;
      // What a provider says of a failure may repeat what it was sent.
      return fileFailure(answer, createWithoutRequest(asked, scrub));
    },
  };
}

/** A summary request as a model is sent it: always with a cap, so that its price has one. */
export function toModelRequest(
  request: SummaryRequest,
  { render }: SummarizerTools,
  { outputCapTokens, profile }: CapOptions,
): TextRequest & { readonly outputCapTokens: number } {
  const caps = [request.outputCapTokens, outputCapTokens, profile?.limits.outputTokens];
  const known = caps.filter((cap) => cap !== undefined);
  return {
    ...toTextRequest(request, render),
    outputCapTokens: Math.min(...known.filter((cap) => cap > 0), USUAL_CAP_TOKENS),
  };
}

/** How large a request is at most. */
export function sizeOf(
  { system, messages, outputCapTokens }: TextRequest & { readonly outputCapTokens: number },
  { countTokens }: SummarizerTools,
): RequestSize {
  const counted = countInput({ system, messages }, countTokens);
  return { inputTokens: Math.ceil(counted * INPUT_MARGIN), outputTokens: outputCapTokens };
}

/** What answers took as far as their texts tell: no cache, and tokens as counted. */
function createEstimate(asked: TextRequest, { countTokens }: SummarizerTools) {
  return ({ text, reasoningText = '' }: TextReply): Usage => ({
    input: countInput(asked, countTokens),
    output: countTokens(text),
    reasoning: countTokens(reasoningText),
    cacheRead: 0,
    cacheWrite: 0,
  });
}

function countInput(
  { system, messages }: TextRequest,
  countTokens: SummarizerTools['countTokens'],
): number {
  const texts = [system, ...messages.map(({ content }) => content)];
  return texts.reduce((sum, text) => sum + countTokens(text) + TOKENS_PER_MESSAGE, 0);
}
