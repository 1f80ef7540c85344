import type { Usage } from '../../../engine/index.ts';
import { known } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Calls, createCalls } from '../reading/calls.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';
import { contextTokensOf, type RecordedCompaction } from '../session.ts';
import * as rollout from './codex-records.ts';

type Summary = Pick<RecordedCompaction, 'summary' | 'summaryUsage'>;

interface Reading {
  readonly recording: Recording;
  readonly calls: Calls;
  readonly fillers: ReadonlySet<unknown>;
  /** Typed texts as the screen showed them. */
  readonly typedTexts: ReadonlySet<unknown>;
  step?: made.DraftMessage | undefined;
  isStepOpen: boolean;
  lastUsage?: Usage | undefined;
  readonly provider: string;
  model?: string;
  totalTokens?: number | undefined;
  isPartial: boolean;
}

const OUTPUTS = kit.wordsIn('custom_tool_call_output function_call_output tool_search_output');

const CALLS: ReadonlyMap<unknown, string> = new Map([
  ['custom_tool_call', 'unknown'],
  ['function_call', 'unknown'],
  ['image_generation_call', 'image_generation'],
  ['local_shell_call', 'local_shell'],
  ['tool_search_call', 'tool_search'],
  ['web_search_call', 'web_search'],
]);

/** Calls that the provider answers itself; their results are neither recorded nor sent again. */
const ANSWERED_BY_PROVIDER = kit.wordsIn('image_generation_call web_search_call');
const OPAQUE = kit.wordsIn('compaction compaction_summary context_compaction ghost_snapshot');
const SPAWN_TOOL = 'spawn_agent';
const SPAWN_EVENT = 'collab_agent_spawn_end';

/** How items count their blocks, and place what was injected. */
export const CODEX_BLOCKS = { atPrompt: 'in-front', reason: 'unknown content block' } as const;

/** Rollouts of Codex: items of the conversation, with events and settings between. */
export const codex: SessionFormat = {
  label: 'Codex rollout (JSON lines)',
  detect: (file) =>
    kit.hasLines(file, rollout.isRolloutLine, (line) =>
      rollout.isConversation(rollout.toRecord(line)),
    ),
  read: readRecording({ empty: 'a rollout without messages', ...CODEX_BLOCKS }, readRollout),
  datesCopies: true,
};

/** Reads the records of a rollout, or bare items, in order. Gives what they say of the session. */
export function readConversation(
  recording: Recording,
  records: readonly rollout.CodexRecord[],
  fillers: ReadonlySet<unknown> = new Set(),
): Pick<Facts, 'isPartial' | 'model'> {
  const calls = createCalls(recording);
  const typed = records.filter(({ payload }) => payload['type'] === 'user_message');
  const reading: Reading = {
    recording,
    calls,
    fillers,
    typedTexts: new Set(typed.map(({ payload }) => payload['message'])),
    isStepOpen: false,
    provider: kit.toText(metaOf(records)['model_provider']) ?? 'openai',
    isPartial: false,
  };
  for (const record of records) readRecord(reading, record);
  calls.end();
  return { isPartial: reading.isPartial || recording.beginsWithStep(), model: reading.model };
}

/** The first settings of a file; later ones belong to a forked thread or a resumption. */
function metaOf(records: readonly rollout.CodexRecord[]) {
  return records.find(({ type }) => type === 'session_meta')?.payload ?? {};
}

function readRollout(recording: Recording, file: SourceFile): Facts {
  const lines = recording.readLines(file.lines());
  const { expand, fillers } = rollout.createExpander(recording.tally);
  const isRedacted = file.text.includes(rollout.REDACTED);
  const records = lines.map(rollout.toRecord).map(({ payload, ...record }) => ({
    ...record,
    payload: isRedacted ? kit.fieldsOf(expand(payload)) : payload,
  }));
  const { id, parent_thread_id, source, base_instructions: base, ...meta } = metaOf(records);
  const parentSessionId = kit.toId(parent_thread_id);
  return {
    sessionId: kit.toId(id),
    // A fork by a person (`forked_from_id`) is no sub-agent.
    isSide: parentSessionId !== undefined || kit.fieldsOf(source)['subagent'] !== undefined,
    parentSessionId,
    system: kit.toId(kit.textOf(base) || meta['instructions']),
    release: kit.toRelease(meta['cli_version']),
    findSideIds: made.findByCallId(findSpawned(records)),
    ...readConversation(recording, records, fillers),
    isOutputFinal: true,
  };
}

