import { z } from 'zod';
import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import {
  beginsWithAny,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  mimeIn,
  toList,
  toLocalTime,
  toRelease,
  toText,
} from '../reading/lenient.ts';
import type { Facts } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';

/** A line of a rollout. */
export interface CodexRecord {
  /** Absent if the line has none. */
  readonly type: string | undefined;
  /** Time in ms; 0 if unknown. */
  readonly time: number;
  readonly payload: CodexPayload;
}

/** The content of a line: an item that the model saw, an event, or settings. */
export type CodexPayload = z.infer<typeof payloadSchema>;

/** A piece of a message, of reasoning or of an output. */
export type CodexPiece = z.infer<typeof pieceSchema>;

/** Context for converting items into parts. */
export interface ItemReading {
  readonly tally: Tally;
  readonly expander: Expander;
  /** Outputs by call id. */
  readonly outputs: ReadonlyMap<string, CodexPayload>;
}

/** Restores the length of texts that were replaced by it. */
interface Expander {
  /** The text, or a filler of its recorded length; equal texts get equal fillers. */
  toText(text: string): string;
  /** The value with all its texts restored. */
  toValue(value: unknown): unknown;
}

const usageSchema = maybeObject({
  input_tokens: maybeTokens,
  cached_input_tokens: maybeTokens,
  cache_write_input_tokens: maybeTokens,
  output_tokens: maybeTokens,
  reasoning_output_tokens: maybeTokens,
  total_tokens: maybeTokens,
});

const payloadSchema = z.object({
  type: maybeText,
  role: maybeText,
  id: maybeId,
  call_id: maybeId,
  name: maybeText,
  function: maybeObject({ name: maybeText }),
  content: z.unknown().optional(),
  message: maybeText,
  summary: z.unknown().optional(),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  output: z.unknown().optional(),
  tools: z.unknown().optional(),
  result: maybeText,
  model: maybeText,
  model_provider: maybeText,
  cli_version: maybeText,
  parent_thread_id: maybeId,
  source: z.unknown().optional(),
  new_thread_id: maybeId,
  num_turns: maybeNumber,
  instructions: maybeText,
  base_instructions: z.unknown().optional(),
  replacement_history: z.unknown().optional(),
  model_context_window: maybeTokens,
  info: maybeObject({
    total_token_usage: usageSchema,
    last_token_usage: usageSchema,
    model_context_window: maybeTokens,
  }),
});

const pieceSchema = z.object({ type: maybeText, text: maybeText, image_url: maybeText });

/** Types of lines with their content in `payload`. */
const ENVELOPES = new Set<unknown>([
  'compacted',
  'event_msg',
  'inter_agent_communication_metadata',
  'response_item',
  'session_meta',
  'token_usage_record',
  'turn_context',
  'world_state',
]);

/** Tool names of calls that have none. */
const TOOL_NAMES: ReadonlyMap<string | undefined, string> = new Map([
  ['image_generation_call', 'image_generation'],
  ['local_shell_call', 'local_shell'],
  ['tool_search_call', 'tool_search'],
  ['web_search_call', 'web_search'],
]);

/** Calls that the provider answers itself; their results are neither recorded nor sent again. */
const ANSWERED_BY_PROVIDER = new Set<string | undefined>([
  'image_generation_call',
  'web_search_call',
]);

const MARKER = /^\[REDACTED_[A-Z_\d]+ len=(\d{1,9}) sha=([\da-f]{1,64})\]$/;
const FILLER =
  'the water in the kettle is still cold and nobody has found the lid; look for it below the sink, ' +
  'then fill it again, close the lid, switch it on and wait until it whistles before you pour. ';
/** Limits above any real recording, for one text and for a file. */
const MAX_CHARS = 30_000_000;
const MAX_CHARS_IN_ALL = 100_000_000;
const MAX_DEPTH = 8;

/** Beginnings of texts that a program put in the user's place. */
const INJECTED_STARTS = [
  '# AGENTS.md instructions',
  '</image>',
  '<INSTRUCTIONS>',
  '<apps_instructions>',
  '<collaboration_mode>',
  '<environment_context>',
  '<environments_instructions>',
  '<goal_context>',
  '<hook_prompt',
  '<image',
  '<model_switch>',
  '<permissions instructions>',
  '<permissions>',
  '<personality_spec>',
  '<plugins_instructions>',
  '<realtime_conversation>',
  '<skill>',
  '<skills_instructions>',
  '<subagent_notification>',
  '<turn_aborted>',
  '<user_instructions>',
  '<user_shell_command>',
];

