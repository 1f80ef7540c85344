import { parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { asInjected, blocksOf, outputText, textOf } from '../reading/content.ts';
import {
  type Fields,
  fieldsOf,
  objectsIn,
  toId,
  toText,
  toTime,
  toTokens,
  valueAt,
} from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { known } from '../reading/transcript.ts';
import { countsIn, splitCount } from '../reading/usage.ts';
import type { RecordedCompaction } from '../session.ts';
import { readScreen, type Screen } from './cline-screen.ts';

/** Messages with their places. */
interface Placed {
  readonly messages: readonly Fields[];
  /** Messages of the session up to each. */
  readonly ends: readonly number[];
}

type Compactions = readonly RecordedCompaction[];

/** The start of a result that is written as text, with its tool. */
const RESULT_START = /^\[([\w-]+)(?: for .*?)?\] Result:\s*/s;
/** The start of a notice about the compaction behind it, and of what the program tells about the editor. */
const PROGRAM_STARTS = /^<(?:SYSTEM_NOTICE|environment_details)>/;
const TASK_START = '<task>';
const MESSAGES = /([^/\\]+)\.messages\.json$/;
const SUMMARY = 'compaction_summary';
const SILENT = new Set<unknown>(['redacted_thinking', 'tool_result', 'tool_use']);

const COUNTS = {
  input: 'inputTokens tokens.prompt',
  output: 'outputTokens tokens.completion',
  cacheRead: 'cacheReadTokens tokens.cached',
  cacheWrite: 'cacheWriteTokens',
};

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
  read: readRecording(
    {
      format: 'cline',
      empty: 'a Cline session without messages',
      silent: SILENT,
      reason: 'unknown content block',
    },
    readSession,
  ),
  keeps: {
    tools:
      'execute_command run_commands read_files replace_in_file write_to_file search_files list_files ask_followup_question attempt_completion new_task',
    reasons: 'marker truncation',
  },
};

/** The session of a file, with its fields or as a bare history; `undefined` if there is none. */
function findSession(file: SourceFile): Fields | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isHistory(document[0]) ? { messages: document } : undefined;
  const { messages, sessionId, agent } = fieldsOf(document);
  if (typeof sessionId !== 'string' || typeof agent !== 'string') return undefined;
  const isOwn = Array.isArray(messages) && (messages.length === 0 || isMessage(messages[0]));
  return isOwn ? fieldsOf(document) : undefined;
}

function isMessage(value: unknown): value is Fields {
  const { role } = fieldsOf(value);
  return role === 'user' || role === 'assistant';
}

/** Recognizes a history by the time of its first message, or by the task that the program names in it. */
function isHistory(first: unknown): boolean {
  if (!isMessage(first) || !('content' in first)) return false;
  const texts = first['role'] === 'user' ? blocksOf(first['content']) : [];
  return (
    typeof first['ts'] === 'number' ||
    texts.some(({ text }) => toText(text)?.startsWith(TASK_START))
  );
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const { messages: values, sessionId, system_prompt: system } = findSession(file) ?? {};
  const objects = recording.readObjects(values, 'message without a role');
  const messages = objects.filter(isMessage);
  recording.tally.drop('message without a role', objects.length - messages.length);
  const condenseIds = new Set(messages.flatMap(({ condenseParent: id }) => toId(id) ?? []));
  const ends: number[] = [];
  let isPartial = false;
  for (const message of messages) {
    isPartial = readMessage(recording, message, condenseIds) || isPartial;
    ends.push(recording.drafts.length);
  }
  const placed = { messages, ends };
  const screen = readScreen(file);
  recording.compactions.push(
    ...condensationsOf(placed, condenseIds, screen),
    ...truncationsOf(recording, placed, screen),
    ...cutsOf(placed, screen),
    ...keptBeside(placed, file),
    ...thinningsOf(placed),
  );
  addUsages(recording, screen);
  return { sessionId: toText(sessionId), system: toText(system), isPartial, isOutputFinal: true };
}

/** Reads a message. Returns true if it says that earlier messages are missing. */
function readMessage(
  recording: Recording,
  message: Fields,
  condenseIds: ReadonlySet<string>,
): boolean {
  const { role, content, condenseId, isTruncationMarker, isSummary } = message;
  const { kind, ...metadata } = fieldsOf(message['metadata']);
  if (kind === SUMMARY && recording.drafts.length > 0) {
    recording.addCompaction(summaryFields(metadata, content));
  } else if (kind === SUMMARY) {
    // One before all messages is only the start of the session.
    recording.inject(outputText(content));
    return true;
  } else if (isTruncationMarker === true) return false;
  else if (isSummary === true) {
    // A summary of messages that are still recorded is left out; another stands in for them.
    if (condenseIds.has(toId(condenseId) ?? '')) return false;
    recording.inject(summaryOf(message));
    return true;
  } else if (role === 'assistant') readStep(recording, message);
  else readUser(recording, message);
  return kind === 'compaction';
}

