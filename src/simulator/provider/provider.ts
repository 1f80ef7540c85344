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
  /** The fault of its form; undefined if a provider would accept it. */
  readonly fault: string | undefined;
}

/** The provider's reply to a request. */
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
interface Provider {
  readonly profile: ModelProfile;
  /** The window that it enforces; 0 is without limit. */
  readonly windowTokens: number;
  /** Answers a request that starts at that time, in ms. */
  send(request: ProviderRequest, startMs: number): Reply;
}

/** Creates a provider with an empty cache under the rules of its profile. */
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

/** Tests if a request exceeds the size that a provider reads at all, which it answers with a 413; never without a cap. */
export function exceedsByteCap(bytes: number, maxBytes: number | undefined): boolean {
  return maxBytes !== undefined && bytes > maxBytes;
}

function replyTooLarge(rules: RefusalRules, size: RefusedSize): Reply {
  const { windowTokens } = size;
  if (rules.kind === 'refuses') {
    return { type: 'refused', error: rules.errorFor(size), windowTokens };
  }
  const keptTokens = rules.keptTokens(size);
  return { type: 'served', split: freshOnly(keptTokens), keptTokens };
}

/** A split without cached tokens: a request that was cut starts elsewhere, so no cache matches it. */
function freshOnly(freshTokens: number): CacheSplit {
  return { readTokens: 0, writeTokens: 0, freshTokens, lostTokens: 0, isCold: false };
}
