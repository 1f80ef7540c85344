import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FinishReason, LanguageModel, LanguageModelUsage } from 'ai';
import type { Usage } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import { badOption, type HarnessError } from '../lib/errors.ts';
import { faultCode } from '../lib/files.ts';
import { describeNearest, quoted } from '../lib/names.ts';
import { BrokenAnswerError } from './model/failure.ts';
import type { Clock } from './model/call.ts';
import type { ApiName, ModelSpec } from './model/model-name.ts';
import type { TextModel, TextReply, TextRequest } from './model/prompt.ts';

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

type CreateProvider = (
  settings: Readonly<Record<string, string>>,
) => (model: string) => LanguageModel;

const FACTORY = /^create[A-Z]/;
const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]*$/;
const SHIPPED = 'openai';

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

/** A model of an AI SDK provider; `undefined` where its package is not installed. Why: docs/decisions, 2026-11-22, provider packages by name. */
export async function loadFromPackage(
  provider: string,
  model: string,
  settings: {
    readonly apiKey?: string | undefined;
    readonly baseUrl?: string | undefined;
    readonly folder?: string | undefined;
  },
): Promise<LanguageModel | undefined> {
  if (!PROVIDER_NAME.test(provider)) return undefined;
  const { apiKey, baseUrl, folder = resolve('.') } = settings;
  const name = `@ai-sdk/${provider}`;
  const module = (await importInstalled(name)) ?? (await importFrom(folder, name));
  const create = module && findFactory(module);
  return create?.(known({ apiKey, baseURL: baseUrl }))(model);
}

/** Throws for a provider that is misspelt, or has no package here. */
export function checkProvider(
  { provider }: ModelSpec,
  profiles: ReadonlyMap<string, unknown>,
  baseUrl?: string,
): void {
  if (baseUrl !== undefined || provider === SHIPPED || hasPackage(provider)) return;
  const providers = new Set([...profiles.keys()].map((id) => id.slice(0, id.indexOf('/'))));
  if (providers.has(provider)) throw lacksPackage(provider);
  const hint = describeNearest(provider, providers);
  throw badOption(
    `Unknown provider ${quoted(provider)}${hint}. A server of your own needs '--base-url'.`,
  );
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

function lacksPackage(provider: string): HarnessError {
  const name = `@ai-sdk/${provider}`;
  return badOption(
    `Provider ${quoted(provider)} needs the package '${name}', which is not installed: install it with 'npm install ${name}', or give '--base-url' of an OpenAI-compatible server.`,
  );
}

/** Only a package that is absent is none; one that is broken throws. */
async function importInstalled(name: string) {
  try {
    return (await import(name)) as object;
  } catch (error) {
    const isAbsent =
      error instanceof Error &&
      'code' in error &&
      error.code === 'ERR_MODULE_NOT_FOUND' &&
      error.message.includes(name);
    if (isAbsent) return undefined;
    throw error;
  }
}

/** The program may be installed for all projects, and the package for the one at hand. */
async function importFrom(folder: string, name: string) {
  const path = resolveFrom(folder, name);
  return path === undefined ? undefined : ((await import(pathToFileURL(path).href)) as object);
}

function resolveFrom(folder: string, name: string) {
  try {
    return createRequire(join(folder, 'any.js')).resolve(name);
  } catch (error) {
    if (faultCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function findFactory(module: object) {
  const [factory] = Object.entries(module).filter(
    ([name, value]) => FACTORY.test(name) && typeof value === 'function',
  );
  return factory?.[1] as CreateProvider | undefined;
}

function hasPackage(provider: string) {
  if (!PROVIDER_NAME.test(provider)) return false;
  return [import.meta.dirname, resolve('.')].some((from) => isThere(from, `@ai-sdk/${provider}`));
}

function isThere(folder: string, name: string) {
  try {
    return resolveFrom(folder, name) !== undefined;
  } catch {
    // One that cannot be resolved for another reason is there; loading it tells the reason.
    return true;
  }
}
