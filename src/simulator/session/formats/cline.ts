import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { asInjected, textOf } from '../reading/content.ts';
import { toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { type DraftMessage, known } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';
import {
  blocksOf,
  type ClineBlock,
  type ClineMessage,
  filesIn,
  isContent,
  isOfProgram,
  isTask,
  type KeptCompaction,
  modelNameOf,
  parseMessage,
  readKeptCompaction,
  toContentParts,
  toOutput,
  usageOf,
} from './cline-messages.ts';
import { readScreen, type Screen } from './cline-screen.ts';

/** The messages of a file with the fields around them. */
interface ClineDocument {
  readonly messages: readonly unknown[];
  readonly sessionId?: string;
  readonly system?: string;
}

/** A result that is written as text, under a heading that names the tool. */
interface WrittenResult {
  readonly tool: string;
  readonly blocks: readonly ClineBlock[];
}

interface Reading {
  readonly recording: Recording;
  /** Earlier or intermediate messages are missing. */
  isPartial: boolean;
  /** Ids of condensations whose messages are still recorded. */
  readonly condenseIds: ReadonlySet<string | undefined>;
  /** Set once a message reports that messages between were compacted. */
  thinned?: Pick<RecordedCompaction, 'trigger'>;
  /** Messages up to the last one that such a compaction kept. */
  keptCount: number;
  readonly screen: Screen;
  readonly kept: KeptCompaction | undefined;
}

/** A message with its place. */
interface Placed {
  readonly messages: readonly ClineMessage[];
  /** Messages of the session up to each. */
  readonly ends: readonly number[];
}

/** The start of a result that is written as text. */
const RESULT_START = /^\[([\w-]+)(?: for .*?)?\] Result:\s*/s;

/**
 * Messages that stay behind a summary of the assistant's; a summary of the user's is the last message at its time. Source: Roo Code,
 * `src/core/condense/index.ts`, `N_MESSAGES_TO_KEEP`.
 */
const KEPT_BEHIND_SUMMARY = 3;

/** Sessions of Cline and Roo Code: messages with their session, or a bare history. */
export const cline: SessionFormat = {
  label: 'Cline or Roo Code session (JSON)',
  certainty: 'shape',
  readsAround: true,
  detect: (file) => findSession(file) !== undefined,
  read: readRecording({ format: 'cline', empty: 'a Cline session without messages' }, readSession),
  keeps: {
    tools:
      'execute_command run_commands read_files replace_in_file write_to_file search_files list_files ask_followup_question attempt_completion new_task',
    reasons: 'marker truncation',
  },
};

/** The session of a file, with its fields or as a bare history; `undefined` if there is none. */
function findSession(file: SourceFile): ClineDocument | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isHistory(document) ? { messages: document } : undefined;
  if (!isObject(document)) return undefined;
  const { messages, sessionId, agent, system_prompt: system } = document;
  if (typeof sessionId !== 'string' || typeof agent !== 'string') return undefined;
  if (!Array.isArray(messages)) return undefined;
  if (messages.length > 0 && parseMessage(messages[0]) === undefined) return undefined;
  return { messages, sessionId, ...(typeof system === 'string' && { system }) };
}

/** Recognizes a history by the time of its messages, or by its first one, in which the program names the task. */
function isHistory(values: readonly unknown[]): boolean {
  const [first] = values;
  const message = parseMessage(first);
  if (message === undefined || !isObject(first) || !('content' in first)) return false;
  return typeof first['ts'] === 'number' || isTask(message);
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const { messages: values = [], sessionId, system } = findSession(file) ?? {};
  const messages = values.flatMap((value) => parseMessage(value) ?? []);
  recording.tally.drop('message without a role', values.length - messages.length);
  const reading: Reading = {
    recording,
    isPartial: false,
    condenseIds: new Set(messages.flatMap(({ condenseParent }) => condenseParent ?? [])),
    keptCount: 0,
    screen: readScreen(file),
    kept: readKeptCompaction(file),
  };
  const ends = messages.map((message) => {
    readMessage(reading, message);
    noteThinning(reading, message);
    return recording.drafts.length;
  });
  const placed = { messages, ends };
  recording.compactions.push(
    ...condensationsOf(reading, placed),
    ...truncationsOf(reading, placed),
    ...cutsOf(reading, placed),
    ...keptBeside(reading, placed),
    ...thinningsOf(reading),
  );
  recording.compactions.sort((a, b) => a.messageIndex - b.messageIndex);
  addUsages(recording.end(), reading.screen);
  return { sessionId, system, isPartial: reading.isPartial, isOutputFinal: true };
}

