/** Asks real models through the AI SDK. */

import type { FinishReason, LanguageModel, LanguageModelUsage } from 'ai';
import type { Usage } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import { BrokenAnswerError } from './model/failure.ts';
import type { Clock } from './model/limiter.ts';
import type { TextModel, TextReply, TextRequest } from './model/prompt.ts';
import type { ModelSpec } from './model/model-name.ts';
import { lacksPackage, loadFromPackage } from './model/provider-package.ts';

/** Which of OpenAI's interfaces a model is asked through. */
export type ApiName = 'chat' | 'responses';

/** Where a model is and how it is asked. */
export interface SdkModelOptions extends ModelSpec {
  readonly baseUrl?: string | undefined;
  /** Absent where the provider needs none, or finds its own. */
  readonly apiKey?: string | undefined;
  /** OpenAI's own models are asked through `responses`, all others through `chat`. */
  readonly api?: ApiName | undefined;
  readonly streams?: boolean | undefined;
}

interface Answer {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly reasoningText: string | undefined;
  readonly usage: LanguageModelUsage;
  readonly response: { readonly modelId: string; readonly timestamp: Date };
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** A model of the AI SDK, whose packages load with the first request. */
export function createSdkModel(options: SdkModelOptions): TextModel {
  const { baseUrl } = options;
  const ask = options.streams === true ? stream : generate;
  let loading: Promise<LanguageModel> | undefined;
  const load = async () => {
    loading ??= loadModel(options);
    const [model] = await Promise.all([loading, loadSdk()]);
    return model;
  };
  return {
    id: `${options.provider}/${options.model}`,
    prepare: async () => {
      await load();
    },
    ask: async (request, signal) => toReply(await ask(await load(), request, signal)),
    ...(baseUrl !== undefined && { isServed: (signal) => isServed(baseUrl, signal) }),
  };
}

/** Any answer counts, also that there is no such page. */
async function isServed(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await fetch(url, { signal, redirect: 'manual' });
    await body?.cancel();
    return true;
  } catch {
    return false;
  }
}

async function generate(model: LanguageModel, request: TextRequest, signal: AbortSignal) {
  const { generateText } = await loadSdk();
  return generateText({ ...toCall(request), model, abortSignal: signal });
}

/** While streaming nothing throws: errors are parts. */
async function stream(model: LanguageModel, request: TextRequest, abortSignal: AbortSignal) {
  const { streamText } = await loadSdk();
  const result = streamText({ ...toCall(request), model, abortSignal, onError: () => undefined });
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw abortSignal.reason;
  }
  return {
    text: await result.text,
    finishReason: await result.finishReason,
    reasoningText: await result.reasoningText,
    usage: await result.usage,
    response: await result.response,
  };
}

/** Its warnings would be printed in the middle of a report. */
async function loadSdk() {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  return import('ai');
}

/** Tries are ours to make: only we know what they cost. */
function toCall({ system, messages, outputCapTokens }: TextRequest) {
  return {
    ...known({ system: system || undefined, maxOutputTokens: outputCapTokens }),
    messages: [...messages],
    maxRetries: 0,
  };
}

function toReply({ text, finishReason, reasoningText, usage, response }: Answer): TextReply {
  const told = toUsage(usage);
  if (finishReason === 'other' && told === undefined)
    throw new BrokenAnswerError('The answer broke off before its end.');
  return {
    text,
    finish: finishReason,
    ...known({ reasoningText: reasoningText || undefined, usage: told }),
    model: response.modelId,
    answeredAt: response.timestamp.toISOString(),
  };
}

/** Converts the SDK's usage: its input includes cached tokens, its output reasoning. */
function toUsage(usage: LanguageModelUsage): Usage | undefined {
  const { inputTokens, outputTokens, totalTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage.inputTokenDetails;
  const { reasoningTokens = 0 } = usage.outputTokenDetails;
  return {
    input: Math.max(0, (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    output: Math.max(0, (outputTokens ?? 0) - reasoningTokens),
    reasoning: reasoningTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
    ...known({ total: totalTokens }),
  };
}

async function loadModel(options: SdkModelOptions): Promise<LanguageModel> {
  const { provider, model, apiKey, baseUrl, api } = options;
  const settings = known({ apiKey, baseURL: baseUrl });
  if (provider === 'openai' && (baseUrl === undefined || api === 'responses')) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const openai = createOpenAI(settings);
    return api === 'chat' ? openai.chat(model) : openai.responses(model);
  }
  const installed =
    provider === 'openai' ? undefined : await loadFromPackage(provider, model, options);
  if (installed !== undefined) return installed;
  if (baseUrl === undefined) throw lacksPackage(provider);
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const named = { ...settings, name: provider, baseURL: baseUrl, includeUsage: true };
  return createOpenAICompatible(named).chatModel(model);
}
