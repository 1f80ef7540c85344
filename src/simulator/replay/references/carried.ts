import {
  entriesOf,
  flattenMessage,
  isCleared,
  isCompleted,
  type Message,
  type Part,
  type ToolPart,
} from '../../../engine/index.ts';
import { perKey } from '../../../engine/internal.ts';
import { keepIn } from '../../lib/collections.ts';
import type { Side } from './reference.ts';
import { callKey, givesSame } from './texts.ts';

/** A side of a part that is looked for, and the message that it stands in. */
export interface Sought {
  readonly message: Message;
  readonly part: Part;
  readonly side: Side;
}

/** What is known of a part: runs of one recording miss the same ones. */
const knownOf = perKey<Part, Map<Side, readonly string[]>>(() => new Map());

/** Whether any of these messages shows a part whole: in one like it, or as lines of a text. */
export function isCarried(messages: Iterable<Message>, sought: Sought): boolean {
  let lines: readonly string[] | undefined;
  for (const { parts } of messages) {
    for (const part of parts) {
      lines ??= linesOf(sought);
      if (shows(part, sought, lines)) return true;
    }
  }
  return false;
}

function shows(part: Part, { part: sought, side }: Sought, lines: readonly string[]): boolean {
  if (part.type === 'tool') return sought.type === 'tool' && isSameCall(part, sought, side);
  if (part.type !== 'text' || part.ignored === true) return false;
  return lines.some((each) => hasLines(part.text, each));
}

function linesOf(sought: Sought): readonly string[] {
  return keepIn(knownOf(sought.part), sought.side, () => findLines(sought));
}

/** A part as a memory gives it back and as a checkpoint keeps it; an output with the call that it belongs to. */
function findLines({ message, part, side }: Sought): readonly string[] {
  if (side === 'output' && hasAttachments(part)) return [];
  const alone: Message = { ...message, parts: [side === 'said' ? withoutOutput(part) : part] };
  const options = { clearedOutput: '', toolOutputChars: Number.POSITIVE_INFINITY };
  return [...entriesOf(alone).map(({ text }) => text), flattenMessage(alone, options)];
}

function hasAttachments(part: Part): boolean {
  return isCompleted(part) && (part.state.attachments ?? []).length > 0;
}

function withoutOutput(part: Part): Part {
  if (part.type !== 'tool') return part;
  return { ...part, state: { status: 'pending', input: part.state.input } };
}

function isSameCall(part: ToolPart, sought: ToolPart, side: Side): boolean {
  if (part.tool !== sought.tool) return false;
  const isOutput = side === 'output';
  if (isOutput && (isCleared(part) || !givesSame(part, sought))) return false;
  return callKey(part) === callKey(sought);
}

/** A word or two might stand in any text, a line of them hardly. */
function hasLines(text: string, lines: string): boolean {
  if (lines === '') return false;
  let at = text.indexOf(lines);
  while (at >= 0) {
    if (isBreak(text, at - 1) && isBreak(text, at + lines.length)) return true;
    // They begin at no other place of this line; a long row of one character would have them at each.
    const next = text.indexOf('\n', at) + 1;
    at = next === 0 ? -1 : text.indexOf(lines, next);
  }
  return false;
}

/** Whether a line ends at a place of a text: there is a break, or nothing. */
function isBreak(text: string, index: number): boolean {
  return index < 0 || index >= text.length || text[index] === '\n';
}
