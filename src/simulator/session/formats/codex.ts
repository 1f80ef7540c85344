import type { Usage } from '../../../engine/index.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { asInjected } from '../reading/content.ts';
import { type CallIds, createCallIds } from '../reading/calls.ts';
import { toList } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  findByCallId,
  known,
  type RecordedUsage,
  withoutMark,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import { contextTokensOf, type RecordedCompaction } from '../session.ts';
import {
  type CodexPayload,
  type CodexPiece,
  type CodexRecord,
  createExpander,
  describeThread,
  isConversation,
  isInjectedText,
  isKnownLine,
  isRedacted,
  isRolloutLine,
  type ItemReading,
  metaOf,
  parseRecord,
  piecesOf,
  textOf,
  toContentParts,
  toReasoningParts,
  toToolPart,
} from './codex-records.ts';

/** A conversation of items; they continue something that the file does not hold if it is partial. */
interface CodexConversation {
  readonly isPartial: boolean;
  /** The last recorded `provider/model`. */
  readonly model: string | undefined;
}

/** The state of reading a rollout. */
interface Reading extends ItemReading, CodexConversation {
  readonly recording: Recording;
  /** Typed texts as the screen showed them. */
  readonly typedTexts: ReadonlySet<string>;
  readonly calledIds: Set<string>;
  readonly unknownTypes: (string | undefined)[];
  /** The newest step, while its usage may still come. */
  step: DraftMessage | undefined;
  /** The next output of the model belongs to that step. */
  isStepOpen: boolean;
  lastUsage: Usage | undefined;
  /** The provider of the models. */
  readonly provider: string;
  model: string | undefined;
  /** The last recorded total of all requests. */
  totalTokens: number | undefined;
  isPartial: boolean;
}

const OUTPUTS = new Set<string | undefined>([
  'custom_tool_call_output',
  'function_call_output',
  'tool_search_output',
]);

const CALLS = new Set<string | undefined>([
  'custom_tool_call',
  'function_call',
  'image_generation_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
]);

/** Items that the model never saw, or that only the provider can read. */
const OPAQUE = new Set<string | undefined>([
  'compaction',
  'compaction_summary',
  'context_compaction',
  'ghost_snapshot',
]);

const SPAWN_TOOL = 'spawn_agent';
const SPAWN_EVENT = 'collab_agent_spawn_end';

/** Rollouts of Codex: items of the conversation, with events and settings between. */
export const codex: SessionFormat = {
  label: 'Codex rollout (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isRolloutLine) && records.some(isSaid);
  },
  read: readRecording(
    { format: 'codex', empty: 'a rollout without messages', atPrompt: 'in-front' },
    readRollout,
  ),
  keeps: {
    tools:
      'exec exec_command local_shell write_stdin apply_patch spawn_agent wait_agent update_plan view_image image_generation tool_search',
    arguments: 'chars session_id workdir',
    sizes: 'max_output_tokens yield_time_ms',
    errors: 'MessageAbortedError',
    reasons: 'long rolled',
  },
  datesCopies: true,
};

/** The usage of a request; absent where nothing was sent, as after a compaction. */
export function toUsage(
  recorded: NonNullable<CodexPayload['info']>['last_token_usage'],
): RecordedUsage | undefined {
  if (recorded?.input_tokens === undefined || recorded.input_tokens <= 0) return undefined;
  return splitCount({
    input: recorded.input_tokens,
    output: recorded.output_tokens,
    reasoning: recorded.reasoning_output_tokens,
    cacheRead: recorded.cached_input_tokens,
    cacheWrite: recorded.cache_write_input_tokens,
  });
}

/** Reads the records of a rollout, or bare items, in order. */
export function readConversation(
  recording: Recording,
  records: readonly CodexRecord[],
): CodexConversation {
  const { tally } = recording;
  const identified = withCallIds(records, tally);
  const reading = startReading(recording, identified);
  for (const record of identified) readRecord(reading, record);
  recording.end();
  const lost = [...reading.outputs.keys()].filter((id) => !reading.calledIds.has(id));
  tally.drop('tool result without a call', lost.length);
  dropUnknown(tally, reading.unknownTypes);
  return { isPartial: reading.isPartial || recording.beginsWithStep(), model: reading.model };
}

