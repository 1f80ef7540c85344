import * as z from 'zod';
import type { Limits, Usage } from '../../../src/engine/index.ts';
import type { BilledPrices, TokenBasis } from '../../../src/simulator/events.ts';
import type { ShapeOf } from '../../../src/simulator/session/formats/canonical-lines.ts';

const evidence = z.enum(['measured', 'estimated']);
const tokens = z.number();

const limits = {
  contextTokens: tokens.describe('the window; 0 is none'),
  inputTokens: tokens.optional().describe('a cap on input'),
  outputTokens: tokens.optional().describe('the longest answer'),
} satisfies ShapeOf<Limits>;

const requestPrices = {
  inputPicoUsd: z.number(),
  outputPicoUsd: z.number(),
  cacheReadPicoUsd: z.number(),
  cacheWritePicoUsd: z.number(),
};
const prices = {
  ...requestPrices,
  tiers: z
    .array(z.object({ overTokens: tokens, ...requestPrices }))
    .optional()
    .describe('of requests that are larger than a size, smallest first'),
} satisfies ShapeOf<BilledPrices>;

const basis = {
  tokenizer: z.string(),
  tokenizerEvidence: evidence.describe("`measured` if it is the model's own"),
  factor: z.number().describe('true tokens per counted token'),
  perMessageTokens: tokens.describe('fixed cost of each message'),
  calibration: evidence,
  calibrationPairs: z.int().describe('pairs of steps that the calibration rests on'),
  overheadTokens: tokens.describe('system prompt and tools'),
  overhead: evidence,
} satisfies ShapeOf<TokenBasis>;

const reported = {
  input: tokens.describe('neither read from a cache nor written to it'),
  output: tokens,
  reasoning: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  total: tokens.optional().describe("the provider's own sum"),
} satisfies ShapeOf<Usage>;

/** The shapes of fields that hold fields of their own, by name. */
export const fieldObjects: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries({ limits, prices, basis, reported }).map(([name, shape]) => [
    name,
    z.object(shape),
  ]),
);
