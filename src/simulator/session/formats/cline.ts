import { known } from '../../lib/collections.ts';
import { parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readFound, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';
import { isScreenMessage, REQUEST, resizeOf, sizesIn, usageOfRequest } from './cline-ui.ts';

interface Task {
  readonly file: SourceFile;
  readonly messages: kit.Objects;
  readonly ends: readonly number[];
  readonly screen: kit.Objects;
}

type Compactions = readonly RecordedCompaction[];

const FILE = 'ui_messages.json';
const MESSAGES = /([^/\\]+)\.messages\.json$/;
/** The start of a notice about the compaction behind it, and of what the program tells about the editor. */
const PROGRAM_STARTS = /^<(?:SYSTEM_NOTICE|environment_details)>/;
const SUMMARY = 'compaction_summary';

/**
 * Messages that stay behind a summary of the assistant's; a summary of the user's is the last message at its time. Source: Roo Code,
 * `src/core/condense/index.ts`, `N_MESSAGES_TO_KEEP`.
 */
const KEPT_BEHIND_SUMMARY = 3;
const RESULT_START = /^\[([\w-]+)(?: for .*?)?\] Result:\s*/s;
const TASK_START = '<task>';

/** Sessions of Cline and Roo Code: messages with their session, or a bare history. */
export const cline: SessionFormat = {
  label: 'Cline or Roo Code session (JSON)',
  certainty: 'shape',
  readsAround: true,
  ...readFound(
    findSession,
    {
      empty: 'a Cline session without messages',
      silent: kit.wordsIn('redacted_thinking tool_result tool_use'),
      reason: 'unknown content block',
    },
    readSession,
  ),
};

function findSession(file: SourceFile): kit.Fields | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isHistory(document[0]) ? { messages: document } : undefined;
  const { messages, sessionId, agent } = kit.fieldsOf(document);
  if (typeof sessionId !== 'string' || typeof agent !== 'string') return undefined;
  const isOwn = Array.isArray(messages) && (messages.length === 0 || isMessage(messages[0]));
  return isOwn ? kit.fieldsOf(document) : undefined;
}

function isMessage(value: unknown): value is kit.Fields {
  const { role } = kit.fieldsOf(value);
  return role === 'user' || role === 'assistant';
}

/** Recognizes a history by the time of its first message, or by the task that the program names in it. */
function isHistory(first: unknown): boolean {
  if (!isMessage(first) || !('content' in first)) return false;
  const texts = first['role'] === 'user' ? kit.blocksOf(first['content']) : [];
  return (
    typeof first['ts'] === 'number' ||
    texts.some(({ text }) => kit.toText(text)?.startsWith(TASK_START))
  );
}

function readSession(recording: Recording, session: kit.Fields, file: SourceFile): Facts {
  const { messages: values, sessionId: id, system_prompt: system } = session;
  const messages = recording.readObjects(values, kit.NO_ROLE, isMessage);
  const condenseIds = condenseIdsIn(messages);
  const ends: number[] = [];
  let isPartial = false;
  for (const message of messages) {
    isPartial = readMessage(recording, message, condenseIds) || isPartial;
    ends.push(recording.drafts.length);
  }
  const beside = file.surroundings.filesIn({ up: 0, names: [] }).find(({ name }) => name === FILE);
  const screen = kit.objectsIn(parseJson(beside?.readText() ?? '')).filter(isScreenMessage);
  const task = { file, messages, ends, screen };
  recording.compactions.push(
    ...condensationsOf(task),
    ...truncationsOf(recording, task),
    ...cutsOf(task),
    ...keptBeside(task),
    ...thinningsOf(task),
  );
  addUsages(recording, screen);
  return { sessionId: id, system, isPartial, isOutputFinal: true };
}

function readMessage(recording: Recording, message: kit.Fields, condenseIds: ReadonlySet<unknown>) {
  const { role, content, condenseId, isTruncationMarker, isSummary } = message;
  const { kind, ...metadata } = kit.fieldsOf(message['metadata']);
  if (kind === SUMMARY && recording.drafts.length > 0) {
    const { tokensBefore, summary } = summaryFields(metadata, content);
    recording.addCompaction({ tokensBefore, summary });
  } else if (kind === SUMMARY) {
    // One before all messages is only the start of the session.
    recording.inject(kit.outputText(content));
    return true;
  } else if (isTruncationMarker === true) return false;
  else if (isSummary === true) {
    // A summary of messages that are still recorded is left out; another stands in for them.
    if (condenseIds.has(condenseId)) return false;
    recording.inject(summaryOf(message));
    return true;
  } else if (role === 'assistant') readStep(recording, message);
  else readUser(recording, message);
  return kind === 'compaction';
}

