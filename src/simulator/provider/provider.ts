import type { ProviderError } from '../../engine/index.ts';
import { windowTokensOf } from '../scenario/settings.ts';
import type { ModelProfile } from './model-profile.ts';
import type { PrefixCache } from './prefix-cache.ts';
import type { CacheSplit, Prompt } from './prompt.ts';
import { type RefusalRules, refusals, type RefusedSize } from './refusals.ts';

/** A request on its way to a provider. */
export interface ProviderRequest {
  readonly prompt: Prompt;
  /** True tokens of the prompt. */
  readonly tokens: number;
  /** Of its content, data URLs included. */
  readonly bytes: number;
  /** What is wrong with its form; nothing where a provider would take it. */
  readonly fault: string | undefined;
}

/** What becomes of a request. */
export type Reply =
  | {
      readonly type: 'served';
      readonly split: CacheSplit;
      /** Tokens that the model was given; fewer than were sent where the provider cut the request silently. */
      readonly keptTokens: number;
    }
  | { readonly type: 'refused'; readonly error: ProviderError; readonly windowTokens: number }
  | { readonly type: 'malformed'; readonly fault: string };

/** A simulated provider of one model, with the state that it keeps between requests. */
export interface Provider {
  readonly profile: ModelProfile;
  /** The window that it enforces; 0 is without limit. */
  readonly windowTokens: number;
  /** Answers a request that starts at that time, in ms. */
  send(request: ProviderRequest, startMs: number): Reply;
}

/** A provider that has served nobody yet, with a cache that is still empty and keeps to the rules of its profile. */
export function createProvider(profile: ModelProfile, cache: PrefixCache): Provider {
  const { trueLimits, behaviour } = profile;
  const rules: RefusalRules = refusals[behaviour.refusal];
  const windowTokens = windowTokensOf(trueLimits);
  return {
    profile,
    windowTokens,
    send: (request, startMs) => {
      const { tokens, bytes, fault } = request;
      if (exceedsByteCap(bytes, behaviour.maxRequestBytes)) {
        const size = { requestTokens: tokens, windowTokens };
        const error = refusals['request-too-large'].errorFor(size);
        return { type: 'refused', error, windowTokens };
      }
      if (fault !== undefined) return { type: 'malformed', fault };
      if (windowTokens > 0 && tokens > windowTokens) {
        return replyTooLarge(rules, { requestTokens: tokens, windowTokens });
      }
      const split = cache.send(request.prompt, startMs);
      return { type: 'served', split, keptTokens: tokens };
    },
  };
}

/** Whether a request is larger than a provider reads at all, which it answers with a 413. Without a cap none is. */
export function exceedsByteCap(bytes: number, maxBytes: number | undefined): boolean {
  return maxBytes !== undefined && bytes > maxBytes;
}

/** What becomes of a request that is larger than the window. */
function replyTooLarge(rules: RefusalRules, size: RefusedSize): Reply {
  const { windowTokens } = size;
  if (rules.kind === 'refuses') {
    return { type: 'refused', error: rules.errorFor(size), windowTokens };
  }
  const keptTokens = rules.keptTokens(size);
  return { type: 'served', split: freshOnly(keptTokens), keptTokens };
}

/** What is left of a request that was cut begins elsewhere, so that no cache knows it. */
function freshOnly(freshTokens: number): CacheSplit {
  return { readTokens: 0, writeTokens: 0, freshTokens, lostTokens: 0, isCold: false };
}