function summaryFields({ summary, tokensBefore }: Fields, content: unknown) {
  return { summary: toText(summary) ?? outputText(content), tokensBefore: toTokens(tokensBefore) };
}

/** The texts of a summary, without the state of the editor. */
function summaryOf({ content }: Fields): string {
  const texts = blocksOf(content).filter(({ type = 'text' }) => type === 'text');
  return textOf(texts.filter(({ text }) => !isOfProgram(text)));
}

/** Recognizes texts that the program wrote beside a prompt or a result. */
function isOfProgram(text: unknown): boolean {
  return PROGRAM_STARTS.test(toText(text) ?? '');
}

function readStep(recording: Recording, message: Fields): void {
  const { id, ts: time, content, metrics, modelInfo } = message;
  const model = toId(valueAt(modelInfo, 'id modelId'));
  const provider = toText(valueAt(modelInfo, 'provider providerId'));
  recording.readStep({
    id,
    time,
    content: blocksOf(content).map(toBlock),
    model: model && `${provider ?? 'unknown'}/${model}`,
    usage: splitCount(countsIn(metrics, COUNTS)),
    calls: blocksOf(content).filter(({ type }) => type === 'tool_use'),
  });
}

/** A block in the form that providers share. */
function toBlock(block: Fields): Fields {
  const { type, text, thinking = text, path, content, source, mediaType } = block;
  if (type === 'thinking' || type === 'reasoning') return { type, thinking };
  if (type === 'file') return { type, text: `${toText(path) ?? ''}\n${toText(content) ?? ''}` };
  if (type !== 'image') return { type, text };
  const { media_type: mime = 'image/png', data: held = '', url } = fieldsOf(source);
  const mimeType = mediaType ?? mime;
  return { type, url, data: block['data'] ?? held, mimeType, mime_type: mimeType };
}

/** Reads a user message. One with results opens no turn; the program wrote its other parts. */
function readUser(recording: Recording, { content, ts, id }: Fields): void {
  const blocks = blocksOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const { tool_use_id: callId, content: told, is_error: isError } of results) {
    const isTyped = objectsIn(told).every(({ type }) => type !== undefined);
    const output = Array.isArray(told) && isTyped ? blocksOf(told).map(toBlock) : told;
    recording.readResult({ id: callId, content: output, isError: isError === true });
  }
  const said = blocks.filter(({ type }) => type !== 'tool_result');
  const answersStep = results.length === 0 && recording.drafts.at(-1)?.role === 'assistant';
  const written = answersStep ? writtenResultsIn(said) : [];
  finishWritten(recording, written);
  const used = new Set(written.flatMap((each) => each.blocks));
  const parts = said
    .filter((block) => !used.has(block))
    .flatMap((block) => {
      const isMarked = block['type'] === 'file' || isOfProgram(block['text']);
      return recording
        .partsOf([toBlock(block)])
        .map((part) => (isMarked ? asInjected(part) : part));
    });
  if (results.length + written.length > 0) {
    for (const part of parts) recording.inject(asInjected(part));
  } else recording.addPrompt({ createdAt: toTime(ts), recordedId: toId(id), parts });
}

/** Results that are written as texts: each heading begins one, and what follows belongs to it, except the state of the editor. */
function writtenResultsIn(blocks: readonly Fields[]) {
  const results: { tool: string; blocks: Fields[] }[] = [];
  for (const block of blocks) {
    const { type = 'text', text } = block;
    const tool = RESULT_START.exec(toText(text) ?? '')?.[1];
    if (tool !== undefined) results.push({ tool, blocks: [block] });
    else if (type === 'image' || (type === 'text' && !isOfProgram(text))) {
      results.at(-1)?.blocks.push(block);
    }
  }
  return results;
}

/** Finishes calls of the last step by tool; a step without calls wrote them in its text, where they stay. */
function finishWritten(recording: Recording, results: ReturnType<typeof writtenResultsIn>): void {
  const step = recording.drafts.at(-1);
  const hasCalls = step?.parts.some(({ type }) => type === 'tool');
  for (const { tool, blocks } of results) {
    if (step !== undefined && !hasCalls) recording.readCall(step, { name: tool });
    const output = textOf(blocks).replace(RESULT_START, '').trim();
    recording.readResult({ name: tool, content: blocks.map(toBlock), output });
  }
}

