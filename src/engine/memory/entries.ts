import { type Message, type Part, storedPart, type ToolPart } from '../message.ts';
import { isRecord } from '../read-field.ts';
import { type MemoryEntry } from '../state.ts';

/**
 * What a memory keeps of a message, one entry for each text and each tool call with its output, also of what
 * was cleared. Reasoning and what is never sent are left out, and so are files, whose text is unknown.
 */
export function entriesOf(message: Message): readonly MemoryEntry[] {
  return message.parts.map(storedPart).flatMap((part) => {
    const text = textOf(part);
    if (text.trim() === '') return [];
    return [{ id: part.id, text, messageId: message.id, order: message.createdAt }];
  });
}

function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.ignored ? '' : part.text;
    case 'subtask':
      return part.prompt;
    case 'tool':
      return [callLine(part), resultOf(part)].filter((text) => text !== '').join('\n');
    default:
      return '';
  }
}

function callLine({ tool, state: { input } }: ToolPart): string {
  return `${tool}(${isRecord(input) ? fieldsOf(input) : valueOf(input)})`;
}

function fieldsOf(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${valueOf(value)}`)
    .join(', ');
}

/** Texts stand as they are, for escaped line breaks would stick to the words after them. */
function valueOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function resultOf({ state }: ToolPart): string {
  switch (state.status) {
    case 'completed':
      return state.output;
    case 'error':
      return state.partialOutput ?? state.error;
    default:
      return '';
  }
}
