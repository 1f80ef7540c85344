import { contextTokensOf } from '../../session/session.ts';
import type { Calibration } from '../calibrate.ts';
import { calibrateOn, isContinued, type StepPair } from '../step-pairs.ts';

/**
 * Predicts the context of each pair's second step from the recorded one of its first, calibrated on the pairs
 * before. Nothing where the second does not continue the first.
 */
export function predictNext(pairs: readonly StepPair[]): readonly (number | undefined)[] {
  return pairs.map((pair, index) => {
    if (!isContinued(pair)) return undefined;
    const grown = growthTokens(pair, calibrateOn(pairs.slice(0, index)));
    return contextTokensOf(pair.from.usage) + grown;
  });
}

/**
 * Predicts contexts without looking at recorded ones again as long as steps continue each other: calibrated on the
 * first half of the pairs, given for those of the second. The first recorded context, and the first behind each cut
 * and of each model, is the anchor.
 */
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

function growthTokens({ growth }: StepPair, { factor, perMessageTokens }: Calibration): number {
  return Math.round(factor * growth.countedTokens) + perMessageTokens * growth.messages;
}