function readStep(recording: Recording, message: kit.Fields) {
  const { id, ts: time, content, metrics, modelInfo } = message;
  const model = kit.toId(kit.valueAt(modelInfo, 'id modelId'));
  const provider = kit.toText(kit.valueAt(modelInfo, 'provider providerId'));
  recording.readStep({
    id,
    time,
    content: kit.blocksOf(content).map(toBlock),
    model: model && `${provider ?? 'unknown'}/${model}`,
    usage: splitCount(metrics),
    calls: kit.blocksOf(content).filter(({ type }) => type === 'tool_use'),
  });
}

function toBlock(block: kit.Fields) {
  const { type, text, thinking = text, path, content } = block;
  if (type === 'thinking' || type === 'reasoning') return { type, thinking };
  if (type === 'file') return { type, text: `${kit.orEmpty(path)}\n${kit.orEmpty(content)}` };
  return type === 'image' ? block : { type, text };
}

/** A message with results opens no turn; the program wrote its other parts. */
function readUser(recording: Recording, { content, ts, id }: kit.Fields) {
  const blocks = kit.blocksOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const { tool_use_id: callId, content: told, is_error: isError } of results) {
    const isTyped = kit.objectsIn(told).every(({ type }) => type !== undefined);
    const output = Array.isArray(told) && isTyped ? kit.blocksOf(told).map(toBlock) : told;
    recording.readResult({ id: callId, content: output, isError });
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
        .map((part) => (isMarked ? kit.asInjected(part) : part));
    });
  if (results.length + written.length > 0) {
    for (const part of parts) recording.inject(kit.asInjected(part));
  } else recording.addPrompt({ createdAt: kit.toTime(ts), recordedId: kit.toId(id), parts });
}

function writtenResultsIn(blocks: kit.Objects) {
  const results: { tool: string; blocks: kit.Fields[] }[] = [];
  for (const block of blocks) {
    const { type = 'text', text } = block;
    const tool = RESULT_START.exec(kit.orEmpty(text))?.[1];
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
    const output = kit.textOf(blocks).replace(RESULT_START, '').trim();
    recording.readResult({ name: tool, content: blocks.map(toBlock), output });
  }
}