function condensationsOf(
  { messages, ends }: Placed,
  condenseIds: ReadonlySet<string>,
  screen: Screen,
): Compactions {
  return messages.flatMap((message, index): Compactions => {
    const { isSummary, condenseId, role } = message;
    const id = toId(condenseId) ?? '';
    const place = ends[index] ?? 0;
    if (isSummary !== true || !condenseIds.has(id) || place === 0) return [];
    const keptCount = role === 'assistant' ? KEPT_BEHIND_SUMMARY : 0;
    const messageIndex = ends[Math.min(index + keptCount, ends.length - 1)] ?? place;
    const told = { ...sizesOf(screen, id), summary: summaryOf(message) };
    return [{ kind: 'full', messageIndex, ...told, ...keptFrom(place, messageIndex) }];
  });
}

function sizesOf({ sizes }: Screen, id: string): Partial<RecordedCompaction> {
  const { atMs: _atMs, ...told } = sizes.get(id) ?? { atMs: 0 };
  return told;
}

function keptFrom(place: number | undefined, messageIndex: number) {
  return place !== undefined && place < messageIndex && { firstKeptMessageIndex: place };
}

/**
 * The truncations by Roo Code: each hides messages, and leaves its mark behind the last. Where the screen does not tell when, as
 * many messages stayed as were hidden.
 */
function truncationsOf(
  recording: Recording,
  { messages, ends }: Placed,
  screen: Screen,
): Compactions {
  return messages.flatMap(({ isTruncationMarker, truncationId }, index): Compactions => {
    if (isTruncationMarker !== true) return [];
    const id = toId(truncationId);
    const hidden = messages.filter(({ truncationParent: parent }) => parent === id).length;
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
    const told = { ...sizesOf(screen, id), ...keptFrom(place, messageIndex) };
    return [{ kind: 'full', trigger: 'auto', messageIndex, ...told }];
  });
}

/** The truncations by Cline: only the screen tells what requests leave out. */
function cutsOf({ ends }: Placed, { cuts }: Screen): Compactions {
  return cuts.flatMap(({ historyCount, lastIndex }): Compactions => {
    const [messageIndex, place] = [ends[historyCount - 1], ends[lastIndex]];
    if (messageIndex === undefined || place === undefined || place >= messageIndex) return [];
    return [{ kind: 'full', messageIndex, firstKeptMessageIndex: place }];
  });
}

/** The newest compaction by Cline, whose messages stay whole: a file beside them tells it. */
function keptBeside({ messages, ends }: Placed, { name, surroundings }: SourceFile): Compactions {
  const [, stem] = MESSAGES.exec(name) ?? [];
  const beside = surroundings
    .filesIn({ up: 0, names: [] })
    .find((file) => stem !== undefined && file.name === `${stem}.compaction.json`);
  const state = fieldsOf(parseJson(beside?.readText() ?? ''));
  const after = objectsIn(state['messages']);
  const summary = after.find(({ metadata }) => fieldsOf(metadata)['kind'] === SUMMARY);
  const messageIndex = ends[(toTokens(state['source_message_count']) ?? 0) - 1];
  if (summary === undefined || messageIndex === undefined) return [];
  const keptId = after.flatMap(({ id }) => toId(id) ?? [])[0];
  const first = messages.findIndex(({ id }) => keptId !== undefined && id === keptId);
  const told = summaryFields(fieldsOf(summary['metadata']), summary['content']);
  const kept = keptFrom(ends[first - 1], messageIndex);
  return [{ kind: 'full', messageIndex, ...known(told), ...kept }];
}

/** A compaction that keeps prompts and answers, as messages report it, happened after the last of them. */
function thinningsOf({ messages, ends }: Placed): Compactions {
  const metadata = messages.map((message) => fieldsOf(message['metadata']));
  const told = metadata.findLast(({ kind }) => kind === 'compaction');
  const messageIndex = ends[metadata.findLastIndex(({ compaction }) => compaction === 'preserved')];
  if (told === undefined || !messageIndex) return [];
  const reason = toText(told['reason']);
  const trigger = reason?.startsWith('manual') ? 'manual' : 'auto';
  return [{ kind: 'full', ...(reason !== undefined && { trigger }), messageIndex }];
}

/** Gives the requests of the screen to steps without a usage: in order if there are as many, else by time. */
function addUsages(recording: Recording, { requests }: Screen): void {
  const steps = recording.end().filter(({ role }) => role === 'assistant');
  const isPaired = steps.length === requests.length;
  let lastMs = 0;
  for (const [index, step] of steps.entries()) {
    const request = isPaired
      ? requests[index]
      : requests.findLast(({ sentMs }) => sentMs > lastMs && sentMs <= step.createdAt);
    step.usage ??= request?.usage;
    lastMs = Math.max(lastMs, step.createdAt);
  }
}
