import { isSent, isSummary, type Message, type Part } from '../../../engine/index.ts';
import { perKey } from '../../lib/collections.ts';
import { commandOf, visibleOutput } from '../../session/tool-calls.ts';
import { BEFORE_HEAD, type Item } from './template.ts';

/** How often something is named, and by which message last. */
interface Mention {
  readonly text: string;
  readonly type: NameType | 'command';
  messages: number;
  last: number;
}

/** Options of a search for mentions besides the head. */
interface MentionOptions {
  /** Lines of an earlier summary. */
  readonly previous: readonly string[];
  /** Tests if a name is in the summary anyway. */
  readonly isListed: (name: string) => boolean;
}

/** Names and commands that a head mentions repeatedly. */
interface Mentions {
  readonly names: readonly Item[];
  /** Commands that were run more than once, the one to be kept longest first. */
  readonly commands: readonly OftenRan[];
}

/** A command that was run more than once. */
export interface OftenRan {
  readonly command: string;
  readonly weight: number;
  /** Index of the message that ran it last. */
  readonly at: number;
}

/** The kind of a name or number. */
type NameType = 'path' | 'error' | 'id' | 'symbol' | 'number' | 'url';

/** A name or number, as in the text. */
export interface Name {
  readonly type: NameType;
  readonly text: string;
}

