/** Scripts of a model server: what it answers, request by request. */

import * as z from 'zod';
import { refusals, type RefusalName } from '../refusals.ts';

const ScriptUsageSchema = z.strictObject({
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative().default(10),
});

/** The provider in whose words a request is refused. */
export const RefusalSchema = z
  .string()
  .refine((name): name is RefusalName => Object.hasOwn(refusals, name), {
    error: `Expected one of ${Object.keys(refusals).join(', ')}`,
  });

/** An answer to the agent's own request. */
export const ScriptAnswerSchema = z.strictObject({
  usage: ScriptUsageSchema.exactOptional(),
  /** Asks the agent to run a command that prints that many characters; else the answer is a text, which ends the turn. */
  outputChars: z.int().positive().exactOptional(),
  /** The output is that of a skill, where the agent has them; else of the shell. */
  tool: z.literal('skill').exactOptional(),
  refusal: RefusalSchema.exactOptional(),
});

/** An answer to a request for a summary. */
export const ScriptSummarySchema = z.strictObject({
  usage: ScriptUsageSchema.exactOptional(),
  /** Length of its text; 0 is an empty one. */
  chars: z.int().nonnegative().default(400),
  fails: z.literal(true).exactOptional(),
});

const ScriptTurnSchema = z.strictObject({
  prompt: z.string(),
  /** Time since the turn before; for agents that the oracle runs, whose clock goes on by it. */
  idleMs: z.int().positive().exactOptional(),
  /** The prompt goes to the model with the small window; for agents that the oracle runs. */
  model: z.literal('small').exactOptional(),
  answers: z.array(ScriptAnswerSchema).min(1),
});

/** The answers of a server. Once a list is at its end, its last entry counts. */
export const ProviderScriptSchema = z.strictObject({
  shows: z.string(),
  contextTokens: z.int().positive(),
  outputTokens: z.int().positive(),
  /** Window of the small model; absent where no prompt goes to it. */
  smallContextTokens: z.int().positive().exactOptional(),
  turns: z.array(ScriptTurnSchema).min(1),
  summaries: z.array(ScriptSummarySchema).default([]),
});

export type ProviderScript = z.infer<typeof ProviderScriptSchema>;
export type ScriptAnswer = z.infer<typeof ScriptAnswerSchema>;
export type ScriptSummary = z.infer<typeof ScriptSummarySchema>;
export type ScriptUsage = z.infer<typeof ScriptUsageSchema>;
