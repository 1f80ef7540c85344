import { compactSteps } from 'compaction-bench/ai-sdk';
import { generateText, type LanguageModel, stepCountIs, type ToolSet } from 'ai';

/** An agent whose context OpenCode's compaction looks after. */
export async function runAgent(model: LanguageModel, tools: ToolSet, prompt: string) {
  const { text } = await generateText({
    model,
    tools,
    prompt,
    stopWhen: stepCountIs(100),
    prepareStep: compactSteps({
      policy: 'opencode-1.18',
      limits: { contextTokens: 200_000, outputTokens: 32_000 },
      onEvent: (event) => {
        if (event.type === 'compacted') console.error('Compacted.');
      },
    }),
  });
  return text;
}
