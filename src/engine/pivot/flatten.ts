import type { Message, Part, TextPart, ToolPart } from '../message.ts';
import { mediaNote } from './media.ts';

/** Sentences and limits of a flattened history. */
export interface FlattenOptions {
  /** Stands where a cleared output was. */
  readonly clearedOutput: string;
  /** Longest tool output, in characters. */
  readonly toolOutputChars: number;
}

/**
 * A message as plain text, line by line with who said it; empty where nothing of it is sent. Calls that
 * have not come back have no result line. Source: OpenCode 1.18.15 and its 2.0 engine.
 */
export function flattenMessage(message: Message, options: FlattenOptions): string {
  const flatten = message.role === 'user' ? flattenUserPart : flattenAssistantPart;
  return message.parts.flatMap((part) => flatten(part, options)).join('\n');
}

function flattenUserPart(part: Part): readonly string[] {
  if (part.type === 'text') return lineOf('User', part);
  return part.type === 'file' ? [mediaNote(part)] : [];
}

function flattenAssistantPart(part: Part, options: FlattenOptions): readonly string[] {
  switch (part.type) {
    case 'text':
      return lineOf('Assistant', part);
    case 'reasoning':
      return part.text === '' ? [] : [`[Assistant reasoning]: ${part.text}`];
    case 'tool':
      return [callLine(part), ...resultLines(part, options)];
    default:
      return [];
  }
}

function lineOf(who: string, { text, ignored }: TextPart): readonly string[] {
  return ignored || text === '' ? [] : [`[${who}]: ${text}`];
}

function callLine({ tool, state }: ToolPart): string {
  return `[Assistant tool call]: ${tool}(${JSON.stringify(state.input ?? {})})`;
}

function resultLines({ state }: ToolPart, options: FlattenOptions): readonly string[] {
  if (state.status === 'error') return [`[Tool error]: ${state.error}`];
  if (state.status !== 'completed') return [];
  if (state.compactedAt !== undefined) return [`[Tool result]: ${options.clearedOutput}`];
  const { toolOutputChars } = options;
  const isCut = state.output.length > toolOutputChars;
  return [
    `[Tool result]: ${isCut ? `${state.output.slice(0, toolOutputChars)}\n[truncated]` : state.output}`,
  ];
}