/** Parses a line; `undefined` if it is no object. Old lines are items without an envelope. */
export function parseRecord(line: unknown): CodexRecord | undefined {
  if (!isObject(line)) return undefined;
  const time = toLocalTime(toText(line['timestamp'] ?? line['created_at']));
  const { type, payload } = line;
  if (isObject(payload)) {
    return { type: toText(type), time, payload: payloadSchema.parse(payload) };
  }
  const item = payloadSchema.parse(line);
  return { type: bareType(line, item), time, payload: item };
}

/** Recognizes lines that no other recorder writes. */
export function isRolloutLine(line: unknown): boolean {
  if (!isObject(line)) return false;
  if (isObject(line['payload'])) return ENVELOPES.has(line['type']);
  return line['type'] === 'message' && piecesOf(line['content']).some(isPieceOfMessage);
}

/** Recognizes messages and calls. */
export function isConversation({ type, payload }: CodexRecord): boolean {
  if (type !== 'response_item') return false;
  const { role } = payload;
  return role === 'user' || role === 'assistant' || payload.type?.endsWith('_call') === true;
}

/** The first settings of a file; later ones belong to a forked thread or a resumption. */
export function metaOf(records: readonly CodexRecord[]): CodexPayload | undefined {
  return records.find(({ type }) => type === 'session_meta')?.payload;
}

/** Fields of a session by the first settings of its file. */
export function describeThread(
  records: readonly CodexRecord[],
  tally: Tally,
): Pick<Facts, 'sessionId' | 'isSide' | 'parentSessionId' | 'system' | 'release'> {
  const meta = metaOf(records);
  const { base_instructions: base, instructions = '', cli_version: version } = meta ?? {};
  return {
    sessionId: meta?.id,
    isSide: meta !== undefined && isSpawned(meta),
    parentSessionId: meta?.parent_thread_id,
    system: createExpander(tally).toText(textOf(base) || instructions) || undefined,
    release: toRelease(version),
  };
}

/** Recognizes known types of lines, whatever they hold. */
export function isKnownLine({ type }: CodexRecord): boolean {
  return ENVELOPES.has(type) || type === 'state';
}

/** Pieces of a content; a string is one piece. */
export function piecesOf(content: unknown): readonly CodexPiece[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, image_url: undefined }];
  const values = Array.isArray(content) ? content : [content];
  return values.flatMap((value) => pieceSchema.safeParse(value).data ?? []);
}