/** Gives the requests of the screen to steps without a usage: in order if there are as many, else by time. */
function addUsages(recording: Recording, screen: kit.Objects) {
  const requests = screen.flatMap((message) => {
    const usage = message['say'] === REQUEST ? usageOfRequest(message) : undefined;
    return usage === undefined ? [] : [{ sentMs: Number(message['ts']), usage }];
  });
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

function condenseIdsIn(messages: kit.Objects): ReadonlySet<unknown> {
  return new Set(messages.flatMap(({ condenseParent: id }) => kit.toId(id) ?? []));
}

function summaryFields({ summary, tokensBefore }: kit.Fields, content: unknown) {
  return {
    summary: kit.toText(summary) ?? kit.outputText(content),
    tokensBefore: kit.toTokens(tokensBefore),
  };
}

function summaryOf({ content }: kit.Fields): string {
  const texts = kit.blocksOf(content).filter(({ type = 'text' }) => type === 'text');
  return kit.textOf(texts.filter(({ text }) => !isOfProgram(text)));
}

function isOfProgram(text: unknown): boolean {
  return PROGRAM_STARTS.test(kit.orEmpty(text));
}

function condensationsOf(task: Task): Compactions {
  const { messages, ends } = task;
  const condenseIds = condenseIdsIn(messages);
  return messages.flatMap((message, index): Compactions => {
    const { isSummary, condenseId: id, role } = message;
    const place = ends[index] ?? 0;
    if (isSummary !== true || !condenseIds.has(id) || place === 0) return [];
    const keptCount = role === 'assistant' ? KEPT_BEHIND_SUMMARY : 0;
    const messageIndex = ends[Math.min(index + keptCount, ends.length - 1)] ?? place;
    const told = { ...sizesIn(noticeOf(task, id)), summary: summaryOf(message) };
    return [{ kind: 'full', messageIndex, ...told, ...keptFrom(place, messageIndex) }];
  });
}

function noticeOf({ screen }: Task, id: unknown): kit.Fields {
  return (
    screen.findLast((message) => {
      const { condenseId, truncationId } = resizeOf(message);
      return kit.toId(condenseId ?? truncationId) === id;
    }) ?? {}
  );
}

function keptFrom(place: number | undefined, messageIndex: number) {
  return place !== undefined && place < messageIndex && { firstKeptMessageIndex: place };
}

/** Where the screen does not tell when, as many messages stayed as were hidden. */
function truncationsOf({ tally, drafts }: Recording, task: Task): Compactions {
  const { messages, ends } = task;
  return messages.flatMap(({ isTruncationMarker, truncationId }, index): Compactions => {
    if (isTruncationMarker !== true) return [];
    const id = kit.toId(truncationId);
    const hidden = messages.filter(({ truncationParent: parent }) => parent === id).length;
    const place = ends[index] ?? 0;
    if (id === undefined || hidden === 0 || place === 0) {
      tally.drop('truncation marker');
      return [];
    }
    const notice = noticeOf(task, id);
    const { ts: toldMs } = notice;
    const messageIndex =
      typeof toldMs === 'number'
        ? drafts.filter(({ createdAt }) => createdAt < toldMs).length
        : (ends[Math.min(index + hidden, ends.length - 1)] ?? place);
    const told = { ...sizesIn(notice), ...keptFrom(place, messageIndex) };
    return [{ kind: 'full', trigger: 'auto', messageIndex, ...told }];
  });
}

/** The truncations by Cline: only the screen tells the range of messages that requests leave out from then on. */
function cutsOf({ ends, screen }: Task): Compactions {
  let last = -1;
  return screen.flatMap((message): Compactions => {
    const [, lastIndex] = kit.toList(message['conversationHistoryDeletedRange']);
    const index = kit.toTokens(message['conversationHistoryIndex']);
    if (typeof lastIndex !== 'number' || lastIndex <= last || index === undefined) return [];
    last = lastIndex;
    const [messageIndex, place] = [ends[index], ends[lastIndex]];
    if (messageIndex === undefined || place === undefined || place >= messageIndex) return [];
    return [{ kind: 'full', messageIndex, firstKeptMessageIndex: place }];
  });
}

/** The newest compaction by Cline, whose messages stay whole: a file beside them tells it. */
function keptBeside({ messages, ends, file: { name, surroundings } }: Task): Compactions {
  const [, stem] = MESSAGES.exec(name) ?? [];
  const beside = surroundings
    .filesIn({ up: 0, names: [] })
    .find((file) => stem !== undefined && file.name === `${stem}.compaction.json`);
  const state = kit.fieldsOf(parseJson(beside?.readText() ?? ''));
  const after = kit.objectsIn(state['messages']);
  const summary = after.find(({ metadata }) => kit.fieldsOf(metadata)['kind'] === SUMMARY);
  const messageIndex = ends[(kit.toTokens(state['source_message_count']) ?? 0) - 1];
  if (summary === undefined || messageIndex === undefined) return [];
  const keptId = after.flatMap(({ id }) => kit.toId(id) ?? [])[0];
  const first = messages.findIndex(({ id }) => keptId !== undefined && id === keptId);
  const told = summaryFields(kit.fieldsOf(summary['metadata']), summary['content']);
  const kept = keptFrom(ends[first - 1], messageIndex);
  return [{ kind: 'full', messageIndex, ...known(told), ...kept }];
}

/** A compaction that keeps prompts and answers, as messages report it, happened after the last of them. */
function thinningsOf({ messages, ends }: Task): Compactions {
  const metadata = messages.map((message) => kit.fieldsOf(message['metadata']));
  const told = metadata.findLast(({ kind }) => kind === 'compaction');
  const messageIndex = ends[metadata.findLastIndex(({ compaction }) => compaction === 'preserved')];
  if (told === undefined || !messageIndex) return [];
  const reason = kit.toText(told['reason']);
  const trigger = reason?.startsWith('manual') ? 'manual' : 'auto';
  return [{ kind: 'full', ...(reason !== undefined && { trigger }), messageIndex }];
}
