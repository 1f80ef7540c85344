import { type CompletedPart, isCompleted, type Message, type Part } from '../message.ts';

/** The messages with tool outputs cut to a length, and a note of what was left out. Source: OpenCode 1.14.21. */
export function shortenOutputs(messages: readonly Message[], maxChars: number): readonly Message[] {
  return messages.map((message) =>
    message.parts.some((part) => isLong(part, maxChars))
      ? { ...message, parts: message.parts.map((part) => shorten(part, maxChars)) }
      : message,
  );
}

function isLong(part: Part, maxChars: number): part is CompletedPart {
  return (
    isCompleted(part) && part.state.compactedAt === undefined && part.state.output.length > maxChars
  );
}

function shorten(part: Part, maxChars: number): Part {
  if (!isLong(part, maxChars)) return part;
  return { ...part, state: { ...part.state, output: shortenText(part.state.output, maxChars) } };
}

/** A text that is longer, cut to a length, with a note of what was left out. */
function shortenText(text: string, maxChars: number): string {
  const omitted = text.length - maxChars;
  return `${text.slice(0, maxChars)}\n[Tool output truncated for compaction: omitted ${omitted} chars]`;
}
