import { policies } from '../../engine/index.ts';
import { createEnv } from '../env.ts';
import { known } from '../lib/collections.ts';
import { behaviourOf, type CacheRules } from '../provider/behaviours.ts';
import { billRequest, type Prices } from '../provider/prices.ts';
import { cacheForTtl, cacheOf, createProfile } from '../provider/model-profile.ts';
import { createPrefixCache } from '../provider/prefix-cache.ts';
import { type CacheSplit, toPrompt } from '../provider/prompt.ts';
import { contextTokensOf, type Session } from '../session/session.ts';
import {
  calibrateOn,
  type Calibration,
  isContinued,
  isReplaced,
  pairSteps,
  type StepPair,
} from './sizes.ts';
import { compileSession } from './compile.ts';
import type { CountText } from './count.ts';
import { simulate } from './simulate.ts';

interface PredictOptions {
  readonly count: CountText;
  readonly pricesOf?: (model: string) => Prices | undefined;
}

interface Billing {
  readonly session: Session;
  readonly rules: CacheRules;
  readonly prices: Prices | undefined;
}

/** A number as predicted and as recorded. */
export interface Compared {
  readonly predicted: number;
  readonly recorded: number;
}

/** One recorded step with its prediction; unpredictable values are absent. */
export interface PredictedStep {
  readonly messageId: string;
  /** With recorded sizes, from the recorded step before. */
  readonly contextNext?: Compared;
  /** With recorded sizes, from the beginning until the agent compacted or cleared. */
  readonly contextFree?: Compared;
  /** With fitted sizes, from the recorded step before. */
  readonly fitNext?: Compared;
  /** With fitted sizes, from the last anchor. */
  readonly fitFree?: Compared;
  /** Part of the input that is read from the cache, from the recorded step before. */
  readonly cacheShare?: Compared;
  readonly inputCost?: Compared;
  readonly surprise?: Surprise;
}

/** An unpredictable event; `cache-lost`: a prefix lost within its time to live. */
export type Surprise =
  | 'after-compaction'
  | 'after-clearing'
  | 'after-restart'
  | 'other-model'
  | 'context-shrank'
  | 'cache-lost';

const LOST_SHARE = 0.1;

/** Predicts every step with recorded usage but the first. */
export function predictSession(
  session: Session,
  { count, pricesOf }: PredictOptions,
): readonly PredictedStep[] {
  const pairs = pairSteps(session, count);
  const fitNext = predictNext(pairs);
  const fitFree = predictFreely(pairs);
  const simulated = simulateContexts(session, count);
  let isUnchanged = true;
  return pairs.map((pair, index) => {
    const isAnchor = isReplaced(pair);
    isUnchanged &&= !isAnchor;
    const [from, to] = [pair.from, pair.to].map(({ id }) => simulated.get(id) ?? 0);
    const next = isAnchor ? undefined : contextTokensOf(pair.from.usage) + (to ?? 0) - (from ?? 0);
    const { model } = pair;
    const rules = rulesOf(model, session);
    const prices = model === undefined ? undefined : pricesOf?.(model);
    const billing = rules && { session, rules, prices };
    const input = billing && compareInput(pair, next, billing);
    const recorded = contextTokensOf(pair.to.usage);
    const compared = (predicted: number | undefined) =>
      predicted === undefined ? undefined : { predicted, recorded };
    return {
      messageId: pair.to.id,
      ...known({
        contextNext: compared(next),
        contextFree: compared(isUnchanged ? to : undefined),
        fitNext: compared(fitNext[index]),
        fitFree: compared(fitFree[index]),
        ...input,
        surprise: surpriseOf(pair, input?.cacheShare),
      }),
    };
  });
}

/** Predicts the context of each pair's second step from the first, calibrated on the pairs before. */
export function predictNext(pairs: readonly StepPair[]): readonly (number | undefined)[] {
  return pairs.map((pair, index) => {
    if (!isContinued(pair)) return undefined;
    const grown = growthTokens(pair, calibrateOn(pairs.slice(0, index)));
    return contextTokensOf(pair.from.usage) + grown;
  });
}

