import type { FilePart, ToolState } from '../../../engine/index.ts';
import { parseJson } from '../../lib/json.ts';
import { toJsonText } from '../files/nesting.ts';
import { mimeIn } from '../reading/data-url.ts';
import { toList } from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { type CodexPayload, type CodexPiece, piecesOf } from './record.ts';
import { type Expander, isRedacted } from './redacted.ts';

/** What is needed to turn items into parts. */
export interface ItemReading {
  readonly tally: Tally;
  readonly expander: Expander;
  /** Outputs by the id of their call. */
  readonly outputs: ReadonlyMap<string, CodexPayload>;
}

/** The names of tools whose calls do not tell one. */
const TOOL_NAMES: ReadonlyMap<string | undefined, string> = new Map([
  ['image_generation_call', 'image_generation'],
  ['local_shell_call', 'local_shell'],
  ['tool_search_call', 'tool_search'],
  ['web_search_call', 'web_search'],
]);

/** Calls that the provider answers itself: nothing of what it found is recorded, or sent again by the client. */
const ANSWERED_BY_PROVIDER = new Set<string | undefined>([
  'image_generation_call',
  'web_search_call',
]);

/** What a message holds. */
export function toContentParts(content: unknown, reading: ItemReading): readonly DraftPart[] {
  return piecesOf(content).flatMap((piece) => toContentPart(piece, reading));
}

/** What a model thought, as far as it is not encrypted. */
export function toReasoningParts(
  { summary, content }: CodexPayload,
  { expander }: ItemReading,
): readonly DraftPart[] {
  const texts = [...toList(summary), ...toList(content)].flatMap(piecesOf);
  return texts.flatMap(({ text = '' }) =>
    text === '' ? [] : [{ type: 'reasoning', text: expander.toText(text) }],
  );
}

/** A call together with its output. */
export function toToolPart(item: CodexPayload, reading: ItemReading): DraftPart {
  const { call_id: callId, name = item.function?.name ?? TOOL_NAMES.get(item.type) } = item;
  const input = toInput(item, reading);
  const tool = name === undefined ? 'unknown' : reading.expander.toText(name);
  return { type: 'tool', callId, tool, state: toState(item, input, reading) };
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

/** The arguments are JSON in a text; a redacted text is a filler of the same length. */
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
