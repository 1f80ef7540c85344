import { resumeTexts } from '../../../engine/index.ts';
import { addToGroup, known } from '../../lib/collections.ts';
import * as kit from '../reading/fields.ts';
import type { Facts, Recording } from '../reading/recording.ts';
import { type DraftMessage, toEarlyFinish } from '../reading/transcript.ts';
import { contextTokensOf, type RecordedCompaction } from '../session.ts';
import * as records from './opencode-records.ts';

/** A session of OpenCode, however it was stored. */
export interface StoredSession {
  readonly info: kit.Fields;
  readonly messages: readonly unknown[];
}

interface Reading {
  readonly recording: Recording;
  readonly promptKeys: Set<string>;
  readonly cleared: ClearedOutput[];
  /** Sessions that calls started as tasks. */
  readonly tasks: Map<kit.DraftPart, readonly string[]>;
  isPartial: boolean;
  /** Set for releases that write markers: they compact only at a marker. */
  hasMarkers: boolean;
  asked?: RecordedCompaction | undefined;
  /** The compaction summarized by the previous message. */
  justDone?: RecordedCompaction | undefined;
}

interface ClearedOutput {
  readonly callId: string;
  /** Time in ms. */
  readonly clearedAt: number;
  readonly step: DraftMessage;
}

