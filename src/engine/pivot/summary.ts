import type { AssistantMessage, MessageError, TextPart, Usage } from '../message.ts';
import type { SummaryPolicy } from '../policy.ts';
import { instructions, systemPrompts } from '../prompts.ts';
import type { Tools } from '../tools.ts';
import type { Cut } from './cut.ts';
import { stripMedia } from './media.ts';
import type { SummaryRequest } from './request.ts';

/** What a summarizer answered. */
export interface SummaryResult {
  readonly text: string;
  readonly finish: string;
  readonly usage?: Usage;
}

/** The request that turns a head into a summary. No tools go with it. */
export function buildSummaryRequest(cut: Cut, policy: SummaryPolicy): SummaryRequest {
  return {
    system: systemPrompts[policy.systemPrompt],
    messages: policy.stripMedia ? stripMedia(cut.head) : cut.head,
    prompt: instructions[policy.instruction],
    ...(policy.outputCapTokens === undefined ? {} : { outputCapTokens: policy.outputCapTokens }),
  };
}

/** The assistant message that stands for everything before its marker. An empty text gives no part. */
export function summaryMessage(
  result: SummaryResult,
  parentId: string,
  tools: Tools,
): AssistantMessage {
  const text: TextPart = { type: 'text', id: tools.newId('part'), text: result.text };
  return {
    ...emptySummary(parentId, tools),
    parts: result.text === '' ? [] : [text],
    finish: result.finish,
    ...(result.usage === undefined ? {} : { usage: result.usage }),
  };
}

/** What stays in the history when a summary failed. An overflow counts as finished, other errors do not. */
export function failedSummary(
  failure: { readonly error: MessageError; readonly isOverflow: boolean },
  parentId: string,
  tools: Tools,
): AssistantMessage {
  return {
    ...emptySummary(parentId, tools),
    error: failure.error,
    ...(failure.isOverflow ? { finish: 'error' } : {}),
  };
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
