import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/nesting.ts';
import { beginsWithAny } from '../reading/begins-with-any.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import {
  contentOf,
  type GeminiCall,
  type GeminiMessage,
  type GeminiPart,
  type GeminiResponse,
  partsOf,
} from './record.ts';

/** Results that stand in messages of their own, by the id of their call. */
export type Responses = ReadonlyMap<string, GeminiResponse>;

/** How texts begin that a program put into the user's place. */
const INJECTED_STARTS = ['<hook_context>', '<session_context>', '<state_snapshot>'];
const FAILED = new Set<string | undefined>(['cancelled', 'error']);

/** What a user wrote. */
export function toUserParts(message: GeminiMessage, tally: Tally): readonly DraftPart[] {
  return contentOf(message).flatMap((part) =>
    part.functionResponse === undefined ? toContentPart(part, tally).map(markInjected) : [],
  );
}

/** Whether nobody but a program wrote the part. */
export function isInjected(part: DraftPart): boolean {
  return part.type === 'text' && part.synthetic === true;
}

/** What a model thought, wrote and called, in that order. */
export function toStepParts(
  message: GeminiMessage,
  responses: Responses,
  tally: Tally,
): readonly DraftPart[] {
  const pieces = contentOf(message);
  const known = new Set(message.toolCalls.map(({ id }) => id));
  const calls = pieces.flatMap(({ functionCall: call }) =>
    call === undefined || known.has(call.id)
      ? []
      : { ...call, result: undefined, status: undefined },
  );
  const texts = pieces.filter(({ functionCall }) => functionCall === undefined);
  return [
    ...toThoughts(message),
    ...texts.flatMap((part) => toContentPart(part, tally)),
    ...[...message.toolCalls, ...calls].map((call) => toToolPart(call, responses, tally)),
  ];
}

function toThoughts({ thoughts }: GeminiMessage): readonly DraftPart[] {
  return thoughts.flatMap(({ subject = '', description = '' }) => {
    const text = [subject, description].filter(Boolean).join('\n');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  });
}

function toContentPart(part: GeminiPart, tally: Tally): readonly DraftPart[] {
  const { text } = part;
  if (text === '') return [];
  if (text !== undefined) return [{ type: part.thought ? 'reasoning' : 'text', text }];
  const file = toFile(part);
  if (file === undefined) tally.drop('unknown content block');
  return file === undefined ? [] : [file];
}

function markInjected(part: DraftPart): DraftPart {
  const isMarked = part.type === 'text' && beginsWithAny(part.text, INJECTED_STARTS);
  return isMarked ? { ...part, synthetic: true } : part;
}

function toFile({ inlineData, fileData }: GeminiPart): Omit<FilePart, 'id'> | undefined {
  const mime = inlineData?.mimeType ?? fileData?.mimeType ?? 'application/octet-stream';
  if (inlineData?.data !== undefined) {
    return { type: 'file', mime, url: `data:${mime};base64,${inlineData.data}` };
  }
  return fileData?.fileUri === undefined
    ? undefined
    : { type: 'file', mime, url: fileData.fileUri };
}

function toToolPart(call: GeminiCall, responses: Responses, tally: Tally): DraftPart {
  const { id: callId, name: tool = 'unknown' } = call;
  return { type: 'tool', callId, tool, state: toState(call, responses, tally) };
}

function toState(call: GeminiCall, responses: Responses, tally: Tally): ToolState {
  const { id = '', args: input = {}, result, status } = call;
  const pieces = result === undefined || result === null ? [] : partsOf(result);
  const own = pieces.flatMap(({ functionResponse }) => functionResponse ?? []);
  const elsewhere = responses.get(id);
  const told = own.length > 0 || elsewhere === undefined ? own : [elsewhere];
  const texts = pieces.flatMap(({ text }) => text ?? []);
  if (told.length + texts.length === 0 && !FAILED.has(status)) return { status: 'running', input };
  const output = [...told.map(outputOf), ...texts].join('\n');
  if (FAILED.has(status) || told.some(isError)) return { status: 'error', input, error: output };
  const attachments = pieces.flatMap((piece) => toFile(piece) ?? []);
  tally.drop(
    'unknown content block',
    pieces.length - own.length - texts.length - attachments.length,
  );
  const files = attachments.map((file) => ({ ...file, id: '' }));
  return { status: 'completed', input, output, ...(files.length > 0 && { attachments: files }) };
}

function outputOf(told: GeminiResponse): string {
  const response = told?.response;
  const output = isObject(response) ? (response['output'] ?? response['error']) : response;
  if (typeof output === 'string') return output;
  return toJsonText(output ?? response);
}

function isError(told: GeminiResponse): boolean {
  const response = told?.response;
  return isObject(response) && response['output'] === undefined && 'error' in response;
}