function isSaid(line: unknown): boolean {
  const record = parseRecord(line);
  return record !== undefined && isConversation(record);
}

function readRollout(recording: Recording, file: SourceFile): Facts {
  const records = readRecordLines(file.lines(), parseRecord, recording.tally);
  const { isPartial, model } = readConversation(recording, records);
  return {
    ...describeThread(records, recording.tally),
    findSideIds: findByCallId(findSpawned(records)),
    isPartial,
    model,
    isOutputFinal: true,
  };
}

/** Makes call ids unique, except for repeated records of one call. */
function withCallIds(records: readonly CodexRecord[], tally: Tally): readonly CodexRecord[] {
  const ids = createCallIds(tally);
  return records.map((record) => {
    const callId = record.type === 'response_item' ? callIdOf(record.payload, ids) : undefined;
    if (callId === undefined || callId === record.payload.call_id) return record;
    return { ...record, payload: { ...record.payload, call_id: callId } };
  });
}

function callIdOf(payload: CodexPayload, ids: CallIds): string | undefined {
  const { type, call_id: callId, name, arguments: input = payload.input } = payload;
  if (callId === undefined) return undefined;
  if (isOutput(payload)) return ids.ofResult(callId);
  return CALLS.has(type) ? ids.ofCall(callId, { name, input }) : undefined;
}

function isOutput({ type }: CodexPayload): boolean {
  return OUTPUTS.has(type);
}

function startReading(recording: Recording, records: readonly CodexRecord[]): Reading {
  const { tally } = recording;
  const expander = createExpander(tally);
  const typed = records.filter(({ payload }) => payload.type === 'user_message');
  return {
    recording,
    tally,
    expander,
    outputs: collectOutputs(records, tally),
    typedTexts: new Set(typed.map(({ payload }) => expander.toText(payload.message ?? ''))),
    calledIds: new Set(),
    unknownTypes: [],
    step: undefined,
    isStepOpen: false,
    lastUsage: undefined,
    provider: metaOf(records)?.model_provider ?? 'openai',
    model: undefined,
    totalTokens: undefined,
    isPartial: false,
  };
}

/** Outputs by call id; the first of several holds. */
function collectOutputs(
  records: readonly CodexRecord[],
  tally: Tally,
): ReadonlyMap<string, CodexPayload> {
  const outputs = new Map<string, CodexPayload>();
  for (const { type, payload } of records) {
    if (type !== 'response_item' || !isOutput(payload)) continue;
    if (payload.call_id === undefined) tally.drop('tool result without a call');
    else if (outputs.has(payload.call_id)) tally.drop('repeated tool result');
    else outputs.set(payload.call_id, payload);
  }
  return outputs;
}

function readRecord(reading: Reading, record: CodexRecord): void {
  const { type, payload } = record;
  noteModel(reading, record);
  noteWindow(reading, payload);
  if (type === 'response_item') readItem(reading, record);
  else if (type === 'event_msg') readEvent(reading, payload);
  else if (type === 'compacted') readCompacted(reading, payload);
  else if (!isKnownLine(record)) reading.unknownTypes.push(type);
}

function noteModel(reading: Reading, { type, payload: { model } }: CodexRecord): void {
  const isOfTurn = type === 'turn_context' || type === 'response_item';
  if (isOfTurn && model !== undefined) reading.model = `${reading.provider}/${model}`;
}

/** Notes a window: that of a count holds from its step on, any other from the next message on. */
function noteWindow({ recording, step }: Reading, payload: CodexPayload): void {
  const { model_context_window: ofTurn, info } = payload;
  const { drafts } = recording;
  const isOfStep = info !== undefined && step !== undefined && drafts.at(-1) === step;
  const messageIndex = drafts.length - (isOfStep ? 1 : 0);
  recording.addWindow(info?.model_context_window ?? ofTurn, messageIndex);
}

function readItem(reading: Reading, { type: lineType, time, payload }: CodexRecord): void {
  const { type, role } = payload;
  if (role === 'user') readUser(reading, time, payload);
  else if (role === 'assistant') write(reading, time, toContentParts(contentOf(payload), reading));
  else if (role !== undefined || type === 'agent_message') injectMessage(reading, payload);
  else if (type === 'reasoning') write(reading, time, toReasoningParts(payload, reading));
  else if (CALLS.has(type)) readCall(reading, time, payload);
  else if (isOutput(payload)) reading.isStepOpen = false;
  else if (!OPAQUE.has(type)) reading.unknownTypes.push(type ?? lineType);
}

