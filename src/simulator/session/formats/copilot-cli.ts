import { z } from 'zod';
import { keepIn } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  list,
  listOf,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  recordOf,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import {
  createTally,
  dropUnknown,
  readRecordLines,
  type Tally,
  toInput,
} from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  findByCallId,
  finishSession,
  noConversation,
  type RecordedUsage,
  toRecordedWindows,
  toSideSessions,
} from '../reading/transcript.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';
import {
  type RecordedCompaction,
  type RecordedWindow,
  type Session,
  withNames,
} from '../session.ts';

/** The conversation of the user, or of a sub-agent. */
interface Thread {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  /** Windows as they were stated. */
  readonly windows: RecordedWindow[];
  readonly systems: Set<string>;
}

interface Reading {
  /** Threads by the call that began them. */
  readonly threads: Map<string, Thread>;
  /** Prompts of calls, which sub-agents begin with. */
  readonly prompts: Map<string, Pick<DraftMessage, 'createdAt' | 'parts'>>;
  /** Steps since the last counts, with their output if it is known. */
  readonly uncounted: { readonly step: DraftMessage; readonly output: number | undefined }[];
  /** The model of steps that name none. */
  label: string | undefined;
}

type CopilotEvent = z.infer<typeof eventSchema>;
type EventData = CopilotEvent['data'];
type Metrics = NonNullable<z.infer<typeof metricsSchema>>;

const metricsSchema = maybeObject({
  requests: maybeObject({ count: maybeNumber }),
  usage: maybeObject({
    inputTokens: maybeTokens,
    outputTokens: maybeTokens,
    cacheReadTokens: maybeTokens,
    cacheWriteTokens: maybeTokens,
  }),
});

const dataSchema = z.object({
  sessionId: maybeId,
  parentToolCallId: maybeId,
  messageId: maybeId,
  selectedModel: maybeText,
  newModel: maybeText,
  model: maybeText,
  content: maybeText,
  transformedContent: maybeText,
  reasoningText: maybeText,
  attachments: list,
  toolRequests: listOf(
    z.object({ toolCallId: maybeId, name: maybeText, arguments: z.unknown().optional() }),
  ),
  outputTokens: maybeTokens,
  toolCallId: maybeId,
  success: z.unknown().optional(),
  result: z.unknown().optional(),
  error: maybeObject({ message: maybeText }),
  preCompactionTokens: maybeTokens,
  postCompactionTokens: maybeTokens,
  summaryContent: maybeText,
  /** The window of the model. */
  tokenLimit: maybeTokens,
  droppedTokens: maybeTokens,
  tokensRemovedDuringTruncation: maybeTokens,
  modelMetrics: recordOf(metricsSchema).optional().catch(undefined),
});

const eventSchema = z.object({
  type: maybeText,
  timestamp: z.unknown().optional(),
  data: dataSchema,
});

/** The key of the user's thread. */
const MAIN = '';

const START = 'session.start';
const SAID = new Set<unknown>(['assistant.message', 'user.message']);

/** Readers of events by type. */
const READERS: Readonly<Record<string, (reading: Reading, event: CopilotEvent) => void>> = {
  [START]: noteModel,
  'session.model_change': noteModel,
  'system.message': readSystem,
  'system.notification': readNotification,
  'user.message': readPrompt,
  'assistant.message': readStep,
  'tool.execution_complete': readResult,
  'session.compaction_complete': readCompaction,
  'session.truncation': readTruncation,
  'session.shutdown': readCounts,
};

/** Events that repeat others, or that no model saw. */
const BOOKKEEPING =
  /^(?:abort|(?:hook|permission|subagent)\.\w+|assistant\.(?:intent|turn_\w+|\w+_delta)|session\.(?:auto_mode_resolved|compaction_start|context_changed|error|idle|info|mode_changed|plan_changed|resume|task_complete|title_changed|usage_\w+|warning|workspace_file_changed)|tool\.(?:execution_(?:start|progress|partial_result)|user_requested))$/;

/** Events of GitHub Copilot CLI. */
export const copilotCli: SessionFormat = {
  label: 'Copilot CLI events (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isStart) && records.some(isSaid);
  },
  read: readEvents,
  keeps: {
    tools: 'report_intent read_bash stop_bash write_bash store_memory task update_todo',
    reasons: 'attachment later prompt requests system truncation usage',
  },
};

function isStart(record: unknown): boolean {
  return isEvent(record) && record.type === START && 'sessionId' in record.data;
}

function isSaid(record: unknown): boolean {
  return isEvent(record) && SAID.has(record.type);
}

