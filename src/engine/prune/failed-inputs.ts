import type { Part, ToolPart } from '../message.ts';
import { findByAge } from './aged.ts';
import type { Cleanup } from './cleanup.ts';
import { hasTexts, withoutTexts } from './input-texts.ts';

const NOTHING_STAYS: readonly string[] = [];

/**
 * Takes the texts out of the inputs of old calls that failed; what their tools said of it stays. Source: the plugin
 * "dynamic context pruning" for OpenCode, `purgeErrors`.
 */
export const failedInputs: Cleanup = {
  find: findByAge(hasFailed),
  clear: (part, { inputText }, now) =>
    part.type === 'tool' ? withoutInput(part, inputText, now) : part,
};

/** Whether a call failed that still shows a text which it was given. */
export function hasFailed(part: Part): part is ToolPart {
  return part.type === 'tool' && part.state.status === 'error' && hasTexts(part, NOTHING_STAYS);
}

/** A call without any text that it was given. */
export function withoutInput(part: ToolPart, inputText: string | undefined, now: number): Part {
  return withoutTexts(part, { staying: NOTHING_STAYS, inputText, now });
}
