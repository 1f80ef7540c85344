import { expectForm, list } from './form/check.ts';
import { renderForm } from './form/render-form.ts';
import { checkpointText, isCheckpoint } from './render/checkpoint-text.ts';
import type { Message, Part } from './message.ts';
import type { RenderPolicy } from './policy.ts';
import { fitView, moveMedia, type RenderOptions } from './render/for-model.ts';
import {
  isInjected,
  type ModelContent,
  renderAssistantPart,
  renderResult,
  renderUserPart,
} from './render/part.ts';

/** One message as a model is sent it. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ModelContent[];
}

/**
 * The view as model messages. Messages without content vanish; ignored and empty texts, plain-text
 * files and folders are not sent; calls come with their results in a message of their own.
 * Throws a `TypeError` where the view is no list, or the policy has other fields than the `render` of one.
 * Source: OpenCode's `toModelMessages`; design document 002, sections 5.2 and 6.3.
 */
export function render(
  view: readonly Message[],
  policy: RenderPolicy,
  options: RenderOptions = {},
): readonly ModelMessage[] {
  expectForm('view', view, list);
  expectForm('policy', policy, renderForm);
  return fitView(view, options).flatMap((message) => renderMessage(message, policy, options));
}

/** One stored message as the model messages that it becomes. */
export function renderMessage(
  message: Message,
  policy: RenderPolicy,
  options: RenderOptions = {},
): readonly ModelMessage[] {
  if (isCheckpoint(message, policy)) {
    return [{ role: 'user', content: [{ type: 'text', text: checkpointText(message, policy) }] }];
  }
  if (message.role === 'user') {
    return nonEmpty(
      'user',
      message.parts.flatMap((part) => renderUserPart(part, policy)),
    );
  }
  return isSent(message)
    ? splitSteps(message.parts).flatMap((parts) => renderStep(parts, policy, options))
    : [];
}

/** Whether a message is sent at all: a failed one only if it was cut off after it had written something. */
export function isSent(message: Message): boolean {
  if (message.role === 'user' || message.error === undefined) return true;
  return message.error.name === 'MessageAbortedError' && message.parts.some(isOutput);
}

function isOutput(part: Part): boolean {
  return part.type !== 'step-start' && part.type !== 'reasoning';
}

/** Several requests in one stored message are told apart by their step-start parts. */
function splitSteps(parts: readonly Part[]): readonly (readonly Part[])[] {
  const starts = parts.flatMap((part, index) => (part.type === 'step-start' ? [index] : []));
  const bounds = [0, ...starts.filter((index) => index > 0), parts.length];
  return bounds.slice(1).map((end, index) => parts.slice(bounds[index], end));
}

function renderStep(
  parts: readonly Part[],
  policy: RenderPolicy,
  options: RenderOptions,
): readonly ModelMessage[] {
  const tools = parts.filter((part) => part.type === 'tool');
  const { results, moved } = moveMedia(
    tools.map((part) => renderResult(part, policy)),
    options,
  );
  const injected = parts.filter(isInjected);
  const own = parts.filter((part) => !isInjected(part));
  return [
    ...nonEmpty('assistant', own.flatMap(renderAssistantPart)),
    ...nonEmpty('tool', results),
    ...nonEmpty('user', moved),
    ...nonEmpty(
      'user',
      injected.flatMap((part) => renderUserPart(part, policy)),
    ),
  ];
}

function nonEmpty(role: ModelMessage['role'], content: readonly ModelContent[]) {
  return content.length === 0 ? [] : [{ role, content }];
}
