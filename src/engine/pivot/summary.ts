import {
  type AssistantMessage,
  isComplete,
  isPrompt,
  markerOf,
  type Message,
  type MessageError,
  type TextPart,
} from '../message.ts';
import type { SummaryForm, SummaryPolicy } from '../policy.ts';
import { instructions, withPreviousSummary, systemPrompts } from '../prompts.ts';
import type { Hooks, SummaryRequest, SummaryResult, Tools } from '../state.ts';
import { cutNotes, shortenOutputs, stripMedia } from './flatten.ts';

/** The variable part of a summary request. */
export interface SummaryInput {
  readonly head: readonly Message[];
  /** The summary to be brought up to date; absent where there is none, or where the head holds it. */
  readonly previousSummary?: string | undefined;
  /** Stands after the instruction, when a first answer did not keep to it. */
  readonly reminder?: string | undefined;
  /** Absent means the policy's own. */
  readonly form?: SummaryForm | undefined;
}

type Draft = { -readonly [Key in keyof AssistantMessage]: AssistantMessage[Key] };

/** The request that turns a head into a summary. */
export function buildSummaryRequest(
  input: SummaryInput,
  policy: SummaryPolicy,
  hooks: Hooks = {},
): SummaryRequest {
  const instruction = withPreviousSummary(
    instructions[policy.instruction],
    input.previousSummary,
    policy.merge,
  );
  const request: SummaryRequest = {
    system: policy.systemText ?? systemPrompts[policy.systemPrompt],
    messages: headMessages(input.head, policy),
    prompt: input.reminder === undefined ? instruction : `${instruction}\n\n${input.reminder}`,
    ...(policy.outputCapTokens === undefined ? {} : { outputCapTokens: policy.outputCapTokens }),
    ...(policy.model === undefined ? {} : { model: policy.model }),
    form: input.form ?? policy.form,
    targetTokens: policy.length.tokens,
  };
  const { context = [], prompt } = hooks.compacting?.(request) ?? {};
  return { ...request, prompt: prompt ?? [request.prompt, ...context].join('\n\n') };
}

/** The newest summary in a head, where the policy hands it on apart. */
export function previousSummaryOf(
  head: readonly Message[],
  policy: SummaryPolicy,
): string | undefined {
  if (!policy.anchored) return undefined;
  const newest = earlierPivots(head).at(-1);
  const texts = newest?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts?.join('\n') || undefined;
}

/** A head as the policy sends it. */
export function headMessages(head: readonly Message[], policy: SummaryPolicy): readonly Message[] {
  const shown = shownMessages(head, policy);
  const { toolOutputChars } = policy;
  const cut =
    toolOutputChars === undefined
      ? shown
      : shortenOutputs(shown, toolOutputChars, cutNotes[policy.form.kind]);
  return policy.stripMedia ? stripMedia(cut) : cut;
}

/** The messages of a head that the policy sends. */
export function shownMessages(head: readonly Message[], policy: SummaryPolicy): readonly Message[] {
  const shown = policy.anchored ? withoutPivots(head) : head;
  return policy.markerInHead ? shown : shown.filter((message) => markerOf(message) === undefined);
}

/** The message that stands for all before its marker; an empty text gives no part. */
export function summaryMessage(
  result: SummaryResult,
  { parentId, recent = '' }: { readonly parentId: string; readonly recent?: string | undefined },
  tools: Tools,
): AssistantMessage {
  // Kept text stands second, even where the summary itself is empty.
  const texts = recent === '' ? [result.text].filter((text) => text !== '') : [result.text, recent];
  const summary: Draft = emptySummary(parentId, tools);
  summary.parts = texts.map((text): TextPart => ({ type: 'text', id: tools.newId('part'), text }));
  summary.finish = result.finish || 'stop';
  if (result.usage !== undefined) summary.usage = result.usage;
  return summary;
}

/** The message that a failed summary leaves in the history. */
export function failedSummary(
  failure: { readonly error: MessageError; readonly isFinished: boolean },
  parentId: string,
  tools: Tools,
): AssistantMessage {
  return {
    ...emptySummary(parentId, tools),
    error: failure.error,
    ...(failure.isFinished ? { finish: 'error' } : {}),
  };
}

/** The messages without summaries and their markers. */
export function withoutPivots(messages: readonly Message[]): readonly Message[] {
  const pivots = earlierPivots(messages);
  const hidden = new Set(pivots.flatMap(({ id, parentId }) => [id, parentId]));
  return hidden.size === 0 ? messages : messages.filter(({ id }) => !hidden.has(id));
}

/** Summaries that answer a marker, or no prompt where a view has no markers. Source: comparison of peers, section 1. */
function earlierPivots(messages: readonly Message[]): readonly AssistantMessage[] {
  const newest = messages.findLastIndex(isComplete);
  if (newest < 0) return [];
  const before = messages.slice(0, newest + 1);
  const summaries = before.filter(isComplete);
  const markers = idsOf(before, (message) => markerOf(message) !== undefined);
  if (markers.size > 0) return summaries.filter(({ parentId }) => markers.has(parentId));
  const prompts = idsOf(messages, isPrompt);
  return summaries.filter(({ parentId }) => !prompts.has(parentId));
}

function idsOf(messages: readonly Message[], test: (message: Message) => boolean) {
  return new Set(messages.flatMap((message) => (test(message) ? [message.id] : [])));
}

function emptySummary(parentId: string, tools: Tools) {
  return {
    id: tools.newId('message'),
    role: 'assistant',
    createdAt: tools.now,
    parts: [],
    parentId,
    summary: true,
  } as const;
}
