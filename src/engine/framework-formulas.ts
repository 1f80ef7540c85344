/** How frameworks and smaller agents work out the tokens at which they act. Source: comparison of peers. */

import {
  context,
  type Formula,
  inputCapOrContext,
  outputUnder,
  type OverflowOptions,
  shareOf,
  without,
} from './usable.ts';

const NINE_TENTHS = 0.9;
const ROO_OUTPUT_TOKENS = 8_192;

/** As long an answer as the model declares, under no cap. */
const declaredOutputOr =
  (fallbackTokens: (options: OverflowOptions) => number): Formula =>
  ({ outputTokens }, options, { value }) =>
    outputTokens
      ? value('declared output', outputTokens)
      : value('default reserve', fallbackTokens(options));

/** Nine tenths of the window, less an answer. Source: comparison of peers, section 11. */
export const rooCode: Formula = without(
  shareOf(context, NINE_TENTHS),
  declaredOutputOr(() => ROO_OUTPUT_TOKENS),
);

const MIMO_SUMMARY_TOKENS = 33_000;
const MIMO_ANSWER_TOKENS = 20_000;

/** Input cap or window, less room for a summary; of a window, which answers share, less room for one of these too. Source: section 2. */
export const mimoCode: Formula = (limits, options, arithmetic) => {
  const roomUnder = (capTokens: number) =>
    outputUnder(Math.min(capTokens, options.outputCapTokens));
  const lessSummary = without(inputCapOrContext, roomUnder(MIMO_SUMMARY_TOKENS));
  const rule = limits.inputTokens
    ? lessSummary
    : without(lessSummary, roomUnder(MIMO_ANSWER_TOKENS));
  return rule(limits, options, arithmetic);
};

const CONTINUE_BUFFER_TOKENS = 15_000;
const CONTINUE_SHARE = 0.2;

/** The window less an answer and a buffer: as large as the answer, or a fifth of the rest, at most 15,000. Source: section 23. */
export const continueCli: Formula = (limits, options, arithmetic) => {
  const { difference, least, most, share, value } = arithmetic;
  const output = declaredOutputOr(({ outputCapTokens }) => outputCapTokens);
  const answer = output(limits, options, arithmetic);
  const rest = without(context, output)(limits, options, arithmetic);
  const buffer = most([answer, share(rest, CONTINUE_SHARE)]);
  return difference(rest, least([buffer, value('default reserve', CONTINUE_BUFFER_TOKENS)]));
};

const AIDER_SHARE = 1 / 16;
const AIDER_LEAST_TOKENS = 1_024;
const AIDER_MOST_TOKENS = 8_192;

/** A sixteenth of what the model takes, within bounds. Source: section 14. */
export const aider: Formula = (limits, options, arithmetic) => {
  const { least, most, share, value } = arithmetic;
  const part = share(inputCapOrContext(limits, options, arithmetic), AIDER_SHARE);
  const bounded = least([part, value('cap', AIDER_MOST_TOKENS)]);
  return most([bounded, value('default reserve', AIDER_LEAST_TOKENS)]);
};

/** Nine tenths of what the model takes; of a window, which answers share, nine tenths of these. Source: section 10a. */
export const cline: Formula = (limits, options, arithmetic) => {
  const most = limits.inputTokens
    ? arithmetic.least([
        inputCapOrContext(limits, options, arithmetic),
        context(limits, options, arithmetic),
      ])
    : shareOf(context, NINE_TENTHS)(limits, options, arithmetic);
  return arithmetic.share(most, NINE_TENTHS);
};

/** Tokens that it keeps free of the windows that it knows. */
const CLINE_RESERVES = new Map([
  [64_000, 27_000],
  [128_000, 30_000],
  [200_000, 40_000],
]);
const CLINE_RESERVED_TOKENS = 40_000;
const CLINE_SHARE = 0.8;

/** A window that it knows less a number of its own; of others four fifths, or all but 40,000. Source: section 10b. */
export const clineClassic: Formula = (limits, options, arithmetic) => {
  const known = CLINE_RESERVES.get(limits.contextTokens);
  const less = (tokens: number) =>
    without(context, (_, __, { value }) => value('default reserve', tokens))(
      limits,
      options,
      arithmetic,
    );
  if (known !== undefined) return less(known);
  const share = shareOf(context, CLINE_SHARE)(limits, options, arithmetic);
  return arithmetic.most([less(CLINE_RESERVED_TOKENS), share]);
};
