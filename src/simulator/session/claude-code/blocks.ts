import type { FilePart, ToolState } from '../../../engine/index.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { type ClaudeBlock, parseBlocks } from './block.ts';
import { isInjectedText } from './injected.ts';
import { blocksOf, type ClaudeRecord } from './record.ts';

/** What a tool gave back. */
export interface ToolResult {
  readonly output: string;
  readonly isError: boolean;
  readonly attachments: readonly FilePart[];
}

/** Pieces of a user record. */
export interface UserParts {
  readonly parts: readonly DraftPart[];
  /** Whether the record opens a turn. */
  readonly isPrompt: boolean;
}

/** Whether the block is the result of a tool, also of one that ran at the provider. */
export function isToolResult({ type }: ClaudeBlock): boolean {
  return type?.endsWith('tool_result') === true;
}

/** Whether the block is a call of a tool, also of one that runs at the provider. */
export function isToolCall({ type }: ClaudeBlock): boolean {
  return type?.endsWith('tool_use') === true;
}

/** Results by the id of their call; of several with one id the first holds. */
export function collectResults(
  records: readonly ClaudeRecord[],
  tally: Tally,
): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const block of records.flatMap(blocksOf).filter(isToolResult)) {
    const callId = block.tool_use_id;
    if (callId === undefined) tally.drop('tool result without a call');
    else if (results.has(callId)) tally.drop('repeated tool result');
    else results.set(callId, toResult(block, tally));
  }
  return results;
}

/** Whether the record opens a turn: something that a person said, and no program in the person's place. */
export function opensTurn(record: ClaudeRecord): boolean {
  if (record.type !== 'user' || record.isCompactSummary) return false;
  return toUserParts(record, createTally()).isPrompt;
}

/** What a user or a program wrote into one record, and whether any of it is a prompt. */
export function toUserParts(record: ClaudeRecord, tally: Tally): UserParts {
  const blocks = blocksOf(record);
  const isInjected = record.isMeta || blocks.some(isToolResult);
  const parts = blocks
    .filter((block) => !isToolResult(block))
    .flatMap((block) => toContentPart(block, tally));
  const isPrompt = !isInjected && parts.some((part) => !isCommandEcho(part));
  const markEcho = (part: DraftPart) => (isInjected || isCommandEcho(part) ? mark(part) : part);
  return { parts: parts.map(markEcho), isPrompt };
}

/** What a model wrote into one record; a call stands together with its result. */
export function toStepParts(
  record: ClaudeRecord,
  results: ReadonlyMap<string, ToolResult>,
  tally: Tally,
): readonly DraftPart[] {
  return blocksOf(record).flatMap((block) => {
    if (isToolResult(block)) return [];
    if (isToolCall(block)) return [toToolPart(block, results)];
    return toContentPart(block, tally);
  });
}

function toContentPart(block: ClaudeBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = '' } = block;
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'thinking') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'redacted_thinking') return [];
  const file = toFile(block);
  if (file === undefined) tally.drop('unknown content block');
  return file === undefined ? [] : [file];
}

function isCommandEcho(part: DraftPart): boolean {
  return part.type === 'text' && isInjectedText(part.text);
}

function mark(part: DraftPart): DraftPart {
  return part.type === 'text' ? { ...part, synthetic: true } : part;
}

function toFile({ type, source }: ClaudeBlock): Omit<FilePart, 'id'> | undefined {
  if ((type !== 'image' && type !== 'document') || source === undefined) return undefined;
  const mime = source.media_type ?? (type === 'image' ? 'image/png' : 'application/pdf');
  if (source.url !== undefined) return { type: 'file', mime, url: source.url };
  const encoding = source.type === 'text' ? ',' : ';base64,';
  return { type: 'file', mime, url: `data:${mime}${encoding}${source.data ?? ''}` };
}

function toToolPart(block: ClaudeBlock, results: ReadonlyMap<string, ToolResult>): DraftPart {
  const { id: callId, name = 'unknown', input = {} } = block;
  return { type: 'tool', callId, tool: name, state: toState(input, results.get(callId ?? '')) };
}

function toState(input: unknown, result: ToolResult | undefined): ToolState {
  if (result === undefined) return { status: 'running', input };
  if (result.isError) return { status: 'error', input, error: result.output };
  const { output, attachments } = result;
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}

function toResult({ content, is_error: isError }: ClaudeBlock, tally: Tally): ToolResult {
  if (typeof content === 'string') return { output: content, isError, attachments: [] };
  const blocks = parseBlocks(Array.isArray(content) ? content : [content]);
  const texts = blocks.flatMap(({ text }) => text ?? []);
  const files = blocks.flatMap((block) => toFile(block) ?? []);
  const attachments = files.map((file) => ({ ...file, id: '' }));
  tally.drop('unknown content block', blocks.length - texts.length - attachments.length);
  return { output: texts.join('\n'), isError, attachments };
}
