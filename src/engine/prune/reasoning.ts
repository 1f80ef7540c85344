import { type Part, standIn } from '../message.ts';
import { findByAge } from './aged.ts';
import type { Cleanup } from './cleanup.ts';

/** Takes out what was thought long ago. Sources: Anthropic's API, clear-thinking-2025-10-15; MiMo-Code; `pruneMessages` of the AI SDK. */
export const reasoning: Cleanup = {
  find: findByAge(isThought),
  clear: (part, _, now) =>
    part.type === 'reasoning' ? standIn({ ...part, text: '' }, part, { what: 'text', now }) : part,
};

function isThought(part: Part): boolean {
  return part.type === 'reasoning' && part.text !== '';
}
