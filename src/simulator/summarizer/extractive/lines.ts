import { isSent, isSummary, type Message, type ToolPart } from '../../../engine/index.ts';
import { perKey } from '../../../engine/internal.ts';
import { visibleOutput } from '../../session/tool-calls.ts';
import { findNames } from './names.ts';
import { proseLines } from './prose.ts';
import { splitSentences } from './sentences.ts';

/** A line or a sentence of a head. */
export interface Line {
  readonly text: string;
  readonly source: 'user' | 'assistant' | 'tool';
  /** Index of the message. */
  readonly at: number;
}

/** Lines of an output that are read: of more, the first and the last. */
const FIRST_LINES = 1_500;
const LAST_LINES = 1_500;
/** A longer line of an output is data, not something that is said. */
const LONGEST_LINE = 400;
/** A number of a line with what sets it off, a mark of a comment or of a difference. */
const MARGIN =
  /^(?:[\w./~-]+\/[\w.-]+:\d+:)?\s*(?:\d+\s*(?:→|\||:)\s?)?(?:[+-](?=\s|\/\/|#))?\s*(?:\/\/+|\/\*+|#+|--|\*)?\s*/;
const LINE_END = /\r\n?|\n/;

const textsIn = perKey((part: Message['parts'][number]): readonly string[] => {
  if (part.type === 'tool') return outputLines(part);
  if (part.type !== 'text' || part.synthetic || part.ignored) return [];
  // Splitting is slow, and a sentence without a name is no statement.
  const named = proseLines(part.text).filter((line) => findNames(line).length > 0);
  return named.flatMap((line) => splitSentences(line)).map((text) => text.trim());
});

/** Everything that was said in a head, by a person, a model or a tool, without what earlier summaries say. */
export function readLines(messages: readonly Message[]): readonly Line[] {
  return messages.flatMap((message, at) =>
    isSummary(message) || !isSent(message) ? [] : linesOf(message, at),
  );
}

function linesOf({ role, parts }: Message, at: number): readonly Line[] {
  return parts.flatMap((part) => {
    const source = part.type === 'tool' ? 'tool' : role;
    return textsIn(part).map((text) => ({ text, source, at }));
  });
}

function outputLines(part: ToolPart): readonly string[] {
  return ends(visibleOutput(part).split(LINE_END))
    .filter((raw) => raw.length <= LONGEST_LINE)
    .map((raw) => raw.replace(MARGIN, '').trimEnd())
    .filter((text) => text !== '');
}

function ends(lines: readonly string[]): readonly string[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)];
}