/** Predicts contexts of the second half of the pairs without looking at recorded ones again. */
export function predictFreely(pairs: readonly StepPair[]): readonly (number | undefined)[] {
  const halfIndex = Math.floor(pairs.length / 2);
  const calibration = calibrateOn(pairs.slice(0, halfIndex));
  let tokens = pairs[0] ? contextTokensOf(pairs[0].from.usage) : 0;
  return pairs.map((pair, index) => {
    const isNext = isContinued(pair);
    tokens = isNext ? tokens + growthTokens(pair, calibration) : contextTokensOf(pair.to.usage);
    return isNext && index >= halfIndex ? tokens : undefined;
  });
}

function simulateContexts(session: Session, count: CountText): ReadonlyMap<string, number> {
  const options = { tokenizer: 'any', tokenizerEvidence: 'estimated', count } as const;
  const control = {
    policy: policies.none,
    model: createProfile('any/any', { contextTokens: 0 }),
    summarizer: { name: 'none' },
    seed: 1,
    isBlind: true,
  };
  const contexts = new Map<string, number>();
  for (const told of simulate(compileSession(session, options), control, createEnv(1))) {
    for (const event of told.type === 'events' ? told.events : []) {
      if (event.type === 'step-end') contexts.set(event.messageId, event.contextTokens);
    }
  }
  return contexts;
}

/** Undefined where the model is unknown, caches nothing, or no cached tokens are recorded. */
function rulesOf(model: string | undefined, { cacheTtlMs, isCacheUnknown }: Session) {
  if (model === undefined || isCacheUnknown) return undefined;
  const behaviour = behaviourOf(model);
  const rules = cacheForTtl({ behaviour, cache: cacheOf(behaviour) }, cacheTtlMs);
  return rules.kind === 'none' ? undefined : rules;
}

function compareInput(pair: StepPair, contextTokens: number | undefined, billing: Billing) {
  const recordedTokens = contextTokensOf(pair.to.usage);
  if (contextTokens === undefined) return undefined;
  const split = predictSplit(pair, contextTokens, billing.rules);
  return {
    cacheShare: {
      predicted: split.readTokens / contextTokens,
      recorded: pair.to.usage.cacheRead / recordedTokens,
    },
    inputCost: compareCost(pair, split, billing),
  };
}

function predictSplit({ from, to }: StepPair, contextTokens: number, rules: CacheRules) {
  const { cacheRead, cacheWrite } = from.usage;
  // Automatic caches keep everything that was sent; others only what was read or written at marks.
  const cached = rules.kind === 'automatic' ? contextTokensOf(from.usage) : cacheRead + cacheWrite;
  const known = { tokens: Math.min(contextTokens, cached) };
  const added = { tokens: contextTokens - known.tokens };
  const cache = createPrefixCache(rules);
  cache.send(toPrompt([known], [1]), from.createdAt);
  return cache.send(toPrompt([known, added], [1, 2]), to.createdAt);
}

function compareCost({ to }: StepPair, split: CacheSplit, { session, rules, prices }: Billing) {
  if (prices === undefined) return undefined;
  const billOf = (of: Parameters<typeof billRequest>[0]['split']) =>
    billRequest({ split: of, outputTokens: 0 }, prices, rules);
  const predicted = billOf(split);
  const { input: freshTokens, cacheRead: readTokens, cacheWrite: writeTokens } = to.usage;
  const listed = billOf({ readTokens, writeTokens, freshTokens });
  const noted = session.recordedCosts?.get(to.id)?.inputNanoUsd ?? 0;
  const recorded = noted > 0 ? noted : listed.totalNanoUsd;
  const isKnown = [predicted, listed].every(({ assumed }) => assumed.length === 0);
  return isKnown && recorded > 0 ? { predicted: predicted.totalNanoUsd, recorded } : undefined;
}

function surpriseOf(
  { from, to, cut, isOtherModel, isRestart }: StepPair,
  cacheShare: Compared | undefined,
): Surprise | undefined {
  if (cut !== undefined) return cut.kind === 'full' ? 'after-compaction' : 'after-clearing';
  if (isOtherModel) return 'other-model';
  if (isRestart) return 'after-restart';
  if (contextTokensOf(to.usage) < contextTokensOf(from.usage)) return 'context-shrank';
  const { predicted, recorded } = cacheShare ?? { predicted: 0, recorded: 0 };
  return predicted - recorded > LOST_SHARE ? 'cache-lost' : undefined;
}

function growthTokens({ growth }: StepPair, { factor, perMessageTokens }: Calibration): number {
  return Math.round(factor * growth.countedTokens) + perMessageTokens * growth.messages;
}
