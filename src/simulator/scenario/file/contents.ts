import type { DraftPart } from '../../session/reading/fields.ts';
import type { FilePart, ToolState } from '../../../engine/index.ts';
import { type Amount, AMOUNT, parseAmount } from './amounts.ts';
import {
  type Content,
  type Images,
  PENDING_LINE,
  type Said,
  type Step,
  type Tool,
  TOOL_LINE,
  type User,
} from './session-schema.ts';
import WORDS from './words.json' with { type: 'json' };

/** Numbers that are unique among fillers and calls, and room for parts. */
export interface Supplies {
  readonly nextNumber: () => number;
  /** Reserves characters; throws above the limit. */
  readonly spend: (characters: number) => void;
}

type ToolMap = Exclude<Tool, string>;

export interface FillerSize {
  readonly tokens: number;
  /** Four a token where absent. */
  readonly characters?: number | undefined;
}

const CALL_CHARACTERS = 100;
const DEFAULT_MIME = 'image/png';
/** Characters in base64 of each three bytes. */
const BASE64_CHARACTERS = 4;
const BASE64_BYTES = 3;
/** Words of four letters that are one token where a text begins with them, in the common tokenizers. */
const FIRST_WORDS = WORDS.first.split(' ');
/** Words of three letters that are one token together with the space before them. */
const NEXT_WORDS = WORDS.next.split(' ');

export const FILLER_CHARACTERS = 4;

/** Words by their length from one letter on, each one token in the common tokenizers. */
const SIZED_WORDS = WORDS.sized.map((words) => words.split(' '));
const LONGEST_WORD = SIZED_WORDS.length;
const LONGEST_TOKEN = LONGEST_WORD + 1;
const DIGITS = '0123456789'.split('');
const LETTERS = SIZED_WORDS[0] ?? [];
/** Length of the cycle of words, and base of the number that they spell. */
const CYCLE = 8;
const BASE = 5;

export function userParts(user: User, supplies: Supplies): readonly DraftPart[] {
  const { images = [] } = typeof user === 'object' ? user : {};
  return [...textParts('text', user, supplies), ...toFiles(images, supplies)];
}

/** The parts of a step: reasoning, text, then calls. */
export function stepParts(step: Step, supplies: Supplies): readonly DraftPart[] {
  if (typeof step !== 'object') return textParts('text', step, supplies);
  const { signedBy } = step;
  const reasoning = textParts('reasoning', step.reasoning ?? 0, supplies);
  return [
    ...reasoning.map((part) => (signedBy === undefined ? part : { ...part, signedBy })),
    ...textParts('text', step.text ?? 0, supplies),
    ...(step.tools ?? []).flatMap((tool) => toolParts(tool, supplies)),
  ];
}

/** Filler of exactly that many tokens, another one for each number. */
export function buildFiller(tokens: number, number: number) {
  if (tokens <= 0) return '';
  return `${wordAt(FIRST_WORDS, number)}${continueFiller(tokens - 1, number)}`;
}

/** Filler of exactly that many tokens for the end of a text, from a space on. */
export function continueFiller(tokens: number, number: number) {
  const stride = 1 + (number % (NEXT_WORDS.length - 1));
  const cycle = NEXT_WORDS.map((_, index) => ` ${wordAt(NEXT_WORDS, number + index * stride)}`);
  return repeatTo(FILLER_CHARACTERS * tokens, cycle);
}

export function buildSized(size: FillerSize, number: number) {
  const { tokens } = size;
  if (tokens <= 0) return '';
  if (isUsual(size)) return buildFiller(tokens, number);
  const characters = charactersOf(size);
  const length = clamp(Math.floor(characters / tokens), 1, LONGEST_WORD);
  const first = pick(SIZED_WORDS[length - 1] ?? [], number, 0);
  return `${first}${continueWords(tokens - 1, characters - length, number)}`;
}

export function continueSized(size: FillerSize, number: number) {
  const { tokens } = size;
  if (isUsual(size)) return continueFiller(tokens, number);
  return continueWords(tokens, charactersOf(size), number);
}

function textParts(type: 'text' | 'reasoning', said: Said, supplies: Supplies) {
  const { more = [] } = typeof said === 'object' ? said : {};
  return [said, ...more].flatMap((one: Said): readonly DraftPart[] => {
    const text = toText(one, supplies);
    if (text === '') return [];
    const { synthetic } = typeof one === 'object' ? one : {};
    return [{ type, text, ...(type === 'text' && synthetic && { synthetic }) }];
  });
}

