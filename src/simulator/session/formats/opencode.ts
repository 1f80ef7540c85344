import {
  type MessageError,
  resumeTexts,
  type ToolState,
  type Usage,
} from '../../../engine/index.ts';
import { addToGroup } from '../../lib/collections.ts';
import type { KeptWords } from '../format.ts';
import { toRelease } from '../reading/lenient.ts';
import type { Facts, Recording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { type DraftMessage, type DraftPart, known, toEarlyFinish } from '../reading/transcript.ts';
import { contextTokensOf, type RecordedCompaction } from '../session.ts';
import {
  isContent,
  type OpencodeInfo,
  type OpencodeMessage,
  type OpencodePart,
  parseInfo,
  parseMessage,
  readPart,
  startedBy,
  stepsOf,
  textOf,
  toUsage,
} from './opencode-records.ts';

/** A session of OpenCode, unparsed, however it was stored. */
export interface StoredSession {
  readonly info: unknown;
  /** Messages with their parts, oldest first. */
  readonly messages: readonly unknown[];
}

interface Reading {
  readonly recording: Recording;
  readonly promptKeys: Set<string>;
  readonly cleared: ClearedOutput[];
  /** Sessions that calls started as tasks. */
  readonly tasks: Map<DraftPart, readonly string[]>;
  lastUsage?: Usage | undefined;
  isPartial: boolean;
  /** Set for releases that write markers: they compact only at a marker. */
  hasMarkers: boolean;
  /** A requested compaction without a summary yet. */
  asked?: RecordedCompaction | undefined;
  /** The compaction summarized by the previous message. */
  justDone?: RecordedCompaction | undefined;
}

/** A tool output that the recorder hid from the model. */
interface ClearedOutput {
  readonly callId: string;
  /** Time in ms. */
  readonly clearedAt: number;
  /** The step of the output. */
  readonly step: DraftMessage;
}

/** A text, input or output, with the reason that reports its loss. */
interface Content {
  readonly value: unknown;
  readonly loss: string;
}

/** Words that redaction keeps for all formats of OpenCode. */
export const KEPT_WORDS = {
  tools:
    'multiedit patch list skill task todowrite todoread webfetch websearch question invalid batch lsp',
  errors:
    'MessageAbortedError APIError ContextOverflowError UnknownError ProviderAuthError MessageOutputLengthError',
  reasons:
    'by cached count counts failed its negative recorder refused request state status summary to token tokens total twice undone usage',
} satisfies KeptWords;

const REFUSED = 'ContextOverflowError';

/** Beginnings of the sentences by which releases make a model continue. */
const CONTINUE_STARTS = [resumeTexts['v1.0.69'], 'Use the above summary'];
const MEDIA = /^(image\/|application\/pdf)/;
const MEDIA_NOTE = /^\[Attached [^\]]*\]$/;

