import type { TurnSample } from './sample.ts';
import type { WeighedMessage } from './weigh.ts';

/** What came of each user message; steps before the first one belong to none. */
export function sampleTurns(messages: readonly WeighedMessage[]): readonly TurnSample[] {
  const turns: WeighedMessage[][] = [];
  for (const each of messages) {
    if (each.message.role === 'user') turns.push([each]);
    else turns.at(-1)?.push(each);
  }
  return turns.map(sampleTurn);
}

/** Tokens of everything in some messages. */
function contentTokensOf(messages: readonly WeighedMessage[]): number {
  const texts = messages.flatMap((each) => each.texts);
  const calls = messages.flatMap((each) => each.calls);
  const ownTokens = texts.reduce((sum, { tokens }) => sum + tokens, 0);
  const inputTokens = calls.reduce((sum, { input }) => sum + input.tokens, 0);
  return ownTokens + inputTokens + outputTokensOf(messages);
}

function sampleTurn(messages: readonly WeighedMessage[]): TurnSample {
  return {
    contentTokens: contentTokensOf(messages),
    toolOutputTokens: outputTokensOf(messages),
    toolCalls: messages.reduce((sum, { calls }) => sum + calls.length, 0),
    steps: messages.filter(({ message }) => message.role === 'assistant').length,
  };
}

function outputTokensOf(messages: readonly WeighedMessage[]): number {
  return messages
    .flatMap(({ calls }) => calls)
    .reduce((sum, { output }) => sum + (output?.tokens ?? 0), 0);
}