const REFUSED = 'ContextOverflowError';
const CONTINUE_STARTS = [resumeTexts['v1.0.69'], 'Use the above summary'];
const MEDIA = /^(image\/|application\/pdf)/;
const MEDIA_NOTE = /^\[Attached [^\]]*\]$/;
const REDACTED = /^\[redacted:/;
/** Depth that arguments of tools never exceed. */
const MAX_DEPTH = 8;

/** Recognizes the record of a session that is a task of another. */
export function isTask(info: kit.Fields): boolean {
  return kit.toId(info['parentID']) !== undefined;
}

/** Reads a session with its messages. */
export function readSession(recording: Recording, stored: StoredSession): Facts {
  const { info, messages: values } = stored;
  const { compactions, drafts, tally } = recording;
  const messages = withoutUndone(records.messagesIn(values, tally), info, tally);
  const reading: Reading = {
    recording,
    promptKeys: new Set(),
    cleared: [],
    tasks: new Map(),
    isPartial: messages[0]?.info['role'] === 'assistant',
    hasMarkers: false,
  };
  for (const message of messages) readMessage(reading, message);
  dropAsked(reading);
  countRedacted(drafts, tally);
  compactions.push(...groupCleared(reading.cleared, drafts));
  return {
    sessionId: info['id'],
    isSide: isTask(info),
    parentSessionId: info['parentID'],
    findSideIds: (part) => reading.tasks.get(part),
    isPartial: reading.isPartial,
    release: kit.toRelease(info['version']),
    folder: info['directory'],
    isOutputFinal: true,
  };
}

function readMessage(reading: Reading, message: records.OpencodeMessage) {
  const { info, parts } = message;
  const { justDone, promptKeys } = reading;
  const isStep = info['role'] === 'assistant';
  reading.justDone = undefined;
  if (isStep && info['summary'] === true) readSummary(reading, message);
  else if (isStep) for (const step of records.stepsOf(message)) readStep(reading, step);
  else if (parts.some(({ type }) => type === 'compaction')) readMarker(reading, message);
  else {
    // After an automatic compaction, a prompt may be a replay.
    const key = promptKey(parts);
    const isReplay = justDone?.trigger === 'auto' && promptKeys.has(key);
    if (justDone !== undefined && (isReplay || isContinue(parts))) return;
    promptKeys.add(key);
    reading.recording.addPrompt(toDraft(reading, message));
  }
}

/** A summary has no effect if it failed, or if a marker was needed and none asked for it. */
function readSummary(reading: Reading, message: records.OpencodeMessage) {
  const { info, parts } = message;
  const { asked, recording, hasMarkers } = reading;
  const { compactions, drafts, tally } = recording;
  const isFinished = !errorIn(info) && (kit.toText(info['finish']) !== undefined || !hasMarkers);
  reading.asked = undefined;
  if (!isFinished || (hasMarkers && asked === undefined)) return tally.drop('failed summary');
  const compaction = asked ?? { kind: 'full' as const, messageIndex: drafts.length };
  const usage = records.toUsage(message, tally);
  const summaryUsage = usage && contextTokensOf(usage) > 0 ? usage : undefined;
  const text = records.textOf(parts);
  reading.justDone = { ...compaction, summary: text, ...known({ summaryUsage }) };
  if (compaction.messageIndex > 0) compactions.push(reading.justDone);
  else {
    // The session begins with a summary that nothing precedes; prompts from the meantime follow it.
    const summary: kit.DraftPart = { type: 'text', text, synthetic: true };
    drafts.unshift({ role: 'user', createdAt: records.createdIn(info) ?? 0, parts: [summary] });
    reading.isPartial = true;
  }
}

function readStep(reading: Reading, message: records.OpencodeMessage) {
  const { recording, cleared } = reading;
  const { info, parts } = message;
  const error = errorIn(info);
  if (error?.name === REFUSED && !parts.some(records.isContent))
    return recording.tally.drop('refused request');
  const usage = records.toUsage(message, recording.tally);
  const outcome = { finish: finishOf(message), usage, error };
  const said = toDraft(reading, message);
  const step = recording.addStep({ ...said, model: modelNameOf(info), ...outcome });
  for (const { callID, state } of parts) {
    const callId = kit.toId(callID);
    const clearedAt = kit.toMoment(kit.valueAt(state, 'time.compacted')) ?? 0;
    if (callId !== undefined && clearedAt > 0) cleared.push({ callId, clearedAt, step });
  }
}

function errorIn({ error }: kit.Fields) {
  if (typeof error !== 'object' || error === null) return undefined;
  const [name, message] = [kit.valueAt(error, 'name'), kit.valueAt(error, 'data.message')];
  return { name: kit.toText(name) ?? 'UnknownError', message: kit.orEmpty(message) };
}

function modelNameOf(info: kit.Fields): string | undefined {
  const named = kit.toText(info['modelID']) === undefined ? kit.fieldsOf(info['model']) : info;
  const [provider, model] = [kit.toText(named['providerID']), kit.toText(named['modelID'])];
  return provider === undefined ? model : `${provider}/${model}`;
}

/** Null for a request that never ended; old releases write only its time. */
function finishOf({ info, parts }: records.OpencodeMessage): DraftMessage['finish'] {
  const finish = kit.toText(info['finish']);
  const completed = kit.toMoment(kit.valueAt(info, 'time.completed'));
  const isTold = finish !== undefined || errorIn(info) !== undefined || completed !== undefined;
  const isOpen = !isTold && records.createdIn(info) !== undefined;
  if (isOpen && parts.every(({ type }) => type !== 'step-finish')) return null;
  return toEarlyFinish(finish);
}

function toDraft({ recording, tasks }: Reading, { info, parts }: records.OpencodeMessage) {
  return {
    recordedId: kit.toId(info['id']),
    recordedParentId: kit.toId(info['parentID']),
    createdAt: records.createdIn(info) ?? 0,
    parts: parts.flatMap((part) => {
      const drafts = records.readPart(part, recording.tally);
      const sessionId = records.startedBy(part);
      if (sessionId !== undefined) for (const draft of drafts) tasks.set(draft, [sessionId]);
      return drafts;
    }),
  };
}

function readMarker(reading: Reading, { parts }: records.OpencodeMessage): void {
  dropAsked(reading);
  const { drafts } = reading.recording;
  const isAuto = parts.some(({ auto, overflow }) => auto === true || overflow === true);
  // Absent where the tail begins outside of the session.
  const tailId = parts.flatMap(({ tail_start_id: id }) => kit.toId(id) ?? [])[0];
  const tail = drafts.findIndex(({ recordedId }) => recordedId === tailId);
  const firstKeptMessageIndex = tailId === undefined || tail < 0 ? undefined : tail;
  const lastUsage = drafts.findLast(({ usage }) => usage !== undefined)?.usage;
  const tokensBefore = lastUsage && contextTokensOf(lastUsage) + lastUsage.output;
  reading.hasMarkers = true;
  reading.asked = {
    kind: 'full',
    trigger: isAuto ? 'auto' : 'manual',
    messageIndex: drafts.length,
    ...known({ tokensBefore, firstKeptMessageIndex }),
  };
}

function dropAsked(reading: Reading) {
  if (reading.asked !== undefined) reading.recording.tally.drop('compaction without a summary');
  reading.asked = undefined;
}

function isContinue(parts: kit.Objects) {
  return parts.some(({ synthetic, metadata, text }) => {
    if (synthetic !== true) return false;
    if (kit.valueAt(metadata, 'compaction_continue') === true) return true;
    return CONTINUE_STARTS.some((start) => kit.toText(text)?.includes(start));
  });
}

function promptKey(parts: kit.Objects): string {
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => kit.orEmpty(text));
  const media = parts.filter(({ type, mime }) => type === 'file' && MEDIA.test(kit.orEmpty(mime)));
  const written = texts.filter((text) => !MEDIA_NOTE.test(text));
  return JSON.stringify([media.length + texts.length - written.length, ...written]);
}