/** Begins a line of names that more than one step had to do with. */
const NAMED = 'Names in use: ';
/** Begins a line of names that came up once. */
const SINGLES = 'Names seen: ';
/** Messages from which on such names are listed. */
const LONG_HEAD = 12;
const MOST_SINGLES = 240;
const SINGLE_WEIGHT = 0.5;
/** A line of an earlier summary about a command. */
const RAN = /^Ran (more than once: )?`([^`]+)`/;
/** Names in one line: few, so that the cap takes away a few at a time. */
const PER_LINE = 8;
/** Names that are listed at all. */
const MOST_NAMES = 320;
const MOST_COMMANDS = 20;
const COMMAND_CHARS = 120;
const COMMAND_STEP = 0.05;
const BLANKS = /\s+/g;
/** The heaviest line of names, and what each next one weighs less. */
const FIRST_WEIGHT = 2.75;
const WEIGHT_STEP = 0.03;
/** Read of a huge text: that much of its beginning and that much of its end. */
const WINDOW_CHARS = 40_000;
/** A name of an error is worth that many others. */
const ERROR_WORTH = 2;
/** Between the names of a line. */
export const NAME_SEPARATOR = ', ';

/** The number of a line with what sets it off, as tools put it before each line of a file or of a search. */
const LINE_NUMBER = /^[ \t]*\d{1,7}(?:→|\t|[:-](?!\d)|[ \t]*\|)/gm;

/** Of every character. */
const ROLES = new Uint8Array(0x1_00_00);

/** The class of a character in a name: none, a part, a part that plain words do not have, or a digit. */
const [OTHER, PART, TELLING, DIGIT] = [0, 1, 2, 3];

/** A number with its unit, where a run starts. */
const MEASURE =
  /\d+(?:\.\d+)? (?:ms|sec|seconds|min|minutes|hours|days|bytes|tokens|requests|rows|lines|px)\b/y;
const SHORTEST = 2;
const LONGEST = 160;
const EDGES = /^[.:@$%-]+(?![./])|[.:/@$-]+$/g;

const URL = /^[a-z][a-z+]{2,8}:\/\/./;

/** `src/a.ts:12` names the file, and a line of it. */
const POSITION = /:\d[\d:-]*$/;

const PATH =
  /^(?:~|\.{1,2})?\/[\w.@~-]+(?:\/[\w.@~-]+)+$|^(?:[\w.@~-]+\/)+[\w@~-][\w.@~-]*\.\w{1,10}$|^(?:[\w.@~-]+\/){2,}[\w.@~-]+$/;

const NUMBER =
  /^\d{4,}(?:\.\d+)?$|^v?\d+\.\d+\.\d+(?:-[\w.]+)?$|^\d+(?:\.\d+)? ?(?:ms|s|[kmg]i?b|bytes|px|%|[km]|[a-z]{3,})$/i;

const FILE =
  /^\w[\w.-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|sh|sql|json[cl]?|ya?ml|toml|md|txt|html?|css|scss|vue|svelte|lock|cfg|ini|env|xml|csv|log|proto|graphql|ipynb)$/;
const ERROR =
  /^(?:E_[A-Z0-9_]+|ERR_[A-Z0-9_]+|E[A-Z]{4,}|[A-Z]{2,5}\d{3,5}|[A-Z]\w*(?:Error|Exception))$/;

const HASH = /^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}$/;
const ID = /^(?=.*\d)[A-Za-z]\w*(?:-\w+)+$|^#\d{2,}$/;
const SYMBOL =
  /^[a-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*$|^[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$|^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_?$|^(?=[a-z0-9]*\d)(?=\d*[a-z])[a-z0-9]{6,}_?$/;

const namesIn = perKey((part: Part): ReadonlyMap<string, NameType> => {
  const names = textsOf(part).flatMap((text) => findNames(windowOf(text)));
  return new Map(names.map(({ text, type }) => [text, type]));
});

const ASCII_END = 128;

/** Finds names and commands that a head mentions repeatedly, with those that an earlier summary listed. */
export function findMentions(
  messages: readonly Message[],
  { previous, isListed }: MentionOptions,
): Mentions {
  const mentions = new Map<string, Mention>();
  for (const line of previous) {
    const ran = RAN.exec(line);
    if (ran?.[2] !== undefined) addCarried(mentions, ran[2], ran[1] === undefined ? 1 : 2);
    // A name that an earlier summary lists came up more than once; one in a sentence may not have.
    const count = isNamesLine(line) ? 2 : 1;
    for (const name of findNames(line)) {
      const known = mentions.get(name.text)?.messages ?? 0;
      mentions.set(name.text, { messages: Math.max(known, count), last: BEFORE_HEAD, ...name });
    }
  }
  for (const [at, message] of messages.entries()) addMessage(mentions, message, at);
  const all = [...mentions.values()];
  const names = all.filter(({ type, text }) => type !== 'command' && !isListed(text));
  const commands = all.filter(({ type }) => type === 'command');
  return {
    names: [
      ...toNameItems(names.filter(isRepeated), messages.length),
      ...toSingleItems(names, messages.length),
    ],
    commands: rankCommands(commands.filter(isRepeated)),
  };
}

/** Tests if a line of an earlier summary only lists names. */
export function isBareNames(line: string): boolean {
  return line.startsWith(NAMED) || line.startsWith(SINGLES);
}

/** The names and numbers of a text in order, as often as they stand there. */
export function findNames(text: string): readonly Name[] {
  const names: Name[] = [];
  let start = 0;
  while (start < text.length) {
    const first = ROLES[text.charCodeAt(start)];
    const measured = first === DIGIT ? measureEnd(text, start) : 0;
    const end = measured > 0 ? measured : runEnd(text, start);
    if (end - start >= SHORTEST && end - start <= LONGEST && isTelling(text, start, end)) {
      const name = nameOf(text.slice(start, end));
      if (name !== undefined) names.push(name);
    }
    start = Math.max(end, start + 1);
  }
  return names;
}

/** The output of a tool without the numbers that it puts before lines: they are no numbers of the session. */
export function withoutLineNumbers(output: string): string {
  return output.replaceAll(LINE_NUMBER, '');
}

/** Adds a command of an earlier summary. */
function addCarried(mentions: Map<string, Mention>, text: string, count: number): void {
  mentions.set(text, { text, type: 'command', messages: count, last: BEFORE_HEAD });
}

/** Tests if a line of an earlier summary lists names of more than one step. */
function isNamesLine(line: string): boolean {
  return line.startsWith(NAMED);
}

function addMessage(mentions: Map<string, Mention>, message: Message, at: number): void {
  if (isSummary(message) || !isSent(message)) return;
  const found = new Map<string, Mention['type']>();
  for (const part of message.parts) {
    for (const [name, type] of namesIn(part)) found.set(name, type);
    const command = part.type === 'tool' ? commandOf(part) : undefined;
    if (command !== undefined && command.length <= COMMAND_CHARS) {
      found.set(quotable(command), 'command');
    }
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

/** A command in one line, without marks that would end its quotation. */
function quotable(command: string): string {
  return command.replaceAll(BLANKS, ' ').trim().replaceAll('`', "'");
}