function readRecord(reading: Reading, record: rollout.CodexRecord) {
  const { type, payload } = record;
  const { model } = payload;
  const isOfTurn = type === 'turn_context' || type === 'response_item';
  if (isOfTurn && typeof model === 'string') reading.model = `${reading.provider}/${model}`;
  noteWindow(reading, payload);
  if (type === 'response_item') readItem(reading, record);
  else if (type === 'event_msg') readEvent(reading, payload);
  else if (type === 'compacted') readCompacted(reading, payload);
  else if (!rollout.isKnownLine(record)) reading.recording.tally.dropUnknown(type);
}

function noteWindow({ recording, step }: Reading, payload: kit.Fields) {
  const { model_context_window: ofTurn, info } = payload;
  const { drafts } = recording;
  const isOfStep = isObject(info) && step !== undefined && drafts.at(-1) === step;
  const contextTokens = kit.toTokens(kit.valueAt(info, 'model_context_window') ?? ofTurn);
  recording.addWindow(contextTokens, drafts.length - (isOfStep ? 1 : 0));
}

function readItem(reading: Reading, { type: lineType, time, payload }: rollout.CodexRecord) {
  const { recording, calls } = reading;
  const { type, call_id: id, message, content = message, summary } = payload;
  const role = kit.toText(payload['role']);
  if (role === 'user') readUser(reading, time, payload);
  else if (role === 'assistant') write(reading, time, recording.partsOf(content));
  else if (role !== undefined || type === 'agent_message') {
    for (const { text } of kit.blocksOf(content)) recording.inject(kit.toText(text) ?? '');
  } else if (type === 'reasoning') {
    const thoughts = kit.blocksOf([...kit.toList(summary), ...kit.toList(content)]);
    const blocks = thoughts.map(({ text }) => ({ thinking: kit.toText(text) ?? '' }));
    write(reading, time, recording.partsOf(blocks));
  } else if (CALLS.has(type)) readCall(reading, time, payload);
  else if (OUTPUTS.has(type)) {
    reading.isStepOpen = false;
    calls.finish({ id, content: outputOf(payload) });
  } else if (!OPAQUE.has(type)) recording.tally.dropUnknown(type ?? lineType);
}

function outputOf({ tools, output = tools }: kit.Fields) {
  const pieces = kit.blocksOf(output).map((piece) => ({ type: 'piece', ...piece }));
  const isContent = pieces.some((piece) => 'text' in piece || 'image_url' in piece);
  return isContent ? pieces : toJsonText(output ?? undefined);
}

/** Reads a user message; a redacted text is injected unless the screen showed it as typed. */
function readUser(reading: Reading, createdAt: number, payload: kit.Fields) {
  const { recording, fillers, typedTexts } = reading;
  const { id, message, content = message } = payload;
  const isInjected = ({ text }: kit.Fields) => {
    if (typeof text !== 'string') return false;
    return fillers.has(text) ? !typedTexts.has(text) : rollout.isInjectedText(text);
  };
  const pieces = kit.blocksOf(content);
  const parts = pieces.flatMap((piece) => {
    const read = recording.partsOf([piece]);
    return isInjected(piece) ? read.map(kit.asInjected) : read;
  });
  if (pieces.every(isInjected)) {
    for (const part of parts) recording.inject(part);
    return;
  }
  endTurn(reading);
  recording.addPrompt({ recordedId: kit.toId(id), createdAt, parts });
}

function endTurn(reading: Reading) {
  reading.step = undefined;
  reading.isStepOpen = false;
}

function write(reading: Reading, time: number, parts: readonly kit.DraftPart[]) {
  const step = openStep(reading, time);
  for (const part of parts) step.parts.push(part);
}

function openStep(reading: Reading, createdAt: number) {
  if (reading.step !== undefined && reading.isStepOpen) return reading.step;
  reading.step = reading.recording.addStep({ createdAt, parts: [], model: reading.model });
  reading.isStepOpen = true;
  return reading.step;
}

function readCall(reading: Reading, time: number, payload: kit.Fields) {
  const { recording, calls } = reading;
  const { type, call_id: id, name, result } = payload;
  const usual = kit.toText(kit.valueAt(payload, 'function.name')) ?? CALLS.get(type) ?? 'unknown';
  const [callId, tool] = [kit.toId(id), kit.toText(name) ?? usual];
  calls.add(openStep(reading, time), { callId, tool, input: inputOf(reading, payload) });
  if (!ANSWERED_BY_PROVIDER.has(type)) return;
  const url = `data:image/png;base64,${kit.toText(result)}`;
  const image = { type: 'file', id: '', mime: 'image/png', url } as const;
  const attachments = typeof result === 'string' ? [image] : [];
  recording.finishCall({ key: callId, tool, output: '', attachments });
}

/** The input of a call; free text stays one where it is no JSON. */
function inputOf({ recording, fillers }: Reading, { arguments: args, input, action }: kit.Fields) {
  if (fillers.has(args)) return args;
  if (typeof args === 'string' && input === undefined) return kit.toInput(args, recording.tally);
  const written = args ?? input ?? action ?? {};
  return typeof written === 'string' ? (parseJson(written) ?? written) : written;
}

