import type { Message, Part, ToolPart } from '../../../engine/index.ts';
import type { Side } from './reference.ts';
import { callKey, givesSame } from './texts.ts';

/** A side of a part that is looked for. */
export interface Sought {
  readonly part: Part;
  readonly side: Side;
}

/** Whether any of these messages shows a part whole: in one like it, or as lines of a text. */
export function isCarried(messages: Iterable<Message>, sought: Sought): boolean {
  for (const { parts } of messages) if (parts.some((part) => shows(part, sought))) return true;
  return false;
}

function shows(part: Part, { part: sought, side }: Sought): boolean {
  if (part.type === 'tool') return sought.type === 'tool' && isSameCall(part, sought, side);
  if (part.type !== 'text' || part.ignored === true || sought.type !== 'text') return false;
  return hasLines(part.text, sought.text);
}

function isSameCall(part: ToolPart, sought: ToolPart, side: Side): boolean {
  if (part.tool !== sought.tool) return false;
  const isOutput = side === 'output';
  if (isOutput && (isCleared(part) || !givesSame(part, sought))) return false;
  return callKey(part) === callKey(sought);
}

function isCleared({ state }: ToolPart): boolean {
  return state.status === 'completed' && state.compactedAt !== undefined;
}

/** A word or two might stand in any text, a line of them hardly. */
function hasLines(text: string, lines: string): boolean {
  if (lines === '' || text.length < lines.length) return false;
  return `\n${text}\n`.includes(`\n${lines}\n`);
}
