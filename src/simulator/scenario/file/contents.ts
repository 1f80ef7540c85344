/** Contents of scripted messages. */

import type { FilePart, ToolState } from '../../../engine/index.ts';
import type { DraftPart } from '../../session/reading/transcript.ts';
import { type Amount, AMOUNT, parseAmount } from './amounts.ts';
import { buildSized, charactersOf, continueSized, type FillerSize } from './sized-filler.ts';
import {
  type Content,
  type Images,
  PENDING_LINE,
  type Said,
  type Step,
  type Tool,
  TOOL_LINE,
  type User,
} from './schema/session.ts';

/** What parts of a session are made with. */
export interface Supplies {
  /** A number that no filler and no call has yet. */
  readonly nextNumber: () => number;
  /** Told of what is about to be made, in characters; throws where that is too much. */
  readonly spend: (characters: number) => void;
}

/** A call with its parts spelled out. */
type ToolMap = Exclude<Tool, string>;

/** What a call takes at least, with its name and its input. */
const CALL_CHARACTERS = 100;
const DEFAULT_MIME = 'image/png';
/** Characters in base64 of each three bytes. */
const BASE64_CHARACTERS = 4;
const BASE64_BYTES = 3;

/** What a user says: words first, then images. */
export function userParts(user: User, supplies: Supplies): readonly DraftPart[] {
  const images = typeof user === 'object' ? (user.images ?? []) : [];
  return [...textParts('text', user, supplies), ...toFiles(images, supplies)];
}

/** What a step holds: thoughts, words, then calls. */
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

function textParts(
  type: 'text' | 'reasoning',
  said: Said,
  supplies: Supplies,
): readonly DraftPart[] {
  const { more = [] } = typeof said === 'object' ? said : {};
  return [said, ...more].flatMap((one) => textPart(type, one, supplies));
}

function textPart(
  type: 'text' | 'reasoning',
  said: Said,
  supplies: Supplies,
): readonly DraftPart[] {
  const text = toText(said, supplies);
  if (text === '') return [];
  const { synthetic } = typeof said === 'object' ? said : {};
  return [{ type, text, ...(type === 'text' && synthetic && { synthetic }) }];
}

function toText(content: Content, supplies: Supplies): string {
  const amount = amountOf(content);
  if (amount !== undefined) return fill({ tokens: amount }, supplies);
  const { text = '', times = 1, tokens = 0, characters } = toMap(content);
  supplies.spend(text.length * times);
  const words = text.repeat(times);
  const size = sizeOf(parseAmount(tokens), characters);
  if (words === '') return fill(size, supplies);
  supplies.spend(charactersOf(size));
  return `${words}${continueSized(size, supplies.nextNumber())}`;
}

function sizeOf(tokens: number, characters: Amount | undefined): FillerSize {
  return characters === undefined ? { tokens } : { tokens, characters: parseAmount(characters) };
}

function toMap(content: Content): Exclude<Content, number | string> {
  return typeof content === 'object' ? content : { text: String(content) };
}

function fill(size: FillerSize, { nextNumber, spend }: Supplies): string {
  spend(charactersOf(size));
  return buildSized(size, nextNumber());
}

/** A text that looks like an amount is one; anything else is none. */
function amountOf(content: unknown): number | undefined {
  const isAmount = typeof content === 'string' && AMOUNT.test(content);
  return isAmount || typeof content === 'number' ? parseAmount(content) : undefined;
}

function toolParts(tool: Tool, supplies: Supplies): readonly DraftPart[] {
  const call = typeof tool === 'string' ? parseLine(tool) : tool;
  return Array.from({ length: call.times ?? 1 }, () => toolPart(call, supplies));
}

function parseLine(line: string): ToolMap {
  const pending = PENDING_LINE.exec(line)?.groups;
  if (pending !== undefined) return { tool: pending['tool'] ?? '', status: 'pending' };
  const { times = '1', tool = '', output = '0', status } = TOOL_LINE.exec(line)?.groups ?? {};
  return { tool, output, times: Number(times), ...(status && { status: 'error' }) };
}

function toolPart(call: ToolMap, supplies: Supplies): DraftPart {
  supplies.spend(CALL_CHARACTERS);
  return { type: 'tool', tool: call.tool, state: toState(call, supplies) };
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

function toFiles(images: Images, { spend }: Supplies): readonly FilePart[] {
  return images.flatMap(({ bytes, mime = DEFAULT_MIME, times = 1 }) => {
    const length = BASE64_CHARACTERS * Math.ceil(parseAmount(bytes) / BASE64_BYTES);
    spend(length * times);
    const url = `data:${mime};base64,${'A'.repeat(length)}`;
    return Array.from({ length: times }, () => ({ type: 'file', id: '', mime, url }) as const);
  });
}