function readUser(reading: Reading, createdAt: number, payload: CodexPayload): void {
  const { recording } = reading;
  const pieces = piecesOf(contentOf(payload));
  const parts = pieces.flatMap((piece) => {
    const read = toContentParts([piece], reading);
    return isInjected(reading, piece) ? read.map(asInjected) : read;
  });
  if (pieces.every((piece) => isInjected(reading, piece))) {
    for (const part of parts) recording.inject(part);
    return;
  }
  endTurn(reading);
  recording.addPrompt({ recordedId: payload.id, createdAt, parts });
}

/** The content of a message; early recorders put it in `message`. */
function contentOf({ content, message }: CodexPayload): unknown {
  return content ?? message;
}

/** Recognizes injected pieces; a redacted text is one unless the screen showed it as typed. */
function isInjected({ expander, typedTexts }: Reading, { text }: CodexPiece): boolean {
  if (text === undefined) return false;
  return isRedacted(text) ? !typedTexts.has(expander.toText(text)) : isInjectedText(text);
}

/** Closes the newest step: nothing that follows belongs to it. */
function endTurn(reading: Reading): void {
  reading.step = undefined;
  reading.isStepOpen = false;
}

/** Adds parts to the open step, or begins one. */
function write(reading: Reading, time: number, parts: readonly DraftPart[]): void {
  const step = reading.isStepOpen ? reading.step : undefined;
  const { parts: written } = step ?? beginStep(reading, time);
  for (const part of parts) written.push(part);
}

function beginStep(reading: Reading, createdAt: number): DraftMessage {
  const step = reading.recording.addStep({ createdAt, parts: [], model: reading.model });
  reading.step = step;
  reading.isStepOpen = true;
  return step;
}

function injectMessage({ expander, recording }: Reading, payload: CodexPayload): void {
  for (const { text = '' } of piecesOf(contentOf(payload))) {
    recording.inject(expander.toText(text));
  }
}

function readCall(reading: Reading, time: number, payload: CodexPayload): void {
  const { calledIds, tally } = reading;
  const { call_id: callId } = payload;
  if (callId !== undefined && calledIds.has(callId)) return tally.drop('repeated tool call');
  if (callId !== undefined) calledIds.add(callId);
  write(reading, time, [toToolPart(payload, reading)]);
}

/** Reads counts, compactions, interruptions and rollbacks; other events repeat items. */
function readEvent(reading: Reading, payload: CodexPayload): void {
  if (payload.type === 'token_count') readCount(reading, payload);
  else if (payload.type === 'context_compacted') addCompaction(reading, {});
  else if (payload.type === 'turn_aborted') readAbort(reading);
  else if (payload.type === 'thread_rolled_back') rollBack(reading, payload.num_turns);
}

/** Reads a count, which comes at the end of an answer and may be repeated. */
function readCount(reading: Reading, { info }: CodexPayload): void {
  const usage = toUsage(info?.last_token_usage);
  const totalTokens = info?.total_token_usage?.total_tokens;
  const isRepeated = totalTokens !== undefined && totalTokens === reading.totalTokens;
  if (usage === undefined || isRepeated) return;
  reading.totalTokens = totalTokens;
  const { step } = reading;
  if (step === undefined || step.usage !== undefined) return;
  step.usage = usage;
  reading.lastUsage = usage;
  reading.isStepOpen = false;
}

/** Adds a compaction; its record and its event stand together, in either order. */
function addCompaction(
  reading: Reading,
  told: Pick<RecordedCompaction, 'summary' | 'summaryUsage'>,
): void {
  const { recording, lastUsage } = reading;
  const { compactions, drafts } = recording;
  endTurn(reading);
  const isTold = drafts.length > 0 && compactions.at(-1)?.messageIndex === drafts.length;
  const last = isTold ? compactions.pop() : undefined;
  const tokensBefore = lastUsage && contextTokensOf(lastUsage);
  recording.addCompaction({ tokensBefore, ...last, ...told });
}

