import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ExportedPart } from './export.ts';

/** Tokens that a part adds to a request, split by who wrote them. */
export interface PartTokens {
  /** Prompts, pictures and tool results. */
  readonly given: number;
  /** Texts and tool calls of the model. */
  readonly written: number;
  /** Thoughts of the model. */
  readonly reasoned: number;
}

/** What a picture counts as; the simulator takes the same. */
export const IMAGE_TOKENS = 1_500;

const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/** Tokens of a text in the o200k encoding. */
export function countText(text: string): number {
  return countTokens(text, PLAIN_TEXT);
}

/** Tokens of a part of a message with the role. */
export function countPart(part: ExportedPart, role: 'user' | 'assistant'): PartTokens {
  const none = { given: 0, written: 0, reasoned: 0 };
  switch (part.type) {
    case 'text':
      return { ...none, [role === 'user' ? 'given' : 'written']: countText(part.text) };
    case 'reasoning':
      return { ...none, reasoned: countText(part.text) };
    case 'file':
      return { ...none, given: IMAGE_TOKENS };
    case 'tool': {
      const result = part.state.status === 'completed' ? part.state.output : part.state.error;
      const call = `${part.tool} ${JSON.stringify(part.state.input)}`;
      return { ...none, written: countText(call), given: countText(result) };
    }
    default:
      return none;
  }
}