function readMessage(reading: Reading, message: ClineMessage): void {
  if (message.metadata?.kind === 'compaction_summary') readSummary(reading, message);
  else if (message.isTruncationMarker) return;
  else if (message.isSummary) readCondensation(reading, message);
  else if (message.role === 'assistant') readStep(reading.recording, message);
  else readUser(reading.recording, message);
}

/** Leaves out a summary of messages that are still recorded; another stands in for them. */
function readCondensation(reading: Reading, message: ClineMessage): void {
  if (reading.condenseIds.has(message.condenseId)) return;
  reading.isPartial = true;
  reading.recording.inject(summaryOf(message));
}

function condensationsOf(
  { condenseIds, screen }: Reading,
  { messages, ends }: Placed,
): readonly RecordedCompaction[] {
  return messages.flatMap((message, index): readonly RecordedCompaction[] => {
    const { isSummary, condenseId, role } = message;
    if (!isSummary || condenseId === undefined || !condenseIds.has(condenseId)) return [];
    const place = ends[index] ?? 0;
    const keptCount = role === 'assistant' ? KEPT_BEHIND_SUMMARY : 0;
    const messageIndex = ends[Math.min(index + keptCount, ends.length - 1)] ?? place;
    const kept = messageIndex > place && { firstKeptMessageIndex: place };
    if (place === 0) return [];
    const sizes = sizesOf(screen, condenseId);
    return [{ kind: 'full', messageIndex, ...sizes, summary: summaryOf(message), ...kept }];
  });
}

function sizesOf({ sizes }: Screen, id: string): Partial<RecordedCompaction> {
  const { atMs: _atMs, ...told } = sizes.get(id) ?? { atMs: 0 };
  return told;
}

/**
 * The truncations by Roo Code: each hides messages, and leaves its mark behind the last. Where the screen does not tell when, as
 * many messages stayed as were hidden.
 */
function truncationsOf(
  { recording, screen }: Reading,
  { messages, ends }: Placed,
): readonly RecordedCompaction[] {
  return messages.flatMap((marker, index): readonly RecordedCompaction[] => {
    const { isTruncationMarker, truncationId: id } = marker;
    if (!isTruncationMarker) return [];
    const hidden = messages.filter(({ truncationParent }) => truncationParent === id).length;
    const place = ends[index] ?? 0;
    if (id === undefined || hidden === 0 || place === 0) {
      recording.tally.drop('truncation marker');
      return [];
    }
    const toldMs = screen.sizes.get(id)?.atMs;
    const messageIndex =
      toldMs === undefined
        ? (ends[Math.min(index + hidden, ends.length - 1)] ?? place)
        : recording.drafts.filter(({ createdAt }) => createdAt < toldMs).length;
    const kept = messageIndex > place && { firstKeptMessageIndex: place };
    return [{ kind: 'full', trigger: 'auto', messageIndex, ...sizesOf(screen, id), ...kept }];
  });
}

/** The truncations by Cline: only the screen tells what requests leave out. */
function cutsOf({ screen }: Reading, { ends }: Placed): readonly RecordedCompaction[] {
  return screen.cuts.flatMap(({ historyCount, lastIndex }): readonly RecordedCompaction[] => {
    const [messageIndex, place] = [ends[historyCount - 1], ends[lastIndex]];
    if (messageIndex === undefined || place === undefined || place >= messageIndex) return [];
    return [{ kind: 'full', messageIndex, firstKeptMessageIndex: place }];
  });
}

/** The compaction in the file beside the messages. */
function keptBeside({ kept }: Reading, { messages, ends }: Placed): readonly RecordedCompaction[] {
  const messageIndex = ends[(kept?.historyCount ?? 0) - 1];
  if (kept === undefined || messageIndex === undefined) return [];
  const { metadata, content } = kept.summary;
  const { summary = toOutput(content), tokensBefore } = metadata ?? {};
  const first = messages.findIndex(({ id }) => id !== undefined && id === kept.firstKeptId);
  const place = ends[first - 1];
  const firstKeptMessageIndex = place !== undefined && place < messageIndex ? place : undefined;
  const told = known<Partial<RecordedCompaction>>({ tokensBefore, firstKeptMessageIndex });
  return [{ kind: 'full', messageIndex, summary, ...told }];
}

/** Gives the requests of the screen to steps without a usage: in order if there are as many, else by time. */
function addUsages(drafts: readonly DraftMessage[], { requests }: Screen): void {
  const steps = drafts.filter(({ role }) => role === 'assistant');
  const isPaired = steps.length === requests.length;
  let lastMs = 0;
  for (const [index, step] of steps.entries()) {
    const isOfStep = ({ sentMs }: Screen['requests'][number]) =>
      sentMs > lastMs && sentMs <= step.createdAt;
    const request = isPaired ? requests[index] : requests.findLast(isOfStep);
    step.usage ??= request?.usage;
    lastMs = Math.max(lastMs, step.createdAt);
  }
}

