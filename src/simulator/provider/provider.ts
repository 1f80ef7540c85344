import type { ProviderError } from '../../engine/index.ts';
import { windowTokensOf } from '../scenario/settings.ts';
import type { ModelProfile } from './model-profile.ts';
import type { PrefixCache } from './prefix-cache.ts';
import type { CacheSplit, Prompt } from './prompt.ts';
import { type RefusalRules, refusals } from './refusals.ts';

/** A request on its way to a provider. */
export interface ProviderRequest {
  readonly prompt: Prompt;
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

/** A simulated provider of one model under the rules of its profile; a window of 0 tokens is without limit. */
export function createProvider(profile: ModelProfile, cache: PrefixCache) {
  const { trueLimits, behaviour } = profile;
  const rules: RefusalRules = refusals[behaviour.refusal];
  const windowTokens = windowTokensOf(trueLimits);
  const send = ({ prompt, tokens, bytes, fault }: ProviderRequest, startMs: number): Reply => {
    const size = { requestTokens: tokens, windowTokens };
    if (exceedsByteCap(bytes, behaviour.maxRequestBytes))
      return { type: 'refused', error: refusals['request-too-large'].errorFor(size), windowTokens };
    if (fault !== undefined) return { type: 'malformed', fault };
    if (windowTokens === 0 || tokens <= windowTokens)
      return { type: 'served', split: cache.send(prompt, startMs), keptTokens: tokens };
    if (rules.kind === 'refuses')
      return { type: 'refused', error: rules.errorFor(size), windowTokens };
    // A request that was cut starts elsewhere, so no cache matches it.
    const freshTokens = rules.keptTokens(size);
    const split = { readTokens: 0, writeTokens: 0, freshTokens, lostTokens: 0, isCold: false };
    return { type: 'served', split, keptTokens: freshTokens };
  };
  return { profile, windowTokens, send };
}

/** Tests if a request exceeds the size that a provider reads at all, which it answers with a 413; never without a cap. */
export function exceedsByteCap(bytes: number, maxBytes: number | undefined): boolean {
  return maxBytes !== undefined && bytes > maxBytes;
}
