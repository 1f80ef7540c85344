import { known } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';
import { contextTokensOf, type RecordedCompaction } from '../session.ts';

/** A line of a rollout: an item that the model saw, an event, or settings. */
export interface CodexRecord {
  readonly type: unknown;
  /** Time in ms; 0 if unknown. */
  readonly time: number;
  readonly payload: kit.Fields;
}

type Summary = Pick<RecordedCompaction, 'summary' | 'summaryUsage'>;

interface Reading {
  readonly recording: Recording;
  readonly fillers: ReadonlySet<unknown>;
  /** Typed texts as the screen showed them. */
  readonly typedTexts: ReadonlySet<unknown>;
  step?: made.DraftMessage | undefined;
  isStepOpen: boolean;
  readonly provider: string;
  model?: string;
  totalTokens?: number | undefined;
  isPartial: boolean;
}

const ENVELOPES = kit.wordsIn(`
  compacted event_msg inter_agent_communication_metadata response_item session_meta
  token_usage_record turn_context world_state`);

const PIECES = kit.wordsIn('input_text output_text');

const REDACTED = '[REDACTED_';
const MARKER = /^\[REDACTED_[A-Z_\d]+ len=(\d{1,9}) sha=([\da-f]{1,64})\]$/;
const FILLER =
  'the water in the kettle is still cold and nobody has found the lid; look for it below the sink, ' +
  'then fill it again, close the lid, switch it on and wait until it whistles before you pour. ';
const MAX_CHARS = 30_000_000;
const MAX_CHARS_IN_ALL = 100_000_000;
const MAX_DEPTH = 10;

const INJECTED =
  /^\s*(?:# AGENTS\.md instructions|<\/image>|<(?:INSTRUCTIONS|apps_instructions|collaboration_mode|environment_context|environments_instructions|goal_context|model_switch|permissions instructions|permissions|personality_spec|plugins_instructions|realtime_conversation|skill|skills_instructions|subagent_notification|turn_aborted|user_instructions|user_shell_command)>|<hook_prompt|<image)/;

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
/** Bytes of encrypted reasoning besides its text, by Codex's estimate. Source: openai/codex#7113 and runs of 0.79.0 and 0.171.0. */
const SEAL_BYTES = 650;
/** That estimate by reported tokens, where it is redacted. Source: 706 answers of 0.77.0 and 0.125.0, recorded with both. */
const SEALED = { share: 1.1, tokens: 27 };
const SPAWN_TOOL = 'spawn_agent';
const SPAWN_EVENT = 'collab_agent_spawn_end';

/** How items count their blocks, and place what was injected. */
export const CODEX_BLOCKS = { atPrompt: 'in-front', reason: 'unknown content block' } as const;

/** Rollouts of Codex: items of the conversation, with events and settings between. */
export const codex: SessionFormat = {
  label: 'Codex rollout (JSON lines)',
  detect: (file) => kit.hasLines(file, isRolloutLine, (line) => isConversation(toRecord(line))),
  read: readRecording({ empty: 'a rollout without messages', ...CODEX_BLOCKS }, readRollout),
  datesCopies: true,
};

/** Reads the records of a rollout, or bare items, in order. Gives what they say of the session. */
export function readConversation(
  recording: Recording,
  records: readonly CodexRecord[],
  fillers: ReadonlySet<unknown> = new Set(),
): Pick<Facts, 'isPartial' | 'model'> {
  const typed = records.filter(({ payload }) => payload['type'] === 'user_message');
  const reading: Reading = {
    recording,
    fillers,
    typedTexts: new Set(typed.map(({ payload }) => payload['message'])),
    isStepOpen: false,
    provider: kit.toText(metaOf(records)['model_provider']) ?? 'openai',
    isPartial: false,
  };
  for (const record of records) readRecord(reading, record);
  return { isPartial: reading.isPartial || recording.beginsWithStep(), model: reading.model };
}

/** The record of a line. Old lines are items without an envelope. */
export function toRecord(line: kit.Fields): CodexRecord {
  const { type, payload, role, id, record_type: named } = line;
  const time = kit.toLocalTime(kit.toText(line['timestamp'] ?? line['created_at']));
  if (isObject(payload)) return { type, time, payload };
  const isItem = kit.toText(type) !== undefined || kit.toText(role) !== undefined || !kit.toId(id);
  const usual = isItem ? 'response_item' : 'session_meta';
  return { type: kit.toText(named) ?? usual, time, payload: line };
}

/** Recognizes lines that no other recorder writes. */
export function isRolloutLine(line: unknown): boolean {
  const { type, payload, content } = kit.fieldsOf(line);
  if (isObject(payload)) return ENVELOPES.has(type);
  return type === 'message' && kit.blocksOf(content).some((piece) => PIECES.has(piece['type']));
}

/** Recognizes messages and calls. */
export function isConversation({ type: lineType, payload }: CodexRecord): boolean {
  const { role, type } = payload;
  const isCall = kit.toText(type)?.endsWith('_call') === true;
  return lineType === 'response_item' && (role === 'user' || role === 'assistant' || isCall);
}

/** The first settings of a file; later ones belong to a forked thread or a resumption. */
function metaOf(records: readonly CodexRecord[]) {
  return records.find(({ type }) => type === 'session_meta')?.payload ?? {};
}

function readRollout(recording: Recording, file: SourceFile): Facts {
  const lines = recording.readLines(file.lines());
  const { expand, fillers } = createExpander(recording.tally);
  const isRedacted = file.text.includes(REDACTED);
  const records = lines.map(toRecord).map(({ payload, ...record }) => ({
    ...record,
    payload: isRedacted ? kit.fieldsOf(expand(payload)) : payload,
  }));
  const { id, parent_thread_id, source, base_instructions: base, ...meta } = metaOf(records);
  return {
    sessionId: id,
    // A fork by a person (`forked_from_id`) is no sub-agent.
    isSide:
      kit.toId(parent_thread_id) !== undefined || kit.fieldsOf(source)['subagent'] !== undefined,
    parentSessionId: parent_thread_id,
    system: kit.textOf(base) || meta['instructions'],
    release: kit.toRelease(meta['cli_version']),
    findSideIds: made.findByCallId(findSpawned(records)),
    ...readConversation(recording, records, fillers),
    isOutputFinal: true,
  };
}

/** Restores texts, equal ones by equal fillers; those above the limits stay unchanged. */
function createExpander(tally: kit.Tally) {
  const known = new Map<string, string>();
  const fillers = new Set<unknown>();
  let charsInAll = 0;
  const fillerOf = (text: string) => {
    const [, length, sha = ''] = MARKER.exec(text) ?? [];
    if (length === undefined) return text;
    const key = `${length} ${sha}`;
    const chars = Number(length);
    const isTooLong = chars > MAX_CHARS || charsInAll + chars > MAX_CHARS_IN_ALL;
    if (isTooLong && !known.has(key)) tally.drop('redacted text that is too long');
    else if (!known.has(key)) {
      charsInAll += chars;
      known.set(key, fill(chars, sha));
    }
    const filler = known.get(key) ?? text;
    fillers.add(filler);
    return filler;
  };
  const expand = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return fillerOf(value);
    if (depth === 0 || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => expand(each, depth - 1));
    const entries = Object.entries(value).map(([key, each]) => [key, expand(each, depth - 1)]);
    return Object.fromEntries(entries);
  };
  return { expand: (value: unknown) => expand(value, MAX_DEPTH), fillers };
}

