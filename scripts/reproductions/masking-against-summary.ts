import { pricesFor, type Prices, type TokenPrices } from '../../src/simulator/provider/prices.ts';

/** One arm of the study: how long it ran, and how large its requests were. */
export interface Arm {
  readonly turns: number;
  readonly promptTokens: number;
  /** The cost of a run in the study. */
  readonly publishedUsd: number;
}

/** Qwen3-Coder-480B on SWE-bench Verified. Source: evaluation design, section 3.1. */
export const ARMS = {
  raw: { turns: 58.5, promptTokens: 30_600, publishedUsd: 1.288 },
  masking: { turns: 61.1, promptTokens: 12_400, publishedUsd: 0.61 },
  summary: { turns: 70.1, promptTokens: 15_200, publishedUsd: 0.637 },
} as const satisfies Record<string, Arm>;

/** Prices of the study's provider by size of the request. Source: evaluation design, section 9.7, R1. */
export const QWEN3_CODER: Prices = {
  inputPicoUsd: 1_000_000,
  outputPicoUsd: 5_000_000,
  cacheReadPicoUsd: 400_000,
  tiers: [
    {
      overTokens: 32_000,
      inputPicoUsd: 1_800_000,
      outputPicoUsd: 9_000_000,
      cacheReadPicoUsd: 720_000,
    },
    {
      overTokens: 128_000,
      inputPicoUsd: 3_000_000,
      outputPicoUsd: 15_000_000,
      cacheReadPicoUsd: 1_200_000,
    },
  ],
};

/** System prompt and task; what a turn writes; both are assumptions, as is the length of a summary. */
const PREFIX_TOKENS = 1_500;
const OUTPUT_TOKENS = 150;
const SUMMARY_TOKENS = 800;
/** Observations that masking and summaries keep, and turns that a summary takes. */
const KEPT_TURNS = 10;
const SUMMARISED_TURNS = 21;
const PICO_USD = 1e12;

interface Request {
  readonly promptTokens: number;
  readonly uncachedTokens: number;
  readonly outputTokens: number;
}

/** The tokens that a turn adds where nothing is ever taken away: requests grow evenly around their mean. */
const GROWTH_TOKENS = (2 * (ARMS.raw.promptTokens - PREFIX_TOKENS)) / ARMS.raw.turns;

/** The cost of a run of each arm with its published turns and sizes, when all that has not changed comes from the cache. */
export function costsOfArms(): Readonly<Record<keyof typeof ARMS, number>> {
  return { raw: costOfRaw(), masking: costOfMasking(), summary: costOfSummary() };
}

/** Only what is new is not cached. */
function costOfRaw(): number {
  return overTurns(ARMS.raw, (turn) => ({
    promptTokens: PREFIX_TOKENS + turn * GROWTH_TOKENS,
    uncachedTokens: GROWTH_TOKENS,
    outputTokens: OUTPUT_TOKENS,
  }));
}

/** Each turn masks one more observation, so that all the kept ones behind it are sent anew. */
function costOfMasking(): number {
  const { promptTokens } = ARMS.masking;
  return overTurns(ARMS.masking, (turn) => ({
    promptTokens,
    uncachedTokens: turn <= KEPT_TURNS ? GROWTH_TOKENS : KEPT_TURNS * GROWTH_TOKENS,
    outputTokens: OUTPUT_TOKENS,
  }));
}

/** Every so many turns a summary reads what it replaces, and is sent anew with the turns that are kept. */
function costOfSummary(): number {
  const { turns, promptTokens } = ARMS.summary;
  const rewritten = (SUMMARY_TOKENS + KEPT_TURNS * GROWTH_TOKENS) / SUMMARISED_TURNS;
  const steps = overTurns(ARMS.summary, () => ({
    promptTokens,
    uncachedTokens: GROWTH_TOKENS + rewritten,
    outputTokens: OUTPUT_TOKENS,
  }));
  const inputTokens = SUMMARISED_TURNS * GROWTH_TOKENS + SUMMARY_TOKENS;
  const call = costOf({
    promptTokens: inputTokens,
    uncachedTokens: inputTokens,
    outputTokens: SUMMARY_TOKENS,
  });
  return steps + ((turns - KEPT_TURNS) / SUMMARISED_TURNS) * call;
}

/** A part of a turn counts as such. */
function overTurns({ turns }: Arm, requestOf: (turn: number) => Request): number {
  let total = 0;
  for (let turn = 1; turn < turns + 1; turn++) {
    total += Math.min(1, turns + 1 - turn) * costOf(requestOf(turn));
  }
  return total;
}

function costOf({ promptTokens, uncachedTokens, outputTokens }: Request): number {
  const prices = pricesFor<TokenPrices>(QWEN3_CODER, promptTokens);
  const { inputPicoUsd, outputPicoUsd, cacheReadPicoUsd = inputPicoUsd } = prices;
  const fresh = Math.min(uncachedTokens, promptTokens);
  const picoUsd =
    fresh * inputPicoUsd + (promptTokens - fresh) * cacheReadPicoUsd + outputTokens * outputPicoUsd;
  return picoUsd / PICO_USD;
}
