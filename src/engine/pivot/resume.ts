import type { TextPart, UserMessage } from '../message.ts';
import { REFUSAL_NOTE, resumeTexts } from '../prompts.ts';
import type { ResumePolicy } from '../policy.ts';
import type { Tools } from '../tools.ts';
import { withoutMedia } from './media.ts';

/** The refused prompt as a new message, its media as text. */
export function replayPrompt(prompt: UserMessage, tools: Tools): UserMessage {
  return {
    id: tools.newId('message'),
    role: 'user',
    createdAt: tools.now,
    parts: prompt.parts.map((part) => ({ ...withoutMedia(part), id: tools.newId('part') })),
  };
}

/** The user message that makes the model go on by itself after a pivot. */
export function continueMessage(
  policy: ResumePolicy,
  options: { readonly afterRefusal: boolean },
  tools: Tools,
): UserMessage {
  const text = resumeTexts[policy.continueText];
  const explains = options.afterRefusal && policy.explainRefusal;
  const part: TextPart = {
    type: 'text',
    id: tools.newId('part'),
    text: explains ? `${REFUSAL_NOTE}\n\n${text}` : text,
    synthetic: true,
  };
  return { id: tools.newId('message'), role: 'user', createdAt: tools.now, parts: [part] };
}