function fill(chars: number, sha: string) {
  const start = Number.parseInt(sha.slice(0, 8), 16) % FILLER.length;
  const rest = FILLER.repeat(Math.ceil((chars + start) / FILLER.length)).slice(start);
  return `${sha} ${rest}`.slice(0, chars);
}

function readRecord(reading: Reading, record: CodexRecord) {
  const { type, payload } = record;
  const { model } = payload;
  const isOfTurn = type === 'turn_context' || type === 'response_item';
  if (isOfTurn && typeof model === 'string') reading.model = `${reading.provider}/${model}`;
  noteWindow(reading, payload);
  if (type === 'response_item') readItem(reading, record);
  else if (type === 'event_msg') readEvent(reading, payload);
  else if (type === 'compacted') readCompacted(reading, payload);
  else if (!ENVELOPES.has(type) && type !== 'state') reading.recording.tally.dropUnknown(type);
}

function noteWindow({ recording, step }: Reading, payload: kit.Fields) {
  const { model_context_window: ofTurn, info } = payload;
  const { drafts } = recording;
  const isOfStep = isObject(info) && step !== undefined && drafts.at(-1) === step;
  const contextTokens = kit.valueAt(info, 'model_context_window') ?? ofTurn;
  recording.addWindow(contextTokens, drafts.length - (isOfStep ? 1 : 0));
}

