import type { MessageError, Usage } from '../../../engine/index.ts';
import { type EarlyFinish, toEarlyFinish } from '../reading/finish.ts';
import { contextTokensOf, type RecordedCompaction } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import { addStep, type DraftMessage, type DraftPart } from '../reading/transcript.ts';
import { type ClearedOutput, clearedIn, groupCleared } from './cleared.ts';
import type { OpencodeMessage, OpencodePart } from './record.ts';
import { readPart, textOf } from './parts.ts';
import { isContinue, promptKey } from './resume.ts';
import { isContent, stepsOf } from './steps.ts';
import { startedBy } from './tasks.ts';
import { toUsage } from './usage.ts';

/** What the messages of an export come to. */
export interface OpencodeHistory {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** The sessions that calls started as tasks. */
  readonly tasks: ReadonlyMap<DraftPart, readonly string[]>;
  /** Whether the messages go on from something that is not among them. */
  readonly isPartial: boolean;
}

interface Reading {
  readonly tally: Tally;
  readonly drafts: DraftMessage[];
  readonly promptKeys: Set<string>;
  readonly compactions: RecordedCompaction[];
  readonly cleared: ClearedOutput[];
  readonly tasks: Map<DraftPart, readonly string[]>;
  lastUsage?: Usage | undefined;
  isPartial: boolean;
  /** Releases that write markers compact at a marker only. */
  hasMarkers: boolean;
  /** A compaction that was asked for and has no summary so far. */
  asked?: RecordedCompaction | undefined;
  /** The compaction whose summary is the message just before. */
  justDone?: RecordedCompaction | undefined;
}

const REFUSED = 'ContextOverflowError';

/** Reads messages in order, and takes out what compactions put between them. */
export function readHistory(messages: readonly OpencodeMessage[], tally: Tally): OpencodeHistory {
  const reading: Reading = {
    tally,
    drafts: [],
    promptKeys: new Set(),
    compactions: [],
    cleared: [],
    tasks: new Map(),
    isPartial: messages[0]?.info.role === 'assistant',
    hasMarkers: false,
  };
  for (const message of messages) readMessage(reading, message);
  dropAsked(reading);
  const micro = groupCleared(reading.cleared, reading.drafts);
  const compactions = [...reading.compactions, ...micro];
  return {
    drafts: reading.drafts,
    compactions: compactions.toSorted((a, b) => a.messageIndex - b.messageIndex),
    tasks: reading.tasks,
    isPartial: reading.isPartial,
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

function readMarker(reading: Reading, { parts }: OpencodeMessage): void {
  dropAsked(reading);
  const { drafts, lastUsage } = reading;
  const isAuto = parts.some((part) => part.auto || part.overflow);
  reading.hasMarkers = true;
  reading.asked = {
    kind: 'full',
    trigger: isAuto ? 'auto' : 'manual',
    messageIndex: drafts.length,
    ...(lastUsage && { tokensBefore: contextTokensOf(lastUsage) + lastUsage.output }),
    ...firstKeptIn(drafts, parts),
  };
}

/** A tail may begin at a message that is none of the session. */
function firstKeptIn(
  drafts: readonly DraftMessage[],
  parts: readonly OpencodePart[],
): Pick<RecordedCompaction, 'firstKeptMessageIndex'> {
  const tailId = parts.find(({ tail_start_id: id }) => id !== undefined)?.tail_start_id;
  const index = drafts.findIndex(({ recordedId }) => recordedId === tailId);
  return tailId === undefined || index < 0 ? {} : { firstKeptMessageIndex: index };
}

/** A summary that failed, or that no marker asked for where markers are written, took no effect. */
function readSummary(reading: Reading, { info, parts }: OpencodeMessage): void {
  const { asked, compactions, drafts, hasMarkers, tally } = reading;
  const isFinished = info.error === undefined && (info.finish !== undefined || !hasMarkers);
  reading.asked = undefined;
  if (!isFinished || (hasMarkers && asked === undefined)) return tally.drop('failed summary');
  const compaction = asked ?? { kind: 'full' as const, messageIndex: drafts.length };
  reading.justDone = { ...compaction, summary: textOf(parts) };
  if (compaction.messageIndex > 0) compactions.push(reading.justDone);
  else beginWith(reading, textOf(parts), info.time?.created);
}

/**
 * A summary that nothing precedes is where the session starts, not something that happened in it. Prompts
 * that came while it was written follow it.
 */
function beginWith(reading: Reading, text: string, createdAt = 0): void {
  const parts: DraftPart[] = [{ type: 'text', text, synthetic: true }];
  reading.drafts.unshift({ role: 'user', createdAt, parts });
  reading.isPartial = true;
}

/** A prompt is sent again, and a continue text written, only where nobody asked for the compaction by hand. */
function isResume(
  { promptKeys }: Reading,
  { parts }: OpencodeMessage,
  { trigger }: RecordedCompaction,
): boolean {
  if (isContinue(parts)) return true;
  return trigger === 'auto' && promptKeys.has(promptKey(parts));
}

function readPrompt(reading: Reading, message: OpencodeMessage): void {
  reading.promptKeys.add(promptKey(message.parts));
  reading.drafts.push(toDraft(reading, message));
}

function readStep(reading: Reading, message: OpencodeMessage): void {
  const { drafts, tally } = reading;
  const { error } = message.info;
  const isEmpty = !message.parts.some(isContent);
  if (error?.name === REFUSED && isEmpty) return tally.drop('refused request');
  const usage = toUsage(message, tally);
  reading.lastUsage = usage ?? reading.lastUsage;
  const model = modelNameOf(message.info);
  const outcome = { model, finish: finishOf(message), usage, error: toError(error) };
  const step = { ...toDraft(reading, message), ...outcome };
  addStep(drafts, step, tally);
  for (const output of clearedIn(message, step)) reading.cleared.push(output);
}

function toDraft(reading: Reading, { info, parts }: OpencodeMessage): DraftMessage {
  return {
    role: info.role,
    recordedId: info.id,
    recordedParentId: info.parentID,
    createdAt: info.time?.created ?? 0,
    parts: parts.flatMap((part) => readAnyPart(reading, part)),
  };
}

function readAnyPart({ tally, tasks }: Reading, part: OpencodePart): readonly DraftPart[] {
  const drafts = readPart(part, tally);
  const sessionId = startedBy(part);
  if (sessionId !== undefined) for (const draft of drafts) tasks.set(draft, [sessionId]);
  return drafts;
}

/** A request never ended of which neither a reason, nor an error, nor a time tells; old releases tell the time only. */
function finishOf({ info, parts }: OpencodeMessage): EarlyFinish | null | undefined {
  const { finish, error, time } = info;
  const isTold = finish !== undefined || error !== undefined || time?.completed !== undefined;
  const isOpen = !isTold && time?.created !== undefined;
  if (isOpen && parts.every(({ type }) => type !== 'step-finish')) return null;
  return toEarlyFinish(finish);
}

function modelNameOf({ providerID, modelID, model }: OpencodeMessage['info']): string | undefined {
  const named = modelID === undefined ? model : { providerID, modelID };
  return named?.providerID === undefined ? named?.modelID : `${named.providerID}/${named.modelID}`;
}

function toError(error: OpencodeMessage['info']['error']): MessageError | undefined {
  return error && { name: error.name ?? 'UnknownError', message: error.data?.message ?? '' };
}

function dropAsked(reading: Reading): void {
  if (reading.asked !== undefined) reading.tally.drop('compaction without a summary');
  reading.asked = undefined;
}
