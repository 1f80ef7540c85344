import type { FilePart, MessageError, ToolState } from '../../../engine/index.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { blocksOf, type PiBlock, type PiMessage } from './record.ts';

/** What a message holds besides calls. */
export function toContentParts(content: unknown, tally: Tally): readonly DraftPart[] {
  return blocksOf(content).flatMap((block) => toContentPart(block, tally));
}

/** What a model wrote; a call stands together with its result. */
export function toStepParts(
  { content }: PiMessage,
  results: ReadonlyMap<string, PiMessage>,
  tally: Tally,
): readonly DraftPart[] {
  return blocksOf(content).flatMap((block) =>
    block.type === 'toolCall' ? [toToolPart(block, results, tally)] : toContentPart(block, tally),
  );
}

/** The texts of a content, one below the other. */
export function textOf(content: unknown): string {
  return blocksOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Why a step ended without an answer, if it did. What a step wrote before it was cut off is not sent again. */
export function toError({ stopReason, errorMessage }: PiMessage): MessageError | undefined {
  if (stopReason === 'aborted') return { name: 'AbortedError', message: errorMessage ?? '' };
  if (stopReason === 'error') return { name: 'APIError', message: errorMessage ?? '' };
  return undefined;
}

function toContentPart(block: PiBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = '' } = block;
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'thinking') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'image') return [toFile(block)];
  tally.drop('unknown content block');
  return [];
}

function toFile({ data = '', mimeType: mime = 'image/png' }: PiBlock): Omit<FilePart, 'id'> {
  return { type: 'file', mime, url: `data:${mime};base64,${data}` };
}

function toToolPart(
  block: PiBlock,
  results: ReadonlyMap<string, PiMessage>,
  tally: Tally,
): DraftPart {
  const { id: callId, name: tool = 'unknown', arguments: input = {} } = block;
  const result = callId === undefined ? undefined : results.get(callId);
  return { type: 'tool', callId, tool, state: toState(input, result, tally) };
}

function toState(input: unknown, result: PiMessage | undefined, tally: Tally): ToolState {
  if (result === undefined) return { status: 'running', input };
  const output = textOf(result.content);
  if (result.isError) return { status: 'error', input, error: output };
  const blocks = blocksOf(result.content).filter(({ text }) => text === undefined);
  const files = blocks.filter(({ type }) => type === 'image');
  tally.drop('unknown content block', blocks.length - files.length);
  const attachments = files.map((file) => ({ ...toFile(file), id: '' }));
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}