/** Reads counts, compactions, interruptions and rollbacks; other events repeat items. */
function readEvent(reading: Reading, { type, info, num_turns: turns }: kit.Fields): void {
  if (type === 'token_count') readCount(reading, info);
  else if (type === 'context_compacted') addCompaction(reading, {});
  else if (type === 'turn_aborted') readAbort(reading);
  else if (type === 'thread_rolled_back') rollBack(reading, typeof turns === 'number' ? turns : 0);
}

function readCount(reading: Reading, info: unknown) {
  // Nothing was sent where the input is zero, as after a compaction.
  const counts = made.countsIn(kit.valueAt(info, 'last_token_usage'));
  const usage = (counts.input ?? 0) > 0 ? made.splitCount(counts) : undefined;
  const totalTokens = kit.toTokens(kit.valueAt(info, 'total_token_usage.total_tokens'));
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
function addCompaction(reading: Reading, told: Summary) {
  const { recording, lastUsage } = reading;
  const { compactions, drafts } = recording;
  endTurn(reading);
  const isTold = drafts.length > 0 && compactions.at(-1)?.messageIndex === drafts.length;
  const last = isTold ? compactions.pop() : undefined;
  const tokensBefore = lastUsage && contextTokensOf(lastUsage);
  recording.addCompaction({ tokensBefore, ...last, ...told });
}

function readAbort(reading: Reading) {
  const { recording, step, isStepOpen } = reading;
  if (step !== undefined && isStepOpen && recording.drafts.at(-1) === step)
    step.error = { name: 'MessageAbortedError', message: 'Aborted' };
  endTurn(reading);
}

function rollBack(reading: Reading, turns: number) {
  const { recording } = reading;
  const { drafts, compactions, windows, tally } = recording;
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
  noteLastUsage(reading);
}

/** Parts that the program wrote before the first prompt; it writes them once, and they belong to no turn. */
function preludeOf([first]: readonly made.DraftMessage[]) {
  const { parts = [] } = first ?? {};
  const typed = parts.findIndex((part) => part.type !== 'text' || part.synthetic !== true);
  return typed < 0 ? parts : parts.slice(0, typed);
}

function noteLastUsage(reading: Reading) {
  const { drafts } = reading.recording;
  reading.lastUsage = drafts.findLast(({ usage }) => usage !== undefined)?.usage;
}

function readCompacted(reading: Reading, payload: kit.Fields) {
  const { recording } = reading;
  const text = kit.toText(payload['message']) ?? '';
  if (recording.drafts.length > 0) {
    const summaryUsage = takeSummaryAnswer(reading, text);
    return addCompaction(reading, known({ summary: text || undefined, summaryUsage }));
  }
  reading.isPartial = true;
  recording.inject(text);
  for (const { content } of kit.objectsIn(payload['replacement_history'])) {
    for (const block of kit.blocksOf(content)) recording.inject(kit.toText(block['text']) ?? '');
  }
}

/** Removes the answer that a summary was made of, which later releases record like any other; gives its usage. */
function takeSummaryAnswer(reading: Reading, summary: string) {
  const { drafts, compactions } = reading.recording;
  const last = drafts.at(-1);
  const parts = last?.parts ?? [];
  const isCalling = parts.some(({ type }) => type === 'tool');
  const text = parts
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n')
    .trim();
  const isWritten = last?.role === 'assistant' && !isCalling && text !== '';
  if (!isWritten || !summary.trimEnd().endsWith(text)) return undefined;
  if (compactions.at(-1)?.messageIndex === drafts.length) compactions.pop();
  drafts.pop();
  noteLastUsage(reading);
  return last.usage && made.withoutMark(last.usage);
}

function findSpawned(records: readonly rollout.CodexRecord[]) {
  const spawned = new Map<string, readonly string[]>();
  const callIds = new Set<string>();
  for (const { type, payload } of records) {
    const { name, output, new_thread_id: ofEvent } = payload;
    const callId = kit.toId(payload['call_id']);
    if (callId === undefined) continue;
    const isItem = type === 'response_item';
    if (isItem && name === SPAWN_TOOL) callIds.add(callId);
    const isAnswer = isItem && OUTPUTS.has(payload['type']) && callIds.has(callId);
    const isTold = type === 'event_msg' && payload['type'] === SPAWN_EVENT;
    const ofOutput = isAnswer ? kit.valueAt(parseJson(kit.textOf(output)), 'agent_id') : undefined;
    const threadId = isTold ? kit.toId(ofEvent) : kit.toText(ofOutput);
    if (threadId !== undefined && !spawned.has(callId)) spawned.set(callId, [threadId]);
  }
  return spawned;
}
