import type { Message, Part, ToolState } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';

/** A string that a session names and later writes again. */
export interface UsedString {
  readonly value: string;
  readonly step: number;
  /** Where the agent itself writes it, in order. */
  readonly usedAt: readonly number[];
}

interface Said {
  readonly text: string;
  /** From 1; of a user's message, the step that answers it. */
  readonly step: number;
  readonly isOwn: boolean;
}

const HARNESS_BLOCK =
  /<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|environment_context|environment_details|user-prompt-submit-hook|user_instructions)\b[^>]*>[\s\S]*?<\/\1>/g;
const HARNESS_MESSAGE =
  /^\s*(?:Caveat: The messages below were generated|This session is being continued from a previous conversation|\[Request interrupted by user)/;

const STRING =
  /https?:\/\/[^\s"'<>)\]]{1,200}|(?<![\w/.@~-])\/?(?:[\w.@~-]{1,80}\/){1,20}[\w.@-]{0,80}\w|(?<![\w/.-])(?:[A-Za-z_][\w-]{0,80}\d[\w-]{0,80}|\d{1,40}[A-Za-z_][\w-]{0,80}|\d{5,40}|[A-Za-z]{1,40}(?:[A-Z][a-z\d]{1,40}){1,9}|[A-Za-z]{1,40}(?:_[A-Za-z\d]{1,40}){1,9}|[\w-]{1,80}\.[a-z]{2,4})(?![\w/])/g;
const SHORTEST = 6;
const LONGEST = 200;
/** Other strings are on every page, as the folder of the project. */
const COMMON_SHARE = 0.25;
const FEW_STEPS = 8;

/** The strings that a session's agent uses again, in the order of naming. */
export function usedStrings(messages: readonly Message[]): readonly UsedString[] {
  const found = new Map<string, { value: string; step: number; usedAt: Set<number> }>();
  let steps = 0;
  for (const { text, step, isOwn } of saidIn(messages)) {
    steps = Math.max(steps, step);
    for (const [value] of text.matchAll(STRING)) {
      if (value.length < SHORTEST || value.length > LONGEST) continue;
      const one = keepIn(found, value, () => ({ value, step, usedAt: new Set<number>() }));
      if (isOwn && step > one.step) one.usedAt.add(step);
    }
  }
  const most = steps < FEW_STEPS ? steps : COMMON_SHARE * steps;
  return [...found.values()]
    .filter(({ usedAt }) => usedAt.size > 0 && usedAt.size <= most)
    .map((one) => ({ ...one, usedAt: [...one.usedAt] }));
}

/** Strings that were named by a step and are used after it. */
export function stringsAfter(strings: readonly UsedString[], atStep: number): readonly string[] {
  return strings
    .filter(({ step, usedAt }) => step <= atStep && usedAt.some((other) => other > atStep))
    .map(({ value }) => value);
}

/** All that a model still sees of a session, one text a line. */
export function viewText(view: readonly Message[]): string {
  return view.flatMap(({ parts }) => parts.flatMap(partTexts)).join('\n');
}

function* saidIn(messages: readonly Message[]): Generator<Said, void, undefined> {
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
