import type { AssistantMessage, LoopInput, ModelMessage, ToolPart } from 'compaction-bench/engine';

/** What a model answers, in the shape of the AI SDK's `generateText`; a tool call comes with its output. */
export interface Generated {
  readonly text: string;
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
    readonly output: string;
  }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly finishReason: 'stop' | 'tool-calls' | 'length';
}

/** A model call in the shape of the AI SDK's `generateText`. */
export type Generate = (options: {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: Readonly<Record<string, unknown>>;
}) => Promise<Generated>;

/** An answer to a request as the engine takes it. */
export function toStep(
  { text, toolCalls, usage, finishReason }: Generated,
  context: { readonly newId: (prefix: string) => string; readonly parentId: string },
): LoopInput {
  const { newId, parentId } = context;
  const tools = toolCalls.map(
    ({ toolCallId, toolName, input, output }): ToolPart => ({
      type: 'tool',
      id: newId('part'),
      callId: toolCallId,
      tool: toolName,
      state: { status: 'completed', input, output },
    }),
  );
  const message: AssistantMessage = {
    id: newId('assistant'),
    role: 'assistant',
    createdAt: Date.now(),
    parentId,
    parts: [{ type: 'text', id: newId('part'), text }, ...tools],
    finish: finishReason,
    usage: toUsage(usage),
  };
  return { type: 'step-finished', message };
}

/** An answer to a summary request as the engine takes it. */
export function toSummary({ text, finishReason, usage }: Generated): LoopInput {
  const result = { text, finish: finishReason, usage: toUsage(usage) };
  return { type: 'summary-finished', result };
}

function toUsage({ inputTokens, outputTokens }: Generated['usage']) {
  return { input: inputTokens, output: outputTokens, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}

const CHARS_PER_TOKEN = 4;

/** A model that reads so many files of so many characters, summarises what it is told to, and stops. */
export function createFakeModel(files: number, fileChars: number): Generate {
  let read = 0;
  return async ({ messages, tools }) => {
    const usage = {
      inputTokens: Math.ceil(JSON.stringify(messages).length / CHARS_PER_TOKEN),
      outputTokens: 50,
    };
    if (Object.keys(tools).length === 0) {
      return {
        text: `## Objective\n- ${read} files were read.`,
        toolCalls: [],
        usage,
        finishReason: 'stop',
      };
    }
    if (read >= files) return { text: 'Done.', toolCalls: [], usage, finishReason: 'stop' };
    read += 1;
    const call = {
      toolCallId: `call-${read}`,
      toolName: 'read',
      input: { file: read },
      output: 'x'.repeat(fileChars),
    };
    return { text: '', toolCalls: [call], usage, finishReason: 'tool-calls' };
  };
}
