import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';
import {
  condenseIdsIn,
  findCompactions,
  isOfProgram,
  readScreen,
  requestsOn,
  SUMMARY,
  summaryFields,
  summaryOf,
} from './cline-compactions.ts';

const RESULT_START = /^\[([\w-]+)(?: for .*?)?\] Result:\s*/s;
const TASK_START = '<task>';
const SILENT = kit.wordsIn('redacted_thinking tool_result tool_use');

/** Sessions of Cline and Roo Code: messages with their session, or a bare history. */
export const cline: SessionFormat = {
  label: 'Cline or Roo Code session (JSON)',
  certainty: 'shape',
  readsAround: true,
  detect: (file) => findSession(file) !== undefined,
  read: readRecording(
    {
      empty: 'a Cline session without messages',
      silent: SILENT,
      reason: 'unknown content block',
    },
    readSession,
  ),
};

function findSession(file: SourceFile) {
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

function readSession(recording: Recording, file: SourceFile): Facts {
  const { messages: values, sessionId, system_prompt: system } = findSession(file) ?? {};
  const messages = recording.readObjects(values, 'message without a role', isMessage);
  const condenseIds = condenseIdsIn(messages);
  const ends: number[] = [];
  let isPartial = false;
  for (const message of messages) {
    isPartial = readMessage(recording, message, condenseIds) || isPartial;
    ends.push(recording.drafts.length);
  }
  const screen = readScreen(file);
  recording.compactions.push(...findCompactions(recording, { file, messages, ends, screen }));
  addUsages(recording, screen);
  return {
    sessionId: kit.toText(sessionId),
    system: kit.toText(system),
    isPartial,
    isOutputFinal: true,
  };
}

/** Returns true if it says that earlier messages are missing. */
function readMessage(recording: Recording, message: kit.Fields, condenseIds: ReadonlySet<unknown>) {
  const { role, content, condenseId, isTruncationMarker, isSummary } = message;
  const { kind, ...metadata } = kit.fieldsOf(message['metadata']);
  if (kind === SUMMARY && recording.drafts.length > 0) {
    recording.addCompaction(summaryFields(metadata, content));
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
  const { type, text, thinking = text, path, content, source, mediaType } = block;
  if (type === 'thinking' || type === 'reasoning') return { type, thinking };
  if (type === 'file')
    return { type, text: `${kit.toText(path) ?? ''}\n${kit.toText(content) ?? ''}` };
  if (type !== 'image') return { type, text };
  const { media_type: mime = 'image/png', data: held = '', url } = kit.fieldsOf(source);
  const mimeType = mediaType ?? mime;
  return { type, url, data: block['data'] ?? held, mimeType, mime_type: mimeType };
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

function writtenResultsIn(blocks: readonly kit.Fields[]) {
  const results: { tool: string; blocks: kit.Fields[] }[] = [];
  for (const block of blocks) {
    const { type = 'text', text } = block;
    const tool = RESULT_START.exec(kit.toText(text) ?? '')?.[1];
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
function addUsages(recording: Recording, screen: readonly kit.Fields[]) {
  const requests = requestsOn(screen);
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
