import { billRequest } from '../../provider/bill.ts';
import type { CacheSplit } from '../../provider/cache/prompt.ts';
import type { CacheRules } from '../../provider/cache/rules.ts';
import type { Prices } from '../../provider/prices.ts';
import { contextTokensOf, type Session } from '../../session/session.ts';
import type { CountText } from '../count.ts';
import { predictSplit, rulesOf } from './cache.ts';
import { predictFreely, predictNext } from './context.ts';
import { pairSteps, type StepPair } from '../step-pairs.ts';
import type { Compared, PredictedStep } from './step.ts';
import { surpriseOf } from './surprise.ts';

/** What predictions rest on besides the session. */
export interface PredictOptions {
  readonly count: CountText;
  /** Those of a model by its `provider/model`; absent when unknown. */
  readonly pricesOf?: (model: string) => Prices | undefined;
}

/** Everything that the prediction of a step's input rests on. */
interface Billing {
  readonly session: Session;
  readonly rules: CacheRules;
  readonly prices: Prices | undefined;
}

/**
 * Predicts every step with recorded usage but the first, under what its agent did. A step's own recorded numbers are
 * never used for it.
 */
export function predictSession(
  session: Session,
  { count, pricesOf }: PredictOptions,
): readonly PredictedStep[] {
  const pairs = pairSteps(session, count);
  const next = predictNext(pairs);
  const free = predictFreely(pairs);
  return pairs.map((pair, index) => {
    const { model } = pair;
    const rules = rulesOf(model, session);
    const prices = model === undefined ? undefined : pricesOf?.(model);
    const billing = rules && { session, rules, prices };
    const input = billing && compareInput(pair, next[index], billing);
    const surprise = surpriseOf(pair, input?.cacheShare);
    return {
      messageId: pair.to.id,
      ...compareContext('contextNext', pair, next[index]),
      ...compareContext('contextFree', pair, free[index]),
      ...input,
      ...(surprise && { surprise }),
    };
  });
}

function compareContext(
  key: 'contextNext' | 'contextFree',
  { to }: StepPair,
  predicted: number | undefined,
): Pick<PredictedStep, typeof key> {
  if (predicted === undefined) return {};
  return { [key]: { predicted, recorded: contextTokensOf(to.usage) } };
}

function compareInput(
  pair: StepPair,
  contextTokens: number | undefined,
  billing: Billing,
): Pick<PredictedStep, 'cacheShare' | 'inputCost'> {
  const recordedTokens = contextTokensOf(pair.to.usage);
  if (contextTokens === undefined) return {};
  const split = predictSplit(pair, contextTokens, billing.rules);
  const cost = compareCost(pair, split, billing);
  return {
    cacheShare: {
      predicted: split.readTokens / contextTokens,
      recorded: pair.to.usage.cacheRead / recordedTokens,
    },
    ...(cost && { inputCost: cost }),
  };
}

function compareCost(
  { to }: StepPair,
  split: CacheSplit,
  { session, rules, prices }: Billing,
): Compared | undefined {
  const recorded = session.recordedCosts?.get(to.id)?.inputNanoUsd;
  if (recorded === undefined || recorded === 0 || prices === undefined) return undefined;
  const bill = billRequest({ split, outputTokens: 0 }, prices, rules);
  return bill.assumed.length > 0 ? undefined : { predicted: bill.totalNanoUsd, recorded };
}
