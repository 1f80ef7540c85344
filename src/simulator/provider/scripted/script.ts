/** The script of a model: what it answers, and what it reports. */

import * as z from 'zod';
import type { Usage } from '../../../engine/index.ts';
import { type RefusalName, refusals } from '../refusals.ts';

export type ProviderScript = z.infer<typeof ProviderScriptSchema>;
export type ScriptAnswer = z.infer<typeof ScriptAnswerSchema>;
export type ScriptSummary = z.infer<typeof ScriptSummarySchema>;
export type ScriptUsage = z.infer<typeof ScriptUsageSchema>;

const PROMPT_FILL = ' And the next of them, each on a line.';
const Tokens = z.int().nonnegative();
const Chars = z.int().positive();

const ScriptUsageSchema = z.strictObject({
  inputTokens: Tokens,
  outputTokens: Tokens.default(10),
  /** Of the output. */
  reasoningTokens: Tokens.exactOptional(),
  /** Of the input, as OpenAI reports what was cached. */
  cachedTokens: Tokens.exactOptional(),
  /** Beside the input, as Anthropic reports it. */
  cachedBesideTokens: Tokens.exactOptional(),
  /** Told in place of the sum. */
  totalTokens: Tokens.exactOptional(),
});

/** The provider in whose words a request is refused. */
export const RefusalSchema = z
  .string()
  .refine((name): name is RefusalName => Object.hasOwn(refusals, name), {
    error: `Expected one of ${Object.keys(refusals).join(', ')}`,
  });

const ScriptAnswerSchema = z.strictObject({
  usage: ScriptUsageSchema.exactOptional(),
  /** Asks the agent to run a command that prints that many characters, or several at once; else the answer is a text, which ends the turn. */
  outputChars: z.union([Chars, z.array(Chars).min(1)]).exactOptional(),
  reasoningChars: Chars.exactOptional(),
  tool: z.literal('skill').exactOptional(),
  refusal: RefusalSchema.exactOptional(),
  /** The request fails once with this status of HTTP. */
  status: z.int().min(400).max(599).exactOptional(),
});

const ScriptSummarySchema = z.strictObject({
  usage: ScriptUsageSchema.exactOptional(),
  /** Length of its text; 0 is an empty one. */
  chars: z.int().nonnegative().default(400),
  fails: z.literal(true).exactOptional(),
  refusal: RefusalSchema.exactOptional(),
});

const ScriptTurnSchema = z.strictObject({
  prompt: z.string(),
  /** Length to which the prompt is filled up. */
  promptChars: Chars.exactOptional(),
  /** Time since the turn before; for agents that the oracle runs, whose clock goes on by it. */
  idleMs: z.int().positive().exactOptional(),
  /** The prompt goes to the model with the small window; for agents that the oracle runs. */
  model: z.literal('small').exactOptional(),
  answers: z.array(ScriptAnswerSchema).min(1),
});

const ScriptSettingsSchema = z.strictObject({
  reserved: Tokens.exactOptional(),
  keepTokens: Tokens.exactOptional(),
  triggerFraction: z.number().positive().max(1).exactOptional(),
});

/** The answers of a server. Once a list is at its end, its last entry counts. */
export const ProviderScriptSchema = z.strictObject({
  shows: z.string(),
  contextTokens: z.int().positive(),
  outputTokens: z.int().positive(),
  /** Window of the small model; absent where no prompt goes to it. */
  smallContextTokens: z.int().positive().exactOptional(),
  /** Settings of the agent's configuration; for agents that the oracle runs. */
  settings: ScriptSettingsSchema.exactOptional(),
  turns: z.array(ScriptTurnSchema.transform(withWholePrompt)).min(1),
  summaries: z.array(ScriptSummarySchema).default([]),
});

/** The tokens of an answer, each under one kind, and the total that is told. */
export function usageOf(usage: ScriptUsage): Usage & { readonly total: number } {
  const { inputTokens, outputTokens, reasoningTokens: reasoning = 0, ...rest } = usage;
  const { cachedTokens = 0, cachedBesideTokens: beside = 0 } = rest;
  return {
    input: inputTokens - cachedTokens,
    output: outputTokens - reasoning,
    reasoning,
    cacheRead: cachedTokens + beside,
    cacheWrite: 0,
    total: rest.totalTokens ?? inputTokens + beside + outputTokens,
  };
}

function withWholePrompt({ prompt, promptChars = 0, ...turn }: z.infer<typeof ScriptTurnSchema>) {
  return { ...turn, prompt: prompt.padEnd(promptChars, PROMPT_FILL) };
}
