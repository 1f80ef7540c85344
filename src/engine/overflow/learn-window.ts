import { type Limits } from '../state.ts';

/** What follows or precedes a provider's own window in its refusals; the number is the first group. */
const WINDOW_WORDINGS: readonly RegExp[] = [
  /> ([\d,]+) maximum/i, // Anthropic
  /context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i, // Anthropic, with the answer's room
  /maximum number of tokens allowed \(([\d,]+)\)/i, // Google
  /maximum prompt length is ([\d,]+)/i, // xAI
  /maximum context length (?:is|of) ([\d,]+)/i, // OpenRouter, DeepSeek, vLLM
  /context length is only ([\d,]+)/i, // vLLM
  /available context size \(([\d,]+)/i, // llama.cpp
  /exceeds the limit of ([\d,]+)/i, // Copilot
  /with ([\d,]+) maximum context length/i, // Mistral
  /input length should be \[\d+, ([\d,]+)\]/i, // DashScope
  /exceeded model token limit: ([\d,]+)/i, // Kimi, Moonshot
  /greater than the context length \(n_keep: [\d,]+ *>= *n_ctx: ([\d,]+)/i, // LM Studio
];

/** The limits after a refusal: a smaller window than the declared one holds from then on. */
export function learnLimits(limits: Limits, refusal: string): Limits {
  const windowTokens = windowInRefusal(refusal);
  const { contextTokens, inputTokens, ...rest } = limits;
  const declaredTokens = inputTokens || contextTokens;
  if (windowTokens === undefined) return limits;
  return declaredTokens === 0 || windowTokens < declaredTokens
    ? { ...rest, contextTokens: windowTokens }
    : limits;
}

/** The window that a provider names when it refuses a request, in tokens; nothing where it names none. */
function windowInRefusal(message: string): number | undefined {
  const found = WINDOW_WORDINGS.flatMap((wording) => wording.exec(message)?.[1] ?? []);
  const tokens = Number(found[0]?.replaceAll(',', ''));
  return tokens > 0 ? tokens : undefined;
}