function isEvent(record: unknown): record is { readonly type?: unknown; readonly data: object } {
  return isObject(record) && isObject(record['data']);
}

function readEvents(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const events = readRecordLines(file.lines(), parseEvent, tally);
  const reading: Reading = {
    threads: new Map(),
    prompts: new Map(),
    uncounted: [],
    label: undefined,
  };
  reading.threads.set(MAIN, createThread(tally));
  for (const event of events) readEvent(reading, event, tally);
  const sessionId = events.find(({ type }) => type === START)?.data.sessionId;
  const sessions = [...reading.threads].flatMap(([key, thread]) =>
    toSession(
      reading,
      thread,
      key === MAIN ? { sessionId } : { sessionId: key, parentSessionId: sessionId },
    ),
  );
  if (sessions.length === 0) throw noConversation(file.name, 'events without messages');
  return withNames(file.name, sessions);
}

function parseEvent(line: unknown): CopilotEvent | undefined {
  return isEvent(line) ? eventSchema.parse(line) : undefined;
}

function createThread(tally: Tally): Thread {
  return {
    tally,
    dialogue: createDialogue(tally),
    compactions: [],
    windows: [],
    systems: new Set(),
  };
}

function readEvent(reading: Reading, event: CopilotEvent, tally: Tally): void {
  const { type = '' } = event;
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read !== undefined) read(reading, event);
  else if (!BOOKKEEPING.test(type)) dropUnknown(tally, [event.type]);
}

/** The session of a thread; none if nothing was said in it. */
function toSession(
  { threads, label }: Reading,
  { dialogue, tally, compactions, windows, systems }: Thread,
  ids: { readonly sessionId: string | undefined; readonly parentSessionId?: string | undefined },
): readonly Omit<Session, 'name'>[] {
  const drafts = dialogue.end();
  if (drafts.length === 0) return [];
  const { sessionId, parentSessionId } = ids;
  const [system] = systems;
  const finished = finishSession(drafts, tally, label);
  const sides = new Map([...threads.keys()].map((key) => [key, [key]]));
  return [
    {
      format: 'copilot-cli',
      ...(sessionId !== undefined && { sessionId }),
      isSide: 'parentSessionId' in ids,
      ...(parentSessionId !== undefined && { parentSessionId }),
      ...toSideSessions({ drafts, messages: finished.messages, sessionId }, findByCallId(sides)),
      isPartial: false,
      ...(system !== undefined && { system }),
      recordedCompactions: compactions,
      ...toRecordedWindows(windows),
      isOutputFinal: true,
      ...finished,
    },
  ];
}

function noteModel(reading: Reading, { data }: CopilotEvent): void {
  const model = data.newModel ?? data.selectedModel;
  reading.label = model === undefined ? reading.label : toModel(model);
}

function toModel(name: string): string {
  return toModelName(name, 'github-copilot');
}

/** Reads a system prompt; the first holds. */
function readSystem(reading: Reading, { data }: CopilotEvent): void {
  const { systems, tally } = threadOf(reading, data);
  const { content = '' } = data;
  if (content === '' || systems.has(content)) return;
  if (systems.size > 0) tally.drop('later system prompt');
  systems.add(content);
}

/** The thread of an event. That of a sub-agent begins with the prompt of its call. */
function threadOf(
  { threads, prompts }: Reading,
  { parentToolCallId: key = MAIN }: EventData,
): Thread {
  return keepIn(threads, key, () => {
    const thread = createThread(createTally());
    const prompt = prompts.get(key);
    if (prompt !== undefined) thread.dialogue.addPrompt(prompt);
    return thread;
  });
}

function readNotification(reading: Reading, { data }: CopilotEvent): void {
  if (data.content) threadOf(reading, data).dialogue.inject(data.content);
}

function readPrompt(reading: Reading, { data, timestamp }: CopilotEvent): void {
  const { dialogue, tally } = threadOf(reading, data);
  tally.drop('attachment without content', data.attachments.length);
  dialogue.addPrompt({ createdAt: toTime(timestamp), parts: promptParts(data) });
}

/** The words of the user, between those that the program put around them. */
function promptParts({ content = '', transformedContent: sent = content }: EventData): DraftPart[] {
  const start = content === '' ? -1 : sent.indexOf(content);
  const typed =
    start === -1 ? [] : [sent.slice(0, start), content, sent.slice(start + content.length)];
  const texts = start === -1 ? [sent] : typed;
  return texts.flatMap((text, index): readonly DraftPart[] => {
    const isOfProgram = typed.length > 0 && index !== 1;
    return text.trim() === ''
      ? []
      : [{ type: 'text', text, ...(isOfProgram && { synthetic: true }) }];
  });
}