/** The texts of a summary, without the state of the editor. */
function summaryOf({ content }: ClineMessage): string {
  const texts = blocksOf(content).flatMap(({ type, text }) => (type === 'text' && text) || []);
  return texts.filter((text) => !isOfProgram(text)).join('\n');
}

/** Reads a summary; one before all messages is only the start of the session. */
function readSummary(reading: Reading, { metadata, content }: ClineMessage): void {
  const { recording } = reading;
  const { summary = toOutput(content), tokensBefore } = metadata ?? {};
  if (recording.drafts.length > 0) return recording.addCompaction({ summary, tokensBefore });
  reading.isPartial = true;
  recording.inject(toOutput(content));
}

function readStep(recording: Recording, message: ClineMessage): void {
  const blocks = blocksOf(message.content);
  const step = recording.addStep({
    createdAt: toTime(message.ts),
    recordedId: message.id,
    parts: toContentParts(blocks.filter(isContent), recording.tally),
    model: modelNameOf(message),
    usage: usageOf(message),
  });
  for (const { type, id: callId, name: tool = 'unknown', input = {} } of blocks) {
    if (type === 'tool_use') recording.addCall(step, { callId, tool, input });
  }
}

/** Reads a user message. One with results opens no turn; the program wrote its other parts. */
function readUser(recording: Recording, { content, ts, id: recordedId }: ClineMessage): void {
  const blocks = blocksOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const result of results) readResult(recording, result);
  const said = blocks.filter(isContent);
  const answersStep = results.length === 0 && recording.drafts.at(-1)?.role === 'assistant';
  const written = answersStep ? writtenResultsIn(said) : [];
  finishWritten(recording, written);
  const used = new Set(written.flatMap((each) => each.blocks));
  const rest = said.filter((block) => !used.has(block));
  const parts = toContentParts(rest, recording.tally);
  if (results.length + written.length > 0) {
    for (const part of parts) recording.inject(asInjected(part));
  } else recording.addPrompt({ createdAt: toTime(ts), recordedId, parts });
}

function readResult(recording: Recording, block: ClineBlock): void {
  const { tool_use_id: key, content, is_error: isError } = block;
  const blocks = blocksOf(content);
  const unreadable = blocks.filter(
    ({ type, text }) => type !== undefined && type !== 'image' && text === undefined,
  );
  if (key !== undefined) recording.tally.drop('unknown content block', unreadable.length);
  recording.addResult(key, {
    output: toOutput(content),
    isError: isError === true,
    attachments: filesIn(blocks),
  });
}

/** Results that are written as texts: each heading begins one, and what follows belongs to it, except the state of the editor. */
function writtenResultsIn(blocks: readonly ClineBlock[]): readonly WrittenResult[] {
  const results: { tool: string; blocks: ClineBlock[] }[] = [];
  for (const block of blocks) {
    const { type, text = '' } = block;
    const tool = RESULT_START.exec(text)?.[1];
    if (tool !== undefined) results.push({ tool, blocks: [block] });
    else if (type === 'image' || (type === 'text' && !isOfProgram(text))) {
      results.at(-1)?.blocks.push(block);
    }
  }
  return results;
}

/** Finishes calls of the last step by tool; a step without calls wrote them in its text, where they stay. */
function finishWritten(recording: Recording, results: readonly WrittenResult[]): void {
  const step = recording.drafts.at(-1);
  if (step === undefined) return;
  const hasCalls = step.parts.some(({ type }) => type === 'tool');
  for (const { tool, blocks } of results) {
    if (!hasCalls) recording.addCall(step, { tool, input: {} });
    const output = textOf(blocks).replace(RESULT_START, '').trim();
    const isFinished = recording.finishCall({ tool, output, attachments: filesIn(blocks) });
    if (!isFinished) recording.tally.drop('tool result without a call');
  }
}

function noteThinning(reading: Reading, { metadata }: ClineMessage): void {
  const { kind, compaction, reason } = metadata ?? {};
  if (kind === 'compaction') {
    const trigger = reason?.startsWith('manual') ? ('manual' as const) : ('auto' as const);
    reading.thinned = reason === undefined ? {} : { trigger };
    reading.isPartial = true;
  }
  if (compaction === 'preserved') reading.keptCount = reading.recording.drafts.length;
}

/** A compaction that keeps prompts and answers happened after the last of them. */
function thinningsOf({ thinned, keptCount }: Reading): readonly RecordedCompaction[] {
  if (thinned === undefined || keptCount === 0) return [];
  return [{ kind: 'full', ...thinned, messageIndex: keptCount }];
}
