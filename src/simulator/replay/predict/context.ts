import { contextTokensOf } from '../../session/session.ts';
import type { Calibration } from '../calibrate.ts';
import { calibrateOn, type StepPair } from '../step-pairs.ts';

/**
 * Predicts the context of each pair's second step from the recorded one of its first, calibrated on the pairs
 * before. Nothing where the recording agent cut its history in between: what stood behind the cut is not recorded.
 */
export function predictNext(pairs: readonly StepPair[]): readonly (number | undefined)[] {
  return pairs.map((pair, index) => {
    if (pair.cut !== undefined) return undefined;
    const grown = growthTokens(pair, calibrateOn(pairs.slice(0, index)));
    return contextTokensOf(pair.from.usage) + grown;
  });
}

/**
 * Predicts contexts without looking at recorded ones again until the next cut: calibrated on the first half of the
 * pairs, given for those of the second. The first recorded context, and the first behind each cut, is the anchor.
 */
export function predictFreely(pairs: readonly StepPair[]): readonly (number | undefined)[] {
  const halfIndex = Math.floor(pairs.length / 2);
  const calibration = calibrateOn(pairs.slice(0, halfIndex));
  let tokens = pairs[0] ? contextTokensOf(pairs[0].from.usage) : 0;
  return pairs.map((pair, index) => {
    tokens = pair.cut ? contextTokensOf(pair.to.usage) : tokens + growthTokens(pair, calibration);
    return pair.cut || index < halfIndex ? undefined : tokens;
  });
}

function growthTokens({ growth }: StepPair, { factor, perMessageTokens }: Calibration): number {
  return Math.round(factor * growth.countedTokens) + perMessageTokens * growth.messages;
}
