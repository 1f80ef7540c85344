/** Lints about a model's limits. */

import { type Lint, shownTokens } from './lint.ts';

/** A cap on input that is larger than the window it is part of. */
export const inputAboveWindow: Lint = {
  severity: 'warning',
  describes: "The model's input cap is larger than its window.",
  find: ({ target }) => {
    const { inputTokens = 0, contextTokens } = target.limits;
    if (contextTokens === 0 || inputTokens <= contextTokens) return [];
    const [input, context] = [inputTokens, contextTokens].map(shownTokens);
    return [
      {
        problem: `the input cap ${input} is above the window ${context}`,
        advice: "Set 'inputTokens' to the window or less; one of the two numbers is wrong.",
      },
    ];
  },
};

/** An answer that may be as long as the whole window. */
export const outputAboveWindow: Lint = {
  severity: 'warning',
  describes: 'The longest answer takes the whole window.',
  find: ({ target }) => {
    const { outputTokens = 0, contextTokens } = target.limits;
    if (contextTokens === 0 || outputTokens < contextTokens) return [];
    const [output, context] = [outputTokens, contextTokens].map(shownTokens);
    return [
      {
        problem: `the output ${output} takes the whole window ${context}`,
        advice: "Set 'outputTokens' or 'outputCap' to what answers really need.",
      },
    ];
  },
};

/** A window of 0 is unknown, and switches the check of most rules off. */
export const windowUnknown: Lint = {
  severity: 'warning',
  describes: 'The window is unknown, so nothing is ever compacted.',
  find: ({ trigger }) =>
    trigger?.isUnlimited
      ? [
          {
            problem: 'the window is 0, which means unknown: the policy never compacts by itself',
            advice: "Set 'contextTokens' to the model's window.",
          },
        ]
      : [],
};
