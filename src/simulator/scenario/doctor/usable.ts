/** Lints about what is left for a request. */

import { windowTokensOf } from '../../window-tokens.ts';
import { applySettings, type SettingValues } from '../settings.ts';
import { type Checkup, examine, usableTokensOf } from './checkup.ts';
import { type Lint, shownTokens } from './lint.ts';

/** What may leave more usable, with a value that leaves as much as can be. */
const LEVERS: readonly (readonly [words: string, most: SettingValues])[] = [
  ["declare a smaller 'outputTokens'", { outputTokens: 1 }],
  ["lower 'outputCap'", { outputCap: 1 }],
  ["lower 'reserved'", { reserved: 0 }],
];

/** Nothing is left for a request: every check overflows, and a pivot cannot help. */
export const usableNotPositive: Lint = {
  severity: 'never-works',
  describes: 'No part of the window is usable, so every step overflows.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    if (usableTokens === undefined || usableTokens > 0) return [];
    return [
      {
        problem: `usable is ${shownTokens(usableTokens)} tokens, so every step overflows`,
        advice: adviceOf(checkup, 'choose a model with a larger window'),
      },
    ];
  },
};

/** Less is usable than a request holds before anybody said a word. */
export const usableBelowFloor: Lint = {
  severity: 'never-works',
  describes: 'Less is usable than system prompt and tools take, so no pivot is enough.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    const { floorTokens } = checkup;
    if (usableTokens === undefined || usableTokens <= 0 || usableTokens > floorTokens) return [];
    const [usable, floor] = [usableTokens, floorTokens].map(shownTokens);
    return [
      {
        problem: `usable ${usable} is not above the floor of ${floor} tokens, so no pivot is enough`,
        advice: adviceOf(checkup, "give the true floor with '--floor'"),
      },
    ];
  },
};

/** The check comes after the provider's own limit: only a refusal is ever noticed. */
export const triggerAboveWindow: Lint = {
  severity: 'warning',
  describes: 'The provider refuses a request before the policy acts.',
  find: (checkup) => {
    const windowTokens = windowTokensOf(checkup.target.limits);
    const usableTokens = usableTokensOf(checkup);
    if (usableTokens === undefined || windowTokens === 0 || usableTokens <= windowTokens) return [];
    const [usable, window] = [usableTokens, windowTokens].map(shownTokens);
    return [
      {
        problem: `usable ${usable} is above the ${window} tokens that the provider takes`,
        advice: `Choose a preset that respects input caps, or expect refusals, on which this one will: ${refusalOf(checkup)}.`,
      },
    ];
  },
};

function refusalOf({ target }: Checkup): string {
  return target.policy.trigger.onRefusal;
}

/** Those levers that the rule reads on this model, or something else. */
function adviceOf(checkup: Checkup, otherwise: string): string {
  const before = usableTokensOf(checkup) ?? 0;
  const usableWith = (values: SettingValues) =>
    usableTokensOf(examine({ ...checkup, target: applySettings(checkup.target, values) })) ?? 0;
  const levers = LEVERS.filter(([, most]) => usableWith(most) > before).map(([words]) => words);
  const advice = levers.length === 0 ? otherwise : `${levers.join(', ')}, or ${otherwise}`;
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
}