/** Reads an interruption; the text written so far stays, and is sent again. */
function readAbort(reading: Reading): void {
  const { recording, step, isStepOpen } = reading;
  if (step !== undefined && isStepOpen && recording.drafts.at(-1) === step) {
    step.error = { name: 'MessageAbortedError', message: 'Aborted' };
  }
  endTurn(reading);
}

function rollBack(reading: Reading, turns = 0): void {
  const { recording, tally } = reading;
  const { drafts, compactions, windows } = recording;
  const prompts = drafts.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const start = turns >= 1 ? prompts.slice(-turns)[0] : undefined;
  if (start === undefined) return;
  const gone = drafts.splice(start);
  tally.drop('message that was rolled back', gone.length);
  for (const places of [compactions, windows]) {
    while ((places.at(-1)?.messageIndex ?? 0) > start) places.pop();
  }
  recording.takeInjected();
  if (start === 0) for (const part of preludeOf(gone)) recording.inject(part);
  endTurn(reading);
  reading.lastUsage = drafts.findLast(({ usage }) => usage !== undefined)?.usage;
}

/** Parts that the program wrote before the first prompt; it writes them once, and they belong to no turn. */
function preludeOf([first]: readonly DraftMessage[]): readonly DraftPart[] {
  const { parts = [] } = first ?? {};
  const typed = parts.findIndex((part) => part.type !== 'text' || part.synthetic !== true);
  return typed < 0 ? parts : parts.slice(0, typed);
}

function readCompacted(reading: Reading, payload: CodexPayload): void {
  const text = reading.expander.toText(payload.message ?? '');
  if (reading.recording.drafts.length === 0) return startFromReplacement(reading, text, payload);
  const summaryUsage = takeSummaryAnswer(reading, text);
  addCompaction(reading, known({ summary: text || undefined, summaryUsage }));
}

/** Removes the answer that a summary was made of, which later releases record like any other; gives its usage. */
function takeSummaryAnswer(reading: Reading, summary: string): Usage | undefined {
  const { drafts, compactions } = reading.recording;
  const last = drafts.at(-1);
  const text = last === undefined ? '' : writtenBy(last).trim();
  if (last?.role !== 'assistant' || text === '' || !summary.trimEnd().endsWith(text)) return;
  if (compactions.at(-1)?.messageIndex === drafts.length) compactions.pop();
  drafts.pop();
  reading.lastUsage = drafts.findLast(({ usage }) => usage !== undefined)?.usage;
  return last.usage && withoutMark(last.usage);
}

/** The text of a step that called nothing. */
function writtenBy({ parts }: DraftMessage): string {
  if (parts.some(({ type }) => type === 'tool')) return '';
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** Reads a compaction before all messages, which is the start of the session. */
function startFromReplacement(reading: Reading, summary: string, payload: CodexPayload): void {
  const { replacement_history: items } = payload;
  const { recording, expander } = reading;
  reading.isPartial = true;
  recording.inject(summary);
  for (const { text = '' } of toList(items).flatMap((item) => piecesOf(contentIn(item)))) {
    recording.inject(expander.toText(text));
  }
}

function contentIn(item: unknown): unknown {
  return isObject(item) ? item['content'] : undefined;
}

/** Threads of sub-agents by the id of the spawning call, from its event or output. */
function findSpawned(records: readonly CodexRecord[]): ReadonlyMap<string, readonly string[]> {
  const spawned = new Map<string, readonly string[]>();
  const callIds = new Set<string>();
  for (const { type, payload } of records) {
    const { call_id: callId, name } = payload;
    if (callId === undefined) continue;
    if (type === 'response_item' && name === SPAWN_TOOL) callIds.add(callId);
    const isAnswer = type === 'response_item' && isOutput(payload) && callIds.has(callId);
    const isTold = type === 'event_msg' && payload.type === SPAWN_EVENT;
    const threadId = isTold ? payload.new_thread_id : isAnswer ? agentIdIn(payload) : undefined;
    if (threadId !== undefined && !spawned.has(callId)) spawned.set(callId, [threadId]);
  }
  return spawned;
}

function agentIdIn({ output }: CodexPayload): string | undefined {
  const result = parseJson(textOf(output));
  const id = isObject(result) ? result['agent_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