/** Texts of a content, line by line. */
export function textOf(content: unknown): string {
  return piecesOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Parts of a message. */
export function toContentParts(content: unknown, reading: ItemReading): readonly DraftPart[] {
  return piecesOf(content).flatMap((piece) => toContentPart(piece, reading));
}

/** Reasoning that is not encrypted. */
export function toReasoningParts(
  { summary, content }: CodexPayload,
  { expander }: ItemReading,
): readonly DraftPart[] {
  const texts = [...toList(summary), ...toList(content)].flatMap(piecesOf);
  return texts.flatMap(({ text = '' }) =>
    text === '' ? [] : [{ type: 'reasoning', text: expander.toText(text) }],
  );
}

/** A call with its output. */
export function toToolPart(item: CodexPayload, reading: ItemReading): DraftPart {
  const { call_id: callId, name = item.function?.name ?? TOOL_NAMES.get(item.type) } = item;
  const input = toInput(item, reading);
  const tool = name === undefined ? 'unknown' : reading.expander.toText(name);
  return { type: 'tool', callId, tool, state: toState(item, input, reading) };
}

/** Recognizes a text that was replaced by its length. */
export function isRedacted(text: string): boolean {
  return MARKER.test(text);
}

/** Creates an expander for one file; texts above the limits stay unchanged. */
export function createExpander(tally: Tally): Expander {
  const known = new Map<string, string>();
  let charsInAll = 0;
  const toText = (text: string) => {
    const [, length, sha = ''] = MARKER.exec(text) ?? [];
    if (length === undefined) return text;
    const key = `${length} ${sha}`;
    const filler = known.get(key);
    if (filler !== undefined) return filler;
    const chars = Number(length);
    if (chars > MAX_CHARS || charsInAll + chars > MAX_CHARS_IN_ALL) {
      tally.drop('redacted text that is too long');
      return text;
    }
    charsInAll += chars;
    const made = fill(chars, sha);
    known.set(key, made);
    return made;
  };
  return { toText, toValue: (value) => expandValue(value, toText, MAX_DEPTH) };
}

/** Recognizes context that a program put in the user's place: the model saw it, but it is no prompt. */
export function isInjectedText(text: string): boolean {
  return beginsWithAny(text, INJECTED_STARTS);
}

/** Recognizes threads of sub-agents; a fork by a person (`forked_from_id`) is none. */
function isSpawned({ parent_thread_id: parentId, source }: CodexPayload): boolean {
  return parentId !== undefined || (isObject(source) && source['subagent'] !== undefined);
}

function bareType(line: Readonly<Record<string, unknown>>, item: CodexPayload): string {
  if (typeof line['record_type'] === 'string') return line['record_type'];
  const isHeader = item.type === undefined && item.role === undefined && item.id !== undefined;
  return isHeader ? 'session_meta' : 'response_item';
}

function isPieceOfMessage({ type }: CodexPiece): boolean {
  return type === 'input_text' || type === 'output_text';
}

function toContentPart(piece: CodexPiece, { expander, tally }: ItemReading): readonly DraftPart[] {
  const text = expander.toText(piece.text ?? '');
  if (piece.text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  const file = toFile(piece, expander);
  if (file === undefined) tally.drop('unknown content block');
  return file === undefined ? [] : [file];
}

function toFile(
  { image_url: url }: CodexPiece,
  expander: Expander,
): Omit<FilePart, 'id'> | undefined {
  if (url === undefined) return undefined;
  return { type: 'file', mime: mimeIn(url) ?? 'image/*', url: expander.toText(url) };
}

/** Parses arguments; a redacted string becomes a filler of its length. */
function toInput(item: CodexPayload, { expander, tally }: ItemReading): unknown {
  const written = item.arguments ?? item.input ?? item.action ?? {};
  if (typeof written !== 'string') return expander.toValue(written);
  if (isRedacted(written)) return expander.toText(written);
  const input = parseJson(written);
  if (input === undefined && item.input === undefined) {
    tally.repair('tool arguments that are no JSON');
  }
  return input ?? written;
}

function toState(item: CodexPayload, input: unknown, reading: ItemReading): ToolState {
  if (ANSWERED_BY_PROVIDER.has(item.type)) return answeredByProvider(item, input);
  const answer = item.call_id === undefined ? undefined : reading.outputs.get(item.call_id);
  if (answer === undefined) return { status: 'running', input };
  const { expander, tally } = reading;
  const { output = answer.tools } = answer;
  const pieces = piecesOf(output);
  const texts = pieces.flatMap(({ text }) => (text === undefined ? [] : expander.toText(text)));
  const files = pieces.flatMap((piece) => toFile(piece, expander) ?? []);
  if (texts.length + files.length === 0) {
    return { status: 'completed', input, output: toJsonText(output ?? undefined) };
  }
  tally.drop('unknown content block', pieces.length - texts.length - files.length);
  const attachments = files.map((file) => ({ ...file, id: '' }));
  const state = { status: 'completed' as const, input, output: texts.join('\n') };
  return attachments.length > 0 ? { ...state, attachments } : state;
}

function answeredByProvider({ result }: CodexPayload, input: unknown): ToolState {
  if (result === undefined) return { status: 'completed', input, output: '' };
  const image = { type: 'file' as const, id: '', mime: 'image/png' };
  const attachments = [{ ...image, url: `data:image/png;base64,${result}` }];
  return { status: 'completed', input, output: '', attachments };
}

/** Makes a filler that starts with the digest, at an offset given by the digest. */
function fill(chars: number, sha: string): string {
  const start = Number.parseInt(sha.slice(0, 8), 16) % FILLER.length;
  const rest = FILLER.repeat(Math.ceil((chars + start) / FILLER.length)).slice(start);
  return `${sha} ${rest}`.slice(0, chars);
}

function expandValue(value: unknown, toText: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return toText(value);
  if (depth === 0) return value;
  const expand = (each: unknown) => expandValue(each, toText, depth - 1);
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each)]));
}
