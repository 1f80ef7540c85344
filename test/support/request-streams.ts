import { latencyMs } from '../../src/simulator/provider/prices.ts';
import type { PromptBlock } from '../../src/simulator/provider/prompt.ts';

/** One request of a drawn session, in tokens and times only. */
export interface StreamedRequest {
  readonly blocks: readonly PromptBlock[];
  /** A human began it, by a prompt; otherwise results of tools did. */
  readonly isUsers: boolean;
  /** What passed since the end of the answer before it. */
  readonly idleMs: number;
  /** How long its answer takes. */
  readonly answerMs: number;
}

type Random = () => number;
/** A value by the share of draws that are below it, the lowest share first. */
type Quantiles = readonly (readonly [share: number, value: number])[];

/**
 * Published figures of TraceLab (UW; 4,265 sessions, 357,161 steps). Means are 9.2 requests a session and
 * 7.8 tool steps a request; the last value of each is what these means leave for the tail.
 */
const REQUESTS_PER_SESSION: Quantiles = [
  [0.5, 1],
  [0.9, 18],
  [0.99, 137],
  [1, 137],
];
const TOOL_STEPS_PER_REQUEST: Quantiles = [
  [0, 0],
  [0.5, 1],
  [0.9, 20],
  [1, 105],
];
/** The lower half of sessions, which are those of one request; the median of all is 15. */
const TOOL_STEPS_OF_SINGLE_REQUEST: Quantiles = [
  [0, 0],
  [1, 15],
];
const APPENDED_TOKENS = { median: 875, mean: 1_750 };
const OUTPUT_TOKENS_MEDIAN = 214;
const HUMAN_WAIT_SECONDS = { median: 86, p90: 21 * 60 };
/** Beyond the cap, calls over a minute would hold more than the published 85 % of all tool time. */
const TOOL_SECONDS = { median: 0.3, p96: 60, cap: 75 * 60 };
const TOOL_CALLS_PER_TOOL_STEP = 101 / 73.6;
/** The p99 of Codex, where sessions are compacted. */
const LARGEST_PROMPT_TOKENS = 231_000;
/** System prompt and tools, and a prompt after a compaction: medians of recorded Claude Code sessions. */
const FIRST_PROMPT_TOKENS = 41_485;
const COMPACTED_PROMPT_TOKENS = 51_698;
/** Standard normal quantiles of the published shares. */
const Z_90 = 1.281_552;
const Z_96 = 1.750_686;
const MS_PER_SECOND = 1_000;
const SYSTEM_BLOCK: PromptBlock = { tokens: FIRST_PROMPT_TOKENS };

/** The requests of one session as the published marginals have them. */
export function drawSession(random: Random): readonly StreamedRequest[] {
  const session: StreamedRequest[] = [];
  let blocks: readonly PromptBlock[] = [SYSTEM_BLOCK];
  for (const toolSteps of drawToolSteps(random)) {
    for (let step = 0; step <= toolSteps; step++) {
      blocks = growBlocks(blocks, drawAppended(random));
      const isUsers = step === 0;
      const idleMs = isUsers ? drawHumanWaitMs(random) : drawToolMs(random);
      session.push({ blocks, isUsers, idleMs, answerMs: drawAnswerMs(random, blocks) });
    }
  }
  return session;
}

/** Tool steps of each request of a session. */
function drawToolSteps(random: Random): readonly number[] {
  const requests = Math.round(valueAt(REQUESTS_PER_SESSION, random()));
  const quantiles = requests > 1 ? TOOL_STEPS_PER_REQUEST : TOOL_STEPS_OF_SINGLE_REQUEST;
  return Array.from({ length: requests }, () => Math.round(valueAt(quantiles, random())));
}

function growBlocks(blocks: readonly PromptBlock[], tokens: number): readonly PromptBlock[] {
  const total = blocks.reduce((sum, block) => sum + block.tokens, tokens);
  return total > LARGEST_PROMPT_TOKENS
    ? [SYSTEM_BLOCK, { tokens: COMPACTED_PROMPT_TOKENS - FIRST_PROMPT_TOKENS }]
    : [...blocks, { tokens }];
}

function drawAppended(random: Random): number {
  return Math.max(1, Math.round(APPENDED_TOKENS.median * Math.exp(tokenSpread() * normal(random))));
}

/** Output is spread like what is appended; only its median is published. */
function drawAnswerMs(random: Random, blocks: readonly PromptBlock[]): number {
  const outputTokens = Math.round(OUTPUT_TOKENS_MEDIAN * Math.exp(tokenSpread() * normal(random)));
  const readTokens = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
  const split = { readTokens, writeTokens: 0, freshTokens: 0, lostTokens: 0, isCold: false };
  return latencyMs({ split, outputTokens });
}

/** The spread of logarithms at which a log-normal of that median has that mean. */
function tokenSpread(): number {
  return Math.sqrt(2 * Math.log(APPENDED_TOKENS.mean / APPENDED_TOKENS.median));
}

function drawHumanWaitMs(random: Random): number {
  const { median, p90 } = HUMAN_WAIT_SECONDS;
  const spread = Math.log(p90 / median) / Z_90;
  return Math.round(median * Math.exp(spread * normal(random)) * MS_PER_SECOND);
}

/** The longest of the calls of one step, which run side by side. */
function drawToolMs(random: Random): number {
  const { median, p96, cap } = TOOL_SECONDS;
  const spread = Math.log(p96 / median) / Z_96;
  let seconds = 0;
  do {
    seconds = Math.max(seconds, Math.min(cap, median * Math.exp(spread * normal(random))));
  } while (random() < 1 - 1 / TOOL_CALLS_PER_TOOL_STEP);
  return Math.round(seconds * MS_PER_SECOND);
}

/** Between two quantiles, the logarithm of one more than the value grows evenly. */
function valueAt(quantiles: Quantiles, share: number): number {
  const above = quantiles.findIndex(([upTo]) => share < upTo);
  const [highShare, high] = quantiles[above] ?? [1, 0];
  const [lowShare, low] = quantiles[above - 1] ?? [0, high];
  const part = (share - lowShare) / (highShare - lowShare);
  return Math.expm1(Math.log1p(low) + part * (Math.log1p(high) - Math.log1p(low)));
}

/** A standard normal number (Box and Muller). */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}
