import { isSent, isSummary, type Message, type Part } from '../../../engine/index.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { findNames, type NameType } from './names.ts';
import { commandOf, visibleOutput } from './tool-calls.ts';

/** How often something is named, and by which message last. */
interface Mention {
  readonly text: string;
  readonly type: NameType | 'command';
  messages: number;
  last: number;
}

/** Begins a line of names that more than one step had to do with. */
export const NAMED = 'Names in use: ';
/** Begins a line of a command that was run more than once. */
const OFTEN_RAN = 'Ran more than once: ';
/** Names in one line: few, so that the cap takes away a few at a time. */
const PER_LINE = 8;
/** Names that are listed at all. */
const MOST_NAMES = 240;
const MOST_COMMANDS = 20;
const COMMAND_CHARS = 120;
/** The heaviest line of names, and what each next one weighs less. */
const FIRST_WEIGHT = 2.9;
const WEIGHT_STEP = 0.06;
/** Read of a huge text: that much of its beginning and that much of its end. */
const WINDOW_CHARS = 40_000;
/** A name of an error is worth that many others. */
const ERROR_WORTH = 2;
const SEPARATOR = ', ';

/** What names and commands a head comes back to, with those that an earlier summary listed. */
export function findMentions(
  messages: readonly Message[],
  previous: readonly string[],
): { readonly names: readonly Item[]; readonly commands: readonly Item[] } {
  const mentions = new Map<string, Mention>();
  for (const line of previous.filter(isNamesLine)) {
    for (const text of line.slice(NAMED.length).split(SEPARATOR)) {
      for (const name of findNames(text)) {
        mentions.set(name.text, { ...name, messages: 2, last: BEFORE_HEAD });
      }
    }
  }
  for (const [at, message] of messages.entries()) addMessage(mentions, message, at);
  const repeated = [...mentions.values()].filter((mention) => mention.messages > 1);
  return {
    names: toNameItems(
      repeated.filter(({ type }) => type !== 'command'),
      messages.length,
    ),
    commands: toCommandItems(repeated.filter(({ type }) => type === 'command')),
  };
}

/** Whether a line of an earlier summary lists names. */
export function isNamesLine(line: string): boolean {
  return line.startsWith(NAMED);
}

function addMessage(mentions: Map<string, Mention>, message: Message, at: number): void {
  if (isSummary(message) || !isSent(message)) return;
  const found = new Map<string, Mention['type']>();
  for (const part of message.parts) {
    for (const text of textsOf(part)) {
      for (const name of findNames(windowOf(text))) found.set(name.text, name.type);
    }
    const command = part.type === 'tool' ? commandOf(part) : undefined;
    if (command !== undefined && command.length <= COMMAND_CHARS) found.set(command, 'command');
  }
  for (const [text, type] of found) {
    const known = mentions.get(text);
    if (known === undefined) mentions.set(text, { text, type, messages: 1, last: at });
    else {
      known.messages += 1;
      known.last = at;
    }
  }
}

function textsOf(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type === 'reasoning') return [part.text];
  if (part.type !== 'tool') return [];
  return [...leavesOf(part.state.input), visibleOutput(part)];
}

/** The texts in an input of unknown shape. */
function leavesOf(input: unknown): readonly string[] {
  const leaves: string[] = [];
  const waiting: unknown[] = [input];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') leaves.push(value);
    else if (typeof value === 'number') leaves.push(String(value));
    else if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value));
  }
  return leaves;
}

function windowOf(text: string): string {
  if (text.length <= 2 * WINDOW_CHARS) return text;
  return `${text.slice(0, WINDOW_CHARS)}\n${text.slice(-WINDOW_CHARS)}`;
}

/** The rarer and the newer, the earlier it is listed. */
function toNameItems(mentions: readonly Mention[], count: number): readonly Item[] {
  const worth = ({ messages, last, type }: Mention) =>
    (type === 'error' ? ERROR_WORTH : 1) *
    Math.log1p(count / messages) *
    (1 + (last + 1) / Math.max(1, count));
  const ranked = mentions.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_NAMES);
  const lines = Array.from({ length: Math.ceil(ranked.length / PER_LINE) }, (_, line) =>
    ranked.slice(line * PER_LINE, (line + 1) * PER_LINE),
  );
  return lines.map((line, index) => ({
    text: NAMED + line.map(({ text }) => text).join(SEPARATOR),
    weight: FIRST_WEIGHT - index * WEIGHT_STEP,
    at: Math.max(...line.map(({ last }) => last)),
  }));
}

function toCommandItems(mentions: readonly Mention[]): readonly Item[] {
  return mentions
    .toSorted((a, b) => b.last - a.last)
    .slice(0, MOST_COMMANDS)
    .filter(({ text }) => !/[\n`]/.test(text))
    .map(({ text, last }) => ({
      text: `${OFTEN_RAN}\`${text}\``,
      weight: WEIGHTS.important,
      at: last,
    }));
}