function groupCleared(cleared: readonly ClearedOutput[], drafts: readonly DraftMessage[]) {
  const times = drafts.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b);
  const places = new Map(drafts.map((draft, index) => [draft, index + 1]));
  const callIds = new Map<number, string[]>();
  let earlier = 0;
  for (const output of cleared.toSorted((a, b) => a.clearedAt - b.clearedAt)) {
    while ((times[earlier] ?? Infinity) <= output.clearedAt) earlier++;
    const messageIndex = Math.max(earlier, places.get(output.step) ?? 0);
    addToGroup(callIds, messageIndex, output.callId);
  }
  const asMicro = { kind: 'micro', trigger: 'auto' } as const;
  return [...callIds].map(([messageIndex, clearedCallIds]) => {
    return { ...asMicro, messageIndex, clearedCallIds };
  });
}

/** Leaves out undone messages, which the program keeps until the next prompt or compaction. An unknown point undoes nothing. */
function withoutUndone(
  messages: readonly records.OpencodeMessage[],
  { revert }: kit.Fields,
  tally: kit.Tally,
) {
  const messageId = kit.toId(kit.valueAt(revert, 'messageID'));
  const partId = kit.toId(kit.valueAt(revert, 'partID'));
  const index = messages.findIndex(({ info }) => messageId && info['id'] === messageId);
  const message = messages[index];
  if (message === undefined) return messages;
  const kept = partId === undefined ? [] : [cutAt(message, partId, tally)];
  tally.drop('undone message', messages.length - index - kept.length);
  return [...messages.slice(0, index), ...kept];
}

function cutAt(message: records.OpencodeMessage, partId: string, tally: kit.Tally) {
  const index = message.parts.findIndex(({ id }) => id === partId);
  if (index < 0) return message;
  tally.drop('undone part', message.parts.length - index);
  return { ...message, parts: message.parts.slice(0, index) };
}

function countRedacted(drafts: readonly DraftMessage[], tally: kit.Tally): void {
  let redacted = 0;
  let isTextLeft = false;
  for (const [kind, value] of drafts.flatMap(({ parts }) => parts.flatMap(contentsOf))) {
    if (isRedacted(value)) {
      tally.repair(`${kind} redacted by the recorder`);
      redacted += 1;
    } else isTextLeft ||= typeof value === 'string' && value.trim() !== '';
  }
  if (redacted > 0 && !isTextLeft) tally.repair('session redacted to its usage by the recorder');
}

function contentsOf(part: kit.DraftPart): readonly (readonly [kind: string, value: unknown])[] {
  if (part.type === 'text' || part.type === 'reasoning') return [['text', part.text]];
  if (part.type !== 'tool') return [];
  const { state } = part;
  const input = ['tool input', state.input] as const;
  return state.status === 'completed' ? [input, ['tool output', state.output]] : [input];
}

function isRedacted(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value === 'string') return REDACTED.test(value);
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => isRedacted(each, depth - 1));
}
