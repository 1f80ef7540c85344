/** The entry point `compaction-bench/ai-sdk`: a policy of the bench in an agent built on the AI SDK. */

import {
  generateText,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage as AiMessage,
} from 'ai';
import {
  type AssistantMessage,
  createState,
  type EngineEvent,
  type Limits,
  type LoopInput,
  type LoopState,
  type Message,
  type ModelContent,
  type ModelMessage,
  type Part,
  policies,
  type Policy,
  type PolicyName,
  render,
  type SummaryRequest,
  transition,
  type Usage,
} from '../engine/index.ts';
import { type AiSdkMessage, aiSdkMessages } from './provider/forms/ai-sdk.ts';

/** Settings of a compaction. */
export interface CompactionOptions {
  /** A preset's name or a policy of your own. */
  readonly policy: PolicyName | Policy;
  /** Of the model that the agent asks. */
  readonly limits: Limits;
  /** Writes the summaries; the agent's own model if absent. */
  readonly summaryModel?: LanguageModel;
  /** Told what the policy decided and why. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/** Ended because the policy sees no way on, such as a conversation that cannot be made to fit. */
export class CompactionStopped extends Error {
  override readonly name = 'CompactionStopped';
  readonly reason: string;

  constructor(reason: string) {
    super(`The compaction policy ends the turn: ${reason}.`);
    this.reason = reason;
  }
}

/** Messages of the SDK that become one message of the engine. */
interface Source {
  readonly id: string;
  readonly messages: readonly AiMessage[];
}

/** A conversation so far. */
interface Conversation {
  state: LoopState;
  /** Messages of the SDK that the engine knows. */
  known: readonly AiMessage[];
  readonly sources: Map<string, Source>;
  view: readonly Message[];
  /** Newest prompt, which steps answer. */
  promptId: string;
}

type Told = Readonly<Pick<AssistantMessage, 'usage' | 'finish'>>;

/** A finished step, as far as it is read. */
interface Step {
  readonly usage: LanguageModelUsage;
  readonly finishReason: string;
}

/** A `prepareStep` of the AI SDK, for agents with any tools. */
export type CompactingStep = (next: {
  readonly steps: readonly Step[];
  readonly messages: readonly AiMessage[];
  readonly model: LanguageModel;
}) => Promise<{ messages: AiMessage[] }>;

/**
 * Gives a `prepareStep` for `generateText` and `streamText` that looks after one conversation: before each step it tells the
 * engine what came since the last one, has summaries written, and sends what the policy still shows. A call with another
 * beginning starts a new conversation. Throws `CompactionStopped`.
 */
export function compactSteps(options: CompactionOptions): CompactingStep {
  const { policy: named, limits } = options;
  const policy = typeof named === 'string' ? policies[named] : named;
  const newId = createIds();
  const start = (): Conversation => ({
    state: createState(policy, limits),
    known: [],
    sources: new Map(),
    view: [],
    promptId: '',
  });
  let conversation = start();
  return async ({ messages, steps, model }) => {
    if (!continues(messages, conversation.known)) conversation = start();
    const fresh = messages.slice(conversation.known.length).filter(({ role }) => role !== 'system');
    conversation.known = [...messages];
    const groups = groupMessages(fresh);
    for (const [index, group] of groups.entries()) {
      const told = toldOf(index === groups.length - 1 ? steps.at(-1) : undefined);
      const input = toInput(conversation, group, { newId, told });
      await tell(conversation, input, { ...options, model, newId });
    }
    const system = messages.filter(({ role }) => role === 'system');
    return { messages: [...system, ...conversation.view.flatMap(toSdk(conversation, policy))] };
  };
}

function createIds(): (prefix: string) => string {
  let lastId = 0;
  return (prefix) => `${prefix}-${(lastId += 1)}`;
}

function continues(messages: readonly AiMessage[], known: readonly AiMessage[]): boolean {
  return (
    messages.length >= known.length &&
    known.every((message, index) => {
      const now = messages[index];
      return now === message || JSON.stringify(now) === JSON.stringify(message);
    })
  );
}

/** Prompts that follow one another, or an answer with its results. */
function groupMessages(messages: readonly AiMessage[]): readonly (readonly AiMessage[])[] {
  const groups: AiMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const follows = message.role === 'tool' || (message.role === 'user' && isPrompt(last));
    if (last && follows) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

function isPrompt(group: readonly AiMessage[] | undefined): boolean {
  return group?.at(-1)?.role === 'user';
}

/** Usage and finish of a step as the SDK tells them; of earlier conversations nothing is known. */
function toldOf(step: Step | undefined): Told {
  if (step === undefined) return {};
  const usage = toUsage(step.usage);
  return { finish: step.finishReason, ...(usage && { usage }) };
}

function toUsage(usage: LanguageModelUsage): Usage | undefined {
  const { inputTokens, outputTokens = 0, inputTokenDetails, outputTokenDetails } = usage;
  if (inputTokens === undefined) return undefined;
  const cacheRead = inputTokenDetails?.cacheReadTokens ?? 0;
  const cacheWrite = inputTokenDetails?.cacheWriteTokens ?? 0;
  const reasoning = outputTokenDetails?.reasoningTokens ?? 0;
  const input =
    inputTokenDetails?.noCacheTokens ?? Math.max(0, inputTokens - cacheRead - cacheWrite);
  return { input, output: Math.max(0, outputTokens - reasoning), reasoning, cacheRead, cacheWrite };
}

/** Puts a group into the conversation as a message of the engine. */
function toInput(
  conversation: Conversation,
  group: readonly AiMessage[],
  { newId, told }: { readonly newId: (prefix: string) => string; readonly told: Told },
): LoopInput {
  const content = aiSdkMessages.from(group as readonly AiSdkMessage[]);
  const isUser = isPrompt(group);
  const id = newId(isUser ? 'user' : 'step');
  conversation.sources.set(id, { id, messages: group });
  const createdAt = Date.now();
  const parts = toParts(content, newId);
  if (isUser) {
    conversation.promptId = id;
    return { type: 'user-message', message: { id, role: 'user', createdAt, parts } };
  }
  const hasCalls = parts.some(({ type }) => type === 'tool');
  const message: AssistantMessage = {
    id,
    role: 'assistant',
    createdAt,
    parentId: conversation.promptId,
    parts,
    finish: hasCalls ? 'tool-calls' : 'stop',
    ...told,
  };
  return { type: 'step-finished', message };
}

function toParts(messages: readonly ModelMessage[], newId: (prefix: string) => string) {
  const content = messages.flatMap((message) => message.content);
  const results = new Map(
    content.flatMap((one) => (one.type === 'tool-result' ? [[one.callId, one] as const] : [])),
  );
  return content.flatMap((one): readonly Part[] => {
    const id = newId('part');
    if (one.type === 'tool-result') return [];
    if (one.type !== 'tool-call') return [{ ...one, id }];
    const { callId, tool, input } = one;
    return [{ type: 'tool', id, callId, tool, state: toolState(input, results.get(callId)) }];
  });
}

function toolState(
  input: unknown,
  result: (ModelContent & { readonly type: 'tool-result' }) | undefined,
): Extract<Part, { type: 'tool' }>['state'] {
  if (result === undefined) return { status: 'pending', input };
  const { output, isError, attachments } = result;
  if (isError) return { status: 'error', input, error: output };
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}

/** Tells the engine what happened, and has summaries written, until it asks for a request or the turn is over. */
async function tell(
  conversation: Conversation,
  happened: LoopInput,
  options: CompactionOptions & {
    readonly model: LanguageModel;
    readonly newId: (prefix: string) => string;
  },
): Promise<void> {
  const { newId, onEvent, summaryModel, model } = options;
  let input: LoopInput | undefined = happened;
  while (input !== undefined) {
    const next = transition(conversation.state, input, { now: Date.now(), newId });
    conversation.state = next.state;
    for (const event of next.events) onEvent?.(event);
    const [command] = next.commands;
    input = undefined;
    if (command?.type === 'request') conversation.view = command.view;
    if (command?.type === 'summarise')
      input = await summarise(command.request, conversation, summaryModel ?? model);
    if (command?.type === 'stop') {
      if (command.reason !== 'finished') throw new CompactionStopped(command.reason);
      input = { type: 'turn-ended' };
    }
  }
}

/** Asks for a summary; what is kept word for word stays in the form of the SDK. */
async function summarise(
  { system, messages, prompt, outputCapTokens }: SummaryRequest,
  conversation: Conversation,
  model: LanguageModel,
): Promise<LoopInput> {
  try {
    const { text, finishReason, usage } = await generateText({
      model,
      ...(system !== '' && { system }),
      messages: [
        ...messages.flatMap(toSdk(conversation, conversation.state.policy)),
        { role: 'user', content: prompt },
      ],
      ...(outputCapTokens !== undefined && { maxOutputTokens: outputCapTokens }),
    });
    const told = toUsage(usage);
    return {
      type: 'summary-finished',
      result: { text, finish: finishReason, ...(told && { usage: told }) },
    };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { type: 'summary-failed', error: { name, message }, isOverflow: false };
  }
}

/** Messages of a view for the SDK: the agent's own where they are sent as they were, with cleared outputs replaced. */
function toSdk({ sources }: Conversation, { render: rules }: Policy) {
  return (message: Message): AiMessage[] => {
    const source = sources.get(message.id);
    const calls = message.parts.flatMap((part) => (part.type === 'tool' ? [part] : []));
    const isWhole = source !== undefined && message.parts.every((part) => !('stored' in part));
    if (!isWhole) return aiSdkMessages.to(render([message], rules));
    const cleared = new Set(
      calls.flatMap(({ callId, state }) =>
        state.status === 'completed' && state.compactedAt !== undefined ? [callId] : [],
      ),
    );
    if (cleared.size === 0) return [...source.messages];
    return source.messages.map((one) => clearResults(one, cleared, rules.clearedOutput));
  };
}

function clearResults(message: AiMessage, cleared: ReadonlySet<string>, text: string): AiMessage {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) =>
    part.type === 'tool-result' && cleared.has(part.toolCallId)
      ? { ...part, output: { type: 'text' as const, value: text } }
      : part,
  );
  return { ...message, content };
}
