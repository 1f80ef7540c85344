import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { type OpencodePart, parseParts } from './record.ts';

type PartReader = (part: OpencodePart, tally: Tally) => readonly DraftPart[];

/** How parts are read, by type. Those that no model is sent read as nothing. */
const readers = new Map<string | undefined, PartReader>([
  ['text', readText],
  ['reasoning', readReasoning],
  ['file', (part) => [toFile(part)]],
  ['tool', readTool],
  ['step-start', readStepStart],
  ['step-finish', readStepFinish],
  ['subtask', ({ id, prompt = '' }) => [{ type: 'subtask', id, prompt }]],
  ['agent', readNothing],
  ['compaction', readNothing],
  ['patch', readNothing],
  ['retry', readNothing],
  ['snapshot', readNothing],
]);

/** A recorded part as a part of the session; those of unknown types are counted and left out. */
export function readPart(part: OpencodePart, tally: Tally): readonly DraftPart[] {
  const reader = readers.get(part.type);
  if (reader === undefined) tally.drop('part of unknown type');
  return reader?.(part, tally) ?? [];
}

/** The texts of a message, one below the other. */
export function textOf(parts: readonly OpencodePart[]): string {
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text ?? '')
    .join('\n');
}

function readNothing(): readonly DraftPart[] {
  return [];
}

function readText({ id, text = '', synthetic, ignored }: OpencodePart): DraftPart[] {
  const marks = { ...(synthetic && { synthetic }), ...(ignored && { ignored }) };
  return [{ type: 'text', id, text, ...marks }];
}

function readReasoning({ id, text = '' }: OpencodePart): DraftPart[] {
  return text === '' ? [] : [{ type: 'reasoning', id, text }];
}

function readStepStart({ id, snapshot }: OpencodePart): DraftPart[] {
  return [{ type: 'step-start', id, ...(snapshot !== undefined && { snapshot }) }];
}

function readStepFinish({ id, snapshot, reason = 'stop' }: OpencodePart): DraftPart[] {
  return [{ type: 'step-finish', id, reason, ...(snapshot !== undefined && { snapshot }) }];
}

function readTool(part: OpencodePart, tally: Tally): DraftPart[] {
  const { id, callID: callId, tool = 'unknown' } = part;
  return [{ type: 'tool', id, callId, tool, state: toState(part, tally) }];
}

function toState({ state }: OpencodePart, tally: Tally): ToolState {
  const { status, input = {}, output, error, metadata, attachments = [] } = state ?? {};
  if (status === 'pending' || status === 'running') return { status, input };
  if (status === 'error') {
    const partialOutput = metadata?.interrupted ? metadata.output : undefined;
    const printed = partialOutput === undefined ? {} : { partialOutput };
    return { status, input, error: readOutput(error, tally), ...printed };
  }
  if (status !== 'completed') tally.repair('tool state of unknown status');
  if (status !== 'completed' && output === undefined) return { status: 'running', input };
  const files = parseParts(attachments).map(toAttachment);
  return {
    status: 'completed',
    input,
    output: readOutput(output, tally),
    ...(files.length > 0 && { attachments: files }),
  };
}

/** Sanitized exports may have an object in the place of a text. */
function readOutput(value: unknown, tally: Tally): string {
  if (typeof value === 'string') return value;
  const redacted = isObject(value) ? value['redacted'] : undefined;
  tally.repair('tool output that is no text');
  return typeof redacted === 'string' ? redacted : '';
}

function toFile({ id, mime = 'application/octet-stream', filename, url = '' }: OpencodePart) {
  const name = filename === undefined ? {} : { filename };
  return { type: 'file' as const, id, mime, url, ...name };
}

function toAttachment(part: OpencodePart): FilePart {
  return { ...toFile(part), id: part.id ?? '' };
}
