import type { Message, Part } from '../message.ts';

/** The messages with tool outputs cut to a length, and a note of what was left out. Source: OpenCode 1.14.21. */
export function shortenOutputs(messages: readonly Message[], maxChars: number): readonly Message[] {
  return messages.map((message) =>
    message.parts.some((part) => isLong(part, maxChars))
      ? { ...message, parts: message.parts.map((part) => shorten(part, maxChars)) }
      : message,
  );
}

function isLong(part: Part, maxChars: number): boolean {
  return (
    part.type === 'tool' &&
    part.state.status === 'completed' &&
    part.state.compactedAt === undefined &&
    part.state.output.length > maxChars
  );
}

function shorten(part: Part, maxChars: number): Part {
  if (part.type !== 'tool' || part.state.status !== 'completed' || !isLong(part, maxChars))
    return part;
  return { ...part, state: { ...part.state, output: shortenText(part.state.output, maxChars) } };
}

/** A text cut to a length, with a note of what was left out. */
export function shortenText(text: string, maxChars: number): string {
  const omitted = text.length - maxChars;
  if (omitted <= 0) return text;
  return `${text.slice(0, maxChars)}\n[Tool output truncated for compaction: omitted ${omitted} chars]`;
}
