import { type Checkup, usableTokensOf, windowOf } from './checkup.ts';
import { type Lint, shownTokens } from './lint.ts';

/** Nothing is left for a request: every check overflows, and a pivot cannot help. */
export const usableNotPositive: Lint = {
  severity: 'never-works',
  describes: 'Nothing of the window is usable, so that every step overflows.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    if (usableTokens === undefined || usableTokens > 0) return [];
    return [
      {
        problem: `usable is ${shownTokens(usableTokens)} tokens, so that every step overflows`,
        advice: "Lower 'outputCap' or 'reserved', or take a model with a larger window.",
      },
    ];
  },
};

/** Less is usable than a request holds before anybody said a word. */
export const usableBelowFloor: Lint = {
  severity: 'never-works',
  describes: 'Less is usable than what system prompt and tools take, so that no pivot is enough.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    const { floorTokens } = checkup;
    if (usableTokens === undefined || usableTokens <= 0 || usableTokens > floorTokens) return [];
    const [usable, floor] = [usableTokens, floorTokens].map(shownTokens);
    return [
      {
        problem: `usable ${usable} is not above the floor of ${floor} tokens, so that no pivot is enough`,
        advice: "Lower 'outputCap' or 'reserved', or give the true floor with '--floor'.",
      },
    ];
  },
};

/** The check comes after the provider's own limit: only a refusal is ever noticed. */
export const triggerAboveWindow: Lint = {
  severity: 'warning',
  describes: 'The provider refuses a request before the policy acts.',
  find: (checkup) => {
    const windowTokens = windowOf(checkup.target.limits);
    const usableTokens = usableTokensOf(checkup);
    if (usableTokens === undefined || windowTokens === 0 || usableTokens <= windowTokens) return [];
    const [usable, window] = [usableTokens, windowTokens].map(shownTokens);
    return [
      {
        problem: `usable ${usable} is above the ${window} tokens that the provider takes`,
        advice: `Take a preset that knows input caps, or expect refusals, upon which this one does: ${refusalOf(checkup)}.`,
      },
    ];
  },
};

function refusalOf({ target }: Checkup): string {
  return target.policy.trigger.onRefusal;
}