function readStep(reading: Reading, { data, timestamp }: CopilotEvent): void {
  const { dialogue, tally } = threadOf(reading, data);
  const { content = '', reasoningText: thought = '', messageId, model } = data;
  const createdAt = toTime(timestamp);
  const step = dialogue.addStep({
    createdAt,
    recordedId: messageId,
    parts: [...toParts('reasoning', thought), ...toParts('text', content)],
    model: model === undefined ? reading.label : toModel(model),
  });
  for (const {
    toolCallId: callId,
    name: tool = 'unknown',
    arguments: written,
  } of data.toolRequests) {
    const input = toInput(written, tally);
    dialogue.addCall(step, { callId, tool, input });
    notePrompt(reading, callId, { createdAt, input });
  }
  reading.uncounted.push({ step, output: data.outputTokens });
}

function toParts(type: 'text' | 'reasoning', text: string): readonly DraftPart[] {
  return text === '' ? [] : [{ type, text }];
}

/** Notes the prompt of a call, which may begin a sub-agent. */
function notePrompt(
  { prompts }: Reading,
  callId: string | undefined,
  { createdAt, input }: { readonly createdAt: number; readonly input: unknown },
): void {
  const text = isObject(input) ? toText(input['prompt']) : undefined;
  if (callId === undefined || !text) return;
  prompts.set(callId, { createdAt, parts: [...toParts('text', text)] });
}

function readResult(reading: Reading, { data }: CopilotEvent): void {
  const { dialogue, tally } = threadOf(reading, data);
  const { toolCallId: key, success, result, error } = data;
  const output = outputOf(result) ?? error?.message ?? '';
  const isFinished =
    key !== undefined && dialogue.finishCall({ key, output, isError: success === false });
  if (!isFinished) tally.drop('tool result without a call');
}

/** The text that the model got, without the details for the screen. */
function outputOf(result: unknown): string | undefined {
  if (!isObject(result)) return toText(result);
  return toText(result['content']) ?? toJsonText(result['content']);
}

function readCompaction(reading: Reading, { data }: CopilotEvent): void {
  const { dialogue, compactions } = threadOf(reading, data);
  const {
    success,
    preCompactionTokens: before,
    postCompactionTokens: after,
    summaryContent: summary,
  } = data;
  if (success === false || dialogue.drafts.length === 0) return;
  compactions.push({
    kind: 'full',
    messageIndex: dialogue.drafts.length,
    ...(before !== undefined && { tokensBefore: before }),
    ...(after !== undefined && { tokensAfter: after }),
    ...(summary !== undefined && { summary }),
  });
}

/** Counts a truncation that removed something: it is no compaction, and what it removed is not told. Each names the window. */
function readTruncation(reading: Reading, { data }: CopilotEvent): void {
  const { dialogue, windows, tally } = threadOf(reading, data);
  const { tokenLimit: contextTokens } = data;
  if (contextTokens !== undefined) {
    windows.push({ messageIndex: dialogue.drafts.length, contextTokens });
  }
  const removed = data.tokensRemovedDuringTruncation ?? data.droppedTokens ?? 0;
  if (removed > 0) tally.drop('truncation');
}

/** Reads the tokens of a run by model. They are those of its steps if one history had a request for each. */
function readCounts({ uncounted, threads }: Reading, { data }: CopilotEvent): void {
  const counted = uncounted.splice(0);
  const main = threads.get(MAIN);
  if (main === undefined) return;
  const isOneHistory = threads.size === 1 && main.compactions.length === 0;
  for (const [name, metrics] of Object.entries(data.modelMetrics ?? {})) {
    const usage = toUsage(metrics?.usage);
    if (usage === undefined) continue;
    const own = counted.filter(({ step }) => step.model === toModel(name));
    const steps = own.map(({ step }) => step);
    const outputs = own.flatMap(({ output }) => output ?? []);
    const known = outputs.length === own.length && { outputs };
    const isWhole = isOneHistory && own.length === metrics?.requests?.count;
    if (isWhole) shareUsage(usage, steps, { tally: main.tally, ...known });
    else main.tally.drop('usage of other requests');
  }
}

function toUsage(told: Metrics['usage']): RecordedUsage | undefined {
  return splitCount({
    input: told?.inputTokens,
    output: told?.outputTokens,
    cacheRead: told?.cacheReadTokens,
    cacheWrite: told?.cacheWriteTokens,
  });
}
