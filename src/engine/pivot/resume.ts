import type { Part, TextPart, UserMessage } from '../message.ts';
import type { ResumePolicy } from '../policy.ts';
import { REFUSAL_NOTE, resumeTexts } from '../prompts/resume.ts';
import { type Tools } from '../state.ts';
import { withoutMedia } from './media.ts';

/** The refused prompt as a new message, its media as text. */
export function replayPrompt(
  prompt: UserMessage,
  policy: Pick<ResumePolicy, 'wrapReplay'>,
  tools: Tools,
): UserMessage {
  const parts = prompt.parts.map((part) => ({ ...withoutMedia(part), id: tools.newId('part') }));
  return {
    id: tools.newId('message'),
    role: 'user',
    createdAt: tools.now,
    parts: policy.wrapReplay ? parts.map(wrap) : parts,
  };
}

/** The user message that makes the model go on by itself after a pivot; none where the policy says nothing. */
export function continueMessage(
  policy: ResumePolicy,
  options: { readonly afterRefusal: boolean; readonly requestOf: () => string },
  tools: Tools,
): readonly UserMessage[] {
  const text = resumeTexts[policy.continueText ?? 'none'].replace('{request}', options.requestOf);
  if (text === '') return [];
  const explains = options.afterRefusal && policy.explainRefusal;
  const part: TextPart = {
    type: 'text',
    id: tools.newId('part'),
    text: explains ? `${REFUSAL_NOTE}\n\n${text}` : text,
    synthetic: true,
  };
  return [{ id: tools.newId('message'), role: 'user', createdAt: tools.now, parts: [part] }];
}

/** Releases from 1.2.20 to 1.15.13 were seen to send a replayed prompt like this. */
function wrap(part: Part): Part {
  if (part.type !== 'text' || part.text === '') return part;
  return { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` };
}