function toText(content: Content, supplies: Supplies) {
  const amount = amountOf(content);
  if (amount !== undefined) return fill({ tokens: amount }, supplies);
  const map = typeof content === 'object' ? content : { text: String(content) };
  const { text = '', times = 1, tokens = 0, characters }: Exclude<Content, number | string> = map;
  supplies.spend(text.length * times);
  const words = text.repeat(times);
  const size = sizeOf(parseAmount(tokens), characters);
  if (words === '') return fill(size, supplies);
  supplies.spend(charactersOf(size));
  return `${words}${continueSized(size, supplies.nextNumber())}`;
}

function amountOf(content: unknown) {
  const isAmount = typeof content === 'string' && AMOUNT.test(content);
  return isAmount || typeof content === 'number' ? parseAmount(content) : undefined;
}

function fill(size: FillerSize, { nextNumber, spend }: Supplies) {
  spend(charactersOf(size));
  return buildSized(size, nextNumber());
}

function charactersOf({ tokens, characters }: FillerSize) {
  return Math.max(tokens, characters ?? FILLER_CHARACTERS * tokens);
}

function sizeOf(tokens: number, characters: Amount | undefined): FillerSize {
  return characters === undefined ? { tokens } : { tokens, characters: parseAmount(characters) };
}

function toFiles(images: Images, { spend }: Supplies): readonly FilePart[] {
  return images.flatMap(({ bytes, mime = DEFAULT_MIME, times = 1 }) => {
    const length = BASE64_CHARACTERS * Math.ceil(parseAmount(bytes) / BASE64_BYTES);
    spend(length * times);
    const url = `data:${mime};base64,${'A'.repeat(length)}`;
    return Array.from({ length: times }, () => ({ type: 'file', id: '', mime, url }) as const);
  });
}

function toolParts(given: Tool, supplies: Supplies): readonly DraftPart[] {
  const call = typeof given === 'string' ? parseLine(given) : given;
  return Array.from({ length: call.times ?? 1 }, () => {
    supplies.spend(CALL_CHARACTERS);
    return { type: 'tool', tool: call.tool, state: toState(call, supplies) };
  });
}

function parseLine(line: string): ToolMap {
  const pending = PENDING_LINE.exec(line)?.groups;
  if (pending !== undefined) return { tool: pending['tool'] ?? '', status: 'pending' };
  const { times = '1', tool = '', output = '0', status } = TOOL_LINE.exec(line)?.groups ?? {};
  return { tool, output, times: Number(times), ...(status && { status: 'error' }) };
}

function toState(call: ToolMap, supplies: Supplies): ToolState {
  const input = toInput(call, supplies);
  if (call.status === 'pending') return { status: 'pending', input };
  const output = toText(call.output ?? 0, supplies);
  if (call.status === 'error') return { status: 'error', input, error: output };
  const attachments = toFiles(call.images ?? [], supplies);
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}

function toInput({ input, inputCharacters }: ToolMap, supplies: Supplies): unknown {
  if (input === undefined) return { path: `src/file-${supplies.nextNumber()}.ts` };
  const amount = amountOf(input);
  if (amount === undefined) return input;
  return { content: fill(sizeOf(amount, inputCharacters), supplies) };
}

function wordAt(words: readonly string[], index: number) {
  return words[index % words.length] ?? '';
}

function isUsual({ tokens, characters }: FillerSize) {
  return characters === undefined || characters === FILLER_CHARACTERS * tokens;
}

function clamp(value: number, least: number, most: number) {
  return Math.min(Math.max(value, least), most);
}

function pick(words: readonly string[], number: number, index: number) {
  const digit = Math.floor(number / BASE ** index) % BASE;
  return words[(digit + index) % words.length] ?? '';
}

function continueWords(tokens: number, characters: number, number: number) {
  if (tokens <= 0) return '';
  const length = clamp(Math.floor(characters / tokens), 1, LONGEST_TOKEN);
  const longer = length === LONGEST_TOKEN ? 0 : clamp(characters - length * tokens, 0, tokens);
  return `${repeatWords(length, tokens - longer, number)}${repeatWords(length + 1, longer, number)}`;
}

function repeatWords(length: number, tokens: number, number: number) {
  const cycle = Array.from({ length: CYCLE }, (_, index) => tokenAt(length, number, index));
  return repeatTo(length * tokens, cycle);
}

function repeatTo(length: number, texts: readonly string[]) {
  const cycle = texts.join('');
  return cycle.repeat(Math.ceil(length / cycle.length)).slice(0, length);
}

/** Without room for words, digits and letters in turn, which no tokenizer joins. */
function tokenAt(length: number, number: number, index: number) {
  if (length > 1) return ` ${pick(SIZED_WORDS[length - 2] ?? [], number, index)}`;
  return pick(index % 2 === 0 ? DIGITS : LETTERS, number, index);
}
