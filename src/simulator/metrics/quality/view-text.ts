/** Texts of messages, as a model sees them. */

import type { Message, Part, ToolState } from '../../../engine/index.ts';

export interface Said {
  readonly text: string;
  /** From 1; of a user's message, the step that answers it. */
  readonly step: number;
  readonly isOwn: boolean;
}

const HARNESS_BLOCK =
  /<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|environment_context|environment_details|user-prompt-submit-hook|user_instructions)\b[^>]*>[\s\S]*?<\/\1>/g;
const HARNESS_MESSAGE =
  /^\s*(?:Caveat: The messages below were generated|This session is being continued from a previous conversation|\[Request interrupted by user)/;

/** All that a model still sees of a session, one text a line. */
export function viewText(view: readonly Message[]): string {
  return view.flatMap(({ parts }) => parts.flatMap(partTexts)).join('\n');
}

/** The texts of a session without those of the agent's program. */
export function* saidIn(messages: readonly Message[]): Generator<Said, void, undefined> {
  let step = 0;
  for (const { role, parts } of messages) {
    if (role === 'assistant') step += 1;
    for (const part of parts) yield* saidBy(part, { isUser: role === 'user', step });
  }
}

function* saidBy(part: Part, { isUser, step }: { isUser: boolean; step: number }) {
  const said = (text: string, isOwn: boolean): Said => ({
    text: HARNESS_MESSAGE.test(text) ? '' : text.replaceAll(HARNESS_BLOCK, ' '),
    step: isUser ? step + 1 : Math.max(1, step),
    isOwn: isOwn && !isUser,
  });
  if (part.type !== 'tool') {
    for (const text of partTexts(part)) yield said(text, true);
    return;
  }
  for (const text of stringsOf(part.state.input)) yield said(text, true);
  for (const text of resultTexts(part.state)) yield said(text, false);
}

function partTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type === 'reasoning') return [part.text];
  if (part.type === 'subtask') return [part.prompt];
  if (part.type !== 'tool') return [];
  return [...stringsOf(part.state.input), ...resultTexts(part.state)];
}

function stringsOf(value: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null)
      waiting.push(...Object.values(next).toReversed());
  }
  return found;
}

function resultTexts(state: ToolState): readonly string[] {
  if (state.status === 'error') return [state.error, state.partialOutput ?? ''];
  return state.status === 'completed' && state.compactedAt === undefined ? [state.output] : [];
}