/** The mark that `opencode export --sanitize` writes in place of texts. */
const REDACTED = /^\[redacted:/;
/** Depth that arguments of tools never exceed. */
const MAX_DEPTH = 8;

/** Reads a session with its messages. */
export function readSession(
  recording: Recording,
  { info, messages: values }: StoredSession,
): Facts {
  const { compactions, drafts, tally } = recording;
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { id: sessionId, parentID: parentSessionId, version, directory, revert } = parseInfo(info);
  const messages = withoutUndone(recorded, revert, tally);
  const reading: Reading = {
    recording,
    promptKeys: new Set(),
    cleared: [],
    tasks: new Map(),
    isPartial: messages[0]?.info.role === 'assistant',
    hasMarkers: false,
  };
  for (const message of messages) readMessage(reading, message);
  dropAsked(reading);
  countRedacted(drafts, tally);
  compactions.push(...groupCleared(reading.cleared, drafts));
  compactions.sort((a, b) => a.messageIndex - b.messageIndex);
  return {
    sessionId,
    isSide: parentSessionId !== undefined,
    parentSessionId,
    findSideIds: (part) => reading.tasks.get(part),
    isPartial: reading.isPartial,
    release: toRelease(version),
    folder: directory,
    isOutputFinal: true,
  };
}

function readMessage(reading: Reading, message: OpencodeMessage): void {
  const { info, parts } = message;
  const { justDone } = reading;
  reading.justDone = undefined;
  if (info.role === 'assistant' && info.summary) readSummary(reading, message);
  else if (info.role === 'assistant') for (const step of stepsOf(message)) readStep(reading, step);
  else if (parts.some((part) => part.type === 'compaction')) readMarker(reading, message);
  else if (justDone === undefined || !isResume(reading, message, justDone)) {
    readPrompt(reading, message);
  }
}

/** Reads a summary. It has no effect if it failed, or if a marker was needed and none asked for it. */
function readSummary(reading: Reading, message: OpencodeMessage): void {
  const { info, parts } = message;
  const { asked, recording, hasMarkers } = reading;
  const { compactions, drafts, tally } = recording;
  const isFinished = info.error === undefined && (info.finish !== undefined || !hasMarkers);
  reading.asked = undefined;
  if (!isFinished || (hasMarkers && asked === undefined)) return tally.drop('failed summary');
  const compaction = asked ?? { kind: 'full' as const, messageIndex: drafts.length };
  const usage = toUsage(message, tally);
  const summaryUsage = usage && contextTokensOf(usage) > 0 ? usage : undefined;
  const text = textOf(parts);
  reading.justDone = { ...compaction, summary: text, ...known({ summaryUsage }) };
  if (compaction.messageIndex > 0) compactions.push(reading.justDone);
  else {
    // The session begins with a summary that nothing precedes; prompts from the meantime follow it.
    const summary: DraftPart = { type: 'text', text, synthetic: true };
    drafts.unshift({ role: 'user', createdAt: info.time?.created ?? 0, parts: [summary] });
    reading.isPartial = true;
  }
}

function readStep(reading: Reading, message: OpencodeMessage): void {
  const { recording, cleared } = reading;
  const { info, parts } = message;
  const isEmpty = !parts.some(isContent);
  if (info.error?.name === REFUSED && isEmpty) return recording.tally.drop('refused request');
  const usage = toUsage(message, recording.tally);
  reading.lastUsage = usage ?? reading.lastUsage;
  const outcome = { finish: finishOf(message), usage, error: toError(info.error) };
  const said = toDraft(reading, message);
  const step = recording.addStep({ ...said, model: modelNameOf(info), ...outcome });
  cleared.push(...clearedIn(message, step));
}

function modelNameOf({ providerID, modelID, model }: OpencodeMessage['info']): string | undefined {
  const named = modelID === undefined ? model : { providerID, modelID };
  return named?.providerID === undefined ? named?.modelID : `${named.providerID}/${named.modelID}`;
}

/** The finish of a step: null for a request that never ended, with no reason, error or time. Old releases write only the time. */
function finishOf({ info, parts }: OpencodeMessage): DraftMessage['finish'] {
  const { finish, error, time } = info;
  const isTold = finish !== undefined || error !== undefined || time?.completed !== undefined;
  const isOpen = !isTold && time?.created !== undefined;
  if (isOpen && parts.every(({ type }) => type !== 'step-finish')) return null;
  return toEarlyFinish(finish);
}

function toError(error: OpencodeMessage['info']['error']): MessageError | undefined {
  return error && { name: error.name ?? 'UnknownError', message: error.data?.message ?? '' };
}

function toDraft(reading: Reading, { info, parts }: OpencodeMessage) {
  return {
    recordedId: info.id,
    recordedParentId: info.parentID,
    createdAt: info.time?.created ?? 0,
    parts: parts.flatMap((part) => readAnyPart(reading, part)),
  };
}

function readAnyPart({ recording, tasks }: Reading, part: OpencodePart): readonly DraftPart[] {
  const drafts = readPart(part, recording.tally);
  const sessionId = startedBy(part);
  if (sessionId !== undefined) for (const draft of drafts) tasks.set(draft, [sessionId]);
  return drafts;
}

function clearedIn({ parts }: OpencodeMessage, step: DraftMessage): readonly ClearedOutput[] {
  return parts.flatMap(({ callID: callId, state }) => {
    const clearedAt = state?.time?.compacted ?? 0;
    if (callId === undefined || clearedAt <= 0) return [];
    return [{ callId, clearedAt, step }];
  });
}

function readMarker(reading: Reading, { parts }: OpencodeMessage): void {
  dropAsked(reading);
  const { recording, lastUsage } = reading;
  const { drafts } = recording;
  const isAuto = parts.some((part) => part.auto || part.overflow);
  // Absent where the tail begins outside of the session.
  const tailId = parts.find(({ tail_start_id: id }) => id !== undefined)?.tail_start_id;
  const tail = drafts.findIndex(({ recordedId }) => recordedId === tailId);
  const firstKeptMessageIndex = tailId === undefined || tail < 0 ? undefined : tail;
  const tokensBefore = lastUsage && contextTokensOf(lastUsage) + lastUsage.output;
  reading.hasMarkers = true;
  reading.asked = {
    kind: 'full',
    trigger: isAuto ? 'auto' : 'manual',
    messageIndex: drafts.length,
    ...known({ tokensBefore, firstKeptMessageIndex }),
  };
}

function dropAsked(reading: Reading): void {
  if (reading.asked !== undefined) reading.recording.tally.drop('compaction without a summary');
  reading.asked = undefined;
}

/** Recognizes a continue text, or the replay of a prompt after an automatic compaction. */
function isResume(
  { promptKeys }: Reading,
  { parts }: OpencodeMessage,
  { trigger }: RecordedCompaction,
): boolean {
  if (isContinue(parts)) return true;
  return trigger === 'auto' && promptKeys.has(promptKey(parts));
}

/** Recognizes messages by which the recorder made the model continue after a compaction. */
function isContinue(parts: readonly OpencodePart[]): boolean {
  return parts.some(({ synthetic, metadata, text = '' }) => {
    if (!synthetic) return false;
    if (metadata?.compaction_continue) return true;
    return CONTINUE_STARTS.some((start) => text.includes(start));
  });
}

/** A key that a prompt shares with its replay: the texts, and the number of media. */
function promptKey(parts: readonly OpencodePart[]): string {
  const texts = parts.filter((part) => part.type === 'text');
  const media = parts.filter(({ type, mime = '' }) => type === 'file' && MEDIA.test(mime));
  const mediaCount = media.length + texts.filter(isNote).length;
  const written = texts.filter((part) => !isNote(part)).map((part) => part.text ?? '');
  return JSON.stringify([mediaCount, ...written]);
}

function isNote({ text = '' }: OpencodePart): boolean {
  return MEDIA_NOTE.test(text);
}

function readPrompt(reading: Reading, message: OpencodeMessage): void {
  reading.promptKeys.add(promptKey(message.parts));
  reading.recording.addPrompt(toDraft(reading, message));
}

/** Groups outputs that were hidden after the same message into one `micro` compaction. */
function groupCleared(
  cleared: readonly ClearedOutput[],
  drafts: readonly DraftMessage[],
): readonly RecordedCompaction[] {
  const times = drafts.map((draft) => draft.createdAt).toSorted((a, b) => a - b);
  const places = new Map(drafts.map((draft, index) => [draft, index + 1]));
  const callIds = new Map<number, string[]>();
  let earlier = 0;
  for (const output of cleared.toSorted((a, b) => a.clearedAt - b.clearedAt)) {
    while ((times[earlier] ?? Infinity) <= output.clearedAt) earlier++;
    const messageIndex = Math.max(earlier, places.get(output.step) ?? 0);
    addToGroup(callIds, messageIndex, output.callId);
  }
  return [...callIds].map(([messageIndex, clearedCallIds]) => ({
    kind: 'micro',
    trigger: 'auto',
    messageIndex,
    clearedCallIds,
  }));
}

/** Leaves out undone messages, which the program keeps until the next prompt or compaction. An unknown point undoes nothing. */
function withoutUndone(
  messages: readonly OpencodeMessage[],
  revert: OpencodeInfo['revert'],
  tally: Tally,
): readonly OpencodeMessage[] {
  const { messageID: messageId, partID: partId } = revert ?? {};
  const index = messages.findIndex(({ info }) => info.id !== undefined && info.id === messageId);
  const message = messages[index];
  if (message === undefined) return messages;
  const kept = partId === undefined ? [] : [cutAt(message, partId, tally)];
  tally.drop('undone message', messages.length - index - kept.length);
  return [...messages.slice(0, index), ...kept];
}

/** The message up to a part; unchanged if it has no such part. */
function cutAt(message: OpencodeMessage, partId: string, tally: Tally): OpencodeMessage {
  const index = message.parts.findIndex(({ id }) => id === partId);
  if (index < 0) return message;
  tally.drop('undone part', message.parts.length - index);
  return { ...message, parts: message.parts.slice(0, index) };
}

/** Counts texts that the recorder redacted, whose length is lost. Reports a session left with nothing but its usage. */
function countRedacted(drafts: readonly DraftMessage[], tally: Tally): void {
  const contents = drafts.flatMap(({ parts }) => parts.flatMap(contentsOf));
  const redacted = contents.filter(({ value }) => isRedacted(value));
  for (const { loss } of redacted) tally.repair(loss);
  const isTextLeft = contents.some(({ value }) => isText(value) && !isRedacted(value));
  if (redacted.length > 0 && !isTextLeft) {
    tally.repair('session redacted to its usage by the recorder');
  }
}

function contentsOf(part: DraftPart): readonly Content[] {
  if (part.type === 'text' || part.type === 'reasoning') {
    return [{ value: part.text, loss: 'text redacted by the recorder' }];
  }
  if (part.type !== 'tool') return [];
  const input = { value: part.state.input, loss: 'tool input redacted by the recorder' };
  return [input, ...outputsOf(part.state)];
}

/** Outputs of a call; sanitized exports leave errors unchanged. */
function outputsOf(state: ToolState): readonly Content[] {
  if (state.status !== 'completed') return [];
  return [{ value: state.output, loss: 'tool output redacted by the recorder' }];
}

function isRedacted(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value === 'string') return REDACTED.test(value);
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => isRedacted(each, depth - 1));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
