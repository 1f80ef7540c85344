import {
  type CompletedPart,
  type FilePart,
  isCompleted,
  type Message,
  type Part,
  type TextPart,
  type ToolPart,
} from '../message.ts';
import type { SummaryForm } from '../policy.ts';

/** Sentences and limits of a flattened history. */
export interface FlattenOptions {
  /** Stands where a cleared output was. */
  readonly clearedOutput: string;
  /** Longest tool output, in characters. */
  readonly toolOutputChars: number;
}

type CutNote = (omittedChars: number) => string;

const longNote: CutNote = (omittedChars) =>
  `[Tool output truncated for compaction: omitted ${omittedChars} chars]`;
const SHORT_NOTE = '[truncated]';

/** Notes by the form of the request. Source: OpenCode 1.14.21 and 1.18.15. */
export const cutNotes = {
  extends: longNote,
  fresh: longNote,
  flattened: () => SHORT_NOTE,
} satisfies Record<SummaryForm['kind'], CutNote>;

/**
 * A message as plain text, line by line with who said it; empty where nothing of it is sent. Calls that have not come
 * back have no result line. Source: OpenCode 1.18.15 and its 2.0 engine.
 */
export function flattenMessage(message: Message, options: FlattenOptions): string {
  const flatten = message.role === 'user' ? flattenUserPart : flattenAssistantPart;
  return message.parts.flatMap((part) => flatten(part, options)).join('\n');
}

/** Tests if a file is an image or a document that providers weigh by its bytes. */
export function isMedia(part: FilePart): boolean {
  return part.mime.startsWith('image/') || part.mime === 'application/pdf';
}

/** The line that stands for media which is not sent. */
export function mediaNote(part: FilePart): string {
  return `[Attached ${part.mime}: ${part.filename ?? 'file'}]`;
}

/** The messages with media as text, and without the media that tools attached. */
export function stripMedia(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.parts.some(hasMedia) ? { ...message, parts: message.parts.map(withoutMedia) } : message,
  );
}

/** A part with its media as text. */
export function withoutMedia(part: Part): Part {
  if (part.type === 'file' && isMedia(part))
    return { type: 'text', id: part.id, text: mediaNote(part) };
  if (isCompleted(part) && hasMedia(part)) {
    const { attachments: _attachments, ...state } = part.state;
    return { ...part, state };
  }
  return part;
}

/** Tests if a part is media, or has media attached by a tool. */
export function hasMedia(part: Part): boolean {
  if (part.type === 'file') return isMedia(part);
  return isCompleted(part) && (part.state.attachments?.length ?? 0) > 0;
}

/** The messages with tool outputs cut to a length, with a note. Source: OpenCode 1.14.21. */
export function shortenOutputs(
  messages: readonly Message[],
  maxChars: number,
  note: CutNote = cutNotes.fresh,
): readonly Message[] {
  const shorten = (part: Part): Part => {
    if (!isLong(part, maxChars)) return part;
    const { output } = part.state;
    const cut = `${output.slice(0, maxChars)}\n${note(output.length - maxChars)}`;
    return { ...part, state: { ...part.state, output: cut } };
  };
  return messages.map((message) =>
    message.parts.some((part) => isLong(part, maxChars))
      ? { ...message, parts: message.parts.map(shorten) }
      : message,
  );
}

function flattenUserPart(part: Part): readonly string[] {
  if (part.type === 'text') return lineOf('User', part);
  return part.type === 'file' ? [mediaNote(part)] : [];
}

function lineOf(who: string, { text, ignored }: TextPart): readonly string[] {
  return ignored || text === '' ? [] : [`[${who}]: ${text}`];
}

function flattenAssistantPart(part: Part, options: FlattenOptions): readonly string[] {
  if (part.type === 'text') return lineOf('Assistant', part);
  if (part.type === 'reasoning')
    return part.text === '' ? [] : [`[Assistant reasoning]: ${part.text}`];
  if (part.type !== 'tool') return [];
  const { tool, state } = part;
  const call = `[Assistant tool call]: ${tool}(${JSON.stringify(state.input ?? {})})`;
  return [call, ...resultLines(part, options)];
}

function resultLines({ state }: ToolPart, { clearedOutput, toolOutputChars }: FlattenOptions) {
  if (state.status === 'error') return [`[Tool error]: ${state.error}`];
  if (state.status !== 'completed') return [];
  if (state.compactedAt !== undefined) return [`[Tool result]: ${clearedOutput}`];
  const { output } = state;
  const isCut = output.length > toolOutputChars;
  return [
    `[Tool result]: ${isCut ? `${output.slice(0, toolOutputChars)}\n${SHORT_NOTE}` : output}`,
  ];
}

function isLong(part: Part, maxChars: number): part is CompletedPart {
  return (
    isCompleted(part) && part.state.compactedAt === undefined && part.state.output.length > maxChars
  );
}