function readItem(reading: Reading, { type: lineType, time, payload }: CodexRecord) {
  const { recording } = reading;
  const { type, call_id: id, message, content = message, summary } = payload;
  const role = kit.toText(payload['role']);
  if (role === 'user') readUser(reading, time, payload);
  else if (role === 'assistant') write(reading, time, recording.partsOf(content));
  else if (role !== undefined || type === 'agent_message') {
    for (const { text } of kit.blocksOf(content)) recording.inject(kit.orEmpty(text));
  } else if (type === 'reasoning') {
    const thoughts = kit.blocksOf([...kit.toList(summary), ...kit.toList(content)]);
    const blocks = thoughts.map(({ text }) => ({ thinking: kit.orEmpty(text) }));
    write(reading, time, recording.partsOf(blocks));
    seal(reading, kit.orEmpty(payload['encrypted_content']));
  } else if (CALLS.has(type)) readCall(reading, time, payload);
  else if (OUTPUTS.has(type)) {
    reading.isStepOpen = false;
    recording.calls.finish({ id, content: outputOf(payload) });
  } else if (!OPAQUE.has(type)) recording.tally.dropUnknown(type ?? lineType);
}

function outputOf({ tools, output = tools }: kit.Fields) {
  const pieces = kit.blocksOf(output).map((piece) => ({ type: 'piece', ...piece }));
  const isContent = pieces.some((piece) => 'text' in piece || 'image_url' in piece);
  return isContent ? pieces : toJsonText(output ?? undefined);
}

/** Reads a user message; a redacted text is injected unless the screen showed it as typed. */
function readUser(reading: Reading, time: number, payload: kit.Fields) {
  const { recording, fillers, typedTexts } = reading;
  const { id, message, content = message } = payload;
  const isInjected = ({ text }: kit.Fields) => {
    if (typeof text !== 'string') return false;
    return fillers.has(text) ? !typedTexts.has(text) : INJECTED.test(text);
  };
  if (recording.readUser({ id, time, content }, isInjected)) endTurn(reading);
}

function endTurn(reading: Reading) {
  reading.step = undefined;
  reading.isStepOpen = false;
}

function write(reading: Reading, time: number, parts: readonly kit.DraftPart[]) {
  const step = openStep(reading, time);
  for (const part of parts) step.parts.push(part);
}

/** Adds what Codex takes encrypted reasoning for; a redacted one comes to 0. */
function seal({ step }: Reading, { length }: string) {
  const bytes = Math.floor((length * 3) / 4) - SEAL_BYTES;
  if (step === undefined || length === 0) return;
  step.sealedTokens = (step.sealedTokens ?? 0) + Math.ceil(Math.max(0, bytes) / 4);
}

function openStep(reading: Reading, createdAt: number) {
  if (reading.step !== undefined && reading.isStepOpen) return reading.step;
  reading.step = reading.recording.addStep({ createdAt, parts: [], model: reading.model });
  reading.isStepOpen = true;
  return reading.step;
}

function readCall(reading: Reading, time: number, payload: kit.Fields) {
  const { recording } = reading;
  const { type, call_id: id, name, result } = payload;
  const usual = kit.toText(kit.valueAt(payload, 'function.name')) ?? CALLS.get(type) ?? 'unknown';
  const [callId, tool] = [kit.toId(id), kit.toText(name) ?? usual];
  recording.calls.add(openStep(reading, time), { callId, tool, input: inputOf(reading, payload) });
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
  const { reasoning } = usage;
  if (step.sealedTokens === 0 && reasoning > 0)
    step.sealedTokens = Math.round(SEALED.share * reasoning + SEALED.tokens);
  reading.isStepOpen = false;
}

/** Adds a compaction; its record and its event stand together, in either order. */
function addCompaction(reading: Reading, told: Summary) {
  const { recording } = reading;
  const { compactions, drafts } = recording;
  endTurn(reading);
  const isTold = drafts.length > 0 && compactions.at(-1)?.messageIndex === drafts.length;
  const last = isTold ? compactions.pop() : undefined;
  const lastUsage = drafts.findLast(({ usage }) => usage !== undefined)?.usage;
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
}

/** Parts that the program wrote before the first prompt; it writes them once, and they belong to no turn. */
function preludeOf([first]: readonly made.DraftMessage[]) {
  const { parts = [] } = first ?? {};
  const typed = parts.findIndex((part) => part.type !== 'text' || part.synthetic !== true);
  return typed < 0 ? parts : parts.slice(0, typed);
}

function readCompacted(reading: Reading, payload: kit.Fields) {
  const { recording } = reading;
  const text = kit.orEmpty(payload['message']);
  if (recording.drafts.length > 0) {
    const summaryUsage = takeSummaryAnswer(reading, text);
    return addCompaction(reading, known({ summaryUsage, summary: text || undefined }));
  }
  reading.isPartial = true;
  recording.inject(text);
  for (const { content } of kit.objectsIn(payload['replacement_history'])) {
    for (const block of kit.blocksOf(content)) recording.inject(kit.orEmpty(block['text']));
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
  return last.usage && made.withoutMark(last.usage);
}

function findSpawned(records: readonly CodexRecord[]) {
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