/** The rarer and the newer, the earlier it is listed. */
function toNameItems(mentions: readonly Mention[], count: number): readonly Item[] {
  const worth = ({ messages, last, type }: Mention) =>
    (type === 'error' ? ERROR_WORTH : 1) *
    Math.log1p(count / messages) *
    (1 + (last + 1) / Math.max(1, count));
  const ranked = mentions.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_NAMES);
  return toLines(ranked).map((line, index) =>
    toItem(line, NAMED, FIRST_WEIGHT - index * WEIGHT_STEP),
  );
}

function toLines(mentions: readonly Mention[]): readonly (readonly Mention[])[] {
  return Array.from({ length: Math.ceil(mentions.length / PER_LINE) }, (_, line) =>
    mentions.slice(line * PER_LINE, (line + 1) * PER_LINE),
  );
}

function toItem(line: readonly Mention[], opening: string, weight: number): Item {
  return {
    text: opening + line.map(({ text }) => text).join(NAME_SEPARATOR),
    weight,
    at: Math.max(...line.map(({ last }) => last)),
  };
}

function isRepeated({ messages }: Mention): boolean {
  return messages > 1;
}

/** Names that came up once fill what room a long head leaves: the next step may come back to them. */
function toSingleItems(mentions: readonly Mention[], count: number): readonly Item[] {
  if (count < LONG_HEAD) return [];
  const singles = mentions.filter(({ messages }) => messages === 1);
  const newest = singles
    .toSorted((a, b) => Number(b.type === 'error') - Number(a.type === 'error') || b.last - a.last)
    .slice(0, MOST_SINGLES);
  return toLines(newest).map((line) => toItem(line, SINGLES, SINGLE_WEIGHT));
}

function rankCommands(mentions: readonly Mention[]): readonly OftenRan[] {
  return mentions
    .toSorted((a, b) => b.last - a.last)
    .slice(0, MOST_COMMANDS)
    .map(({ text, last }, index) => ({
      command: text,
      weight: FIRST_WEIGHT - index * COMMAND_STEP,
      at: last,
    }));
}

/** Where a number with its unit ends that begins there; 0 where none does. */
function measureEnd(text: string, start: number): number {
  MEASURE.lastIndex = start;
  return MEASURE.test(text) ? MEASURE.lastIndex : 0;
}

/** Where the characters end of which names are made. */
function runEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && ROLES[text.charCodeAt(end)] !== OTHER) end += 1;
  return end;
}

/** Tests if a run of characters is more than a plain word. */
function isTelling(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if ((ROLES[text.charCodeAt(index)] ?? OTHER) >= TELLING) return true;
  }
  return false;
}

/** The name that a run of characters is, without punctuation; undefined where it is none. */
function nameOf(run: string): Name | undefined {
  const trimmed = run.replace(EDGES, '');
  const text = URL.test(trimmed) ? trimmed : trimmed.replace(POSITION, '');
  const type = text.length < SHORTEST ? undefined : typeOf(text);
  return type && { type, text };
}

function typeOf(text: string): NameType | undefined {
  if (text.includes('/')) {
    if (URL.test(text)) return 'url';
    return PATH.test(text) ? 'path' : undefined;
  }
  if (NUMBER.test(text)) return 'number';
  if (FILE.test(text)) return 'path';
  if (ERROR.test(text)) return 'error';
  if (HASH.test(text) || ID.test(text)) return 'id';
  return SYMBOL.test(text) ? 'symbol' : undefined;
}

function textsOf(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type === 'reasoning') return [part.text];
  if (part.type !== 'tool') return [];
  return [...leavesOf(part.state.input), withoutLineNumbers(visibleOutput(part))];
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

function roleOf(character: string): number {
  if (/\d/.test(character)) return DIGIT;
  if (/[A-Z_/.#]/.test(character)) return TELLING;
  return /[a-z~@$%:-]/.test(character) ? PART : OTHER;
}

for (let code = 0; code < ASCII_END; code++) ROLES[code] = roleOf(String.fromCharCode(code));
