import { z } from 'zod';
import { keepIn } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toParts } from '../reading/content.ts';
import {
  list,
  listOf,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  recordOf,
  toId,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { createRecording, type Recording } from '../reading/recording.ts';
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
  noConversation,
} from '../reading/transcript.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';
import { type Session, withNames } from '../session.ts';

/** The conversation of the user, or of a sub-agent. */
interface Thread extends Recording {
  readonly systems: Set<string>;
}

interface Reading {
  /** Threads by the call that began them. */
  readonly threads: Map<string, Thread>;
  /** Prompts of calls, which sub-agents begin with. */
  readonly prompts: Map<string, Parameters<Recording['addPrompt']>[0]>;
  /** Steps since the last counts, with their output if it is known. */
  readonly uncounted: { readonly step: DraftMessage; readonly output: number | undefined }[];
  /** The model of steps that name none. */
  label: string | undefined;
}

type CopilotEvent = z.infer<typeof eventSchema>;
type EventData = CopilotEvent['data'];

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

type ReadEvent = (reading: Reading, thread: Thread, event: CopilotEvent) => void;

/** Readers of events by type. */
const READERS: Readonly<Record<string, ReadEvent>> = {
  [START]: noteModel,
  'session.model_change': noteModel,
  'system.message': readSystem,
  'system.notification': (_reading, thread, { data }) => thread.inject(data.content ?? ''),
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
  const main = createThread(createTally());
  const threads = new Map([[MAIN, main]]);
  const reading: Reading = { threads, prompts: new Map(), uncounted: [], label: undefined };
  const events = readRecordLines(file.lines(), parseEvent, main.tally);
  for (const event of events) {
    const { type = '', data } = event;
    const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
    if (read !== undefined) read(reading, threadOf(reading, data), event);
    else if (!BOOKKEEPING.test(type)) dropUnknown(main.tally, [event.type]);
  }
  const sessionId = events.find(({ type }) => type === START)?.data.sessionId;
  const findSideIds = findByCallId(new Map([...threads.keys()].map((key) => [key, [key]])));
  const sessions = [...threads].map(([key, thread]) =>
    thread.finish('copilot-cli', {
      sessionId: key === MAIN ? sessionId : key,
      isSide: key !== MAIN,
      parentSessionId: key === MAIN ? undefined : sessionId,
      findSideIds,
      system: [...thread.systems][0],
      model: reading.label,
      isOutputFinal: true,
    }),
  );
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0) throw noConversation(file.name, 'events without messages');
  return withNames(file.name, spoken);
}

function parseEvent(line: unknown): CopilotEvent | undefined {
  return isEvent(line) ? eventSchema.parse(line) : undefined;
}

function createThread(tally: Tally): Thread {
  return { ...createRecording(tally), systems: new Set() };
}

function noteModel(reading: Reading, _thread: Thread, { data }: CopilotEvent): void {
  const model = data.newModel ?? data.selectedModel;
  reading.label = model === undefined ? reading.label : toModel(model);
}

function toModel(name: string): string {
  return toModelName(name, 'github-copilot');
}

/** Reads a system prompt; the first holds. */
function readSystem(_reading: Reading, { systems, tally }: Thread, { data }: CopilotEvent): void {
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
    if (prompt !== undefined) thread.addPrompt(prompt);
    return thread;
  });
}

/** Reads the words of the user, between those that the program put around them. */
function readPrompt(_reading: Reading, thread: Thread, { data, timestamp }: CopilotEvent): void {
  const { content = '', transformedContent: sent = content, attachments } = data;
  thread.tally.drop('attachment without content', attachments.length);
  const start = content === '' ? -1 : sent.indexOf(content);
  const around = [sent.slice(0, start), content, sent.slice(start + content.length)];
  const parts = (start === -1 ? [sent] : around).map((text, index): DraftPart => {
    const isOfProgram = start !== -1 && index !== 1;
    return { type: 'text', text, ...(isOfProgram && { synthetic: true }) };
  });
  const written = parts.filter((part) => part.type === 'text' && part.text.trim() !== '');
  thread.addPrompt({ createdAt: toTime(timestamp), parts: written });
}

function readStep(reading: Reading, thread: Thread, { data, timestamp }: CopilotEvent): void {
  const { content, reasoningText: thinking = '', messageId, model } = data;
  const { tally } = thread;
  const createdAt = toTime(timestamp);
  const step = thread.addStep({
    createdAt,
    recordedId: messageId,
    parts: [...toParts([{ thinking }], tally), ...toParts(content, tally)],
    model: model === undefined ? reading.label : toModel(model),
  });
  for (const { toolCallId: callId, name: tool = 'unknown', arguments: args } of data.toolRequests) {
    const input = toInput(args, tally);
    thread.addCall(step, { callId, tool, input });
    // The prompt of a call may begin a sub-agent.
    const prompt = isObject(input) ? toId(input['prompt']) : undefined;
    if (callId !== undefined && prompt !== undefined) {
      reading.prompts.set(callId, { createdAt, parts: toParts(prompt, tally) });
    }
  }
  reading.uncounted.push({ step, output: data.outputTokens });
}

/** Reads the text that the model got, without the details for the screen. */
function readResult(_reading: Reading, thread: Thread, { data }: CopilotEvent): void {
  const { toolCallId, success, result, error } = data;
  const told = isObject(result) ? result['content'] : (toText(result) ?? error?.message ?? '');
  const output = toText(told) ?? toJsonText(told);
  thread.addResult(toolCallId, { output, isError: success === false });
}

function readCompaction(_reading: Reading, thread: Thread, { data }: CopilotEvent): void {
  if (data.success === false) return;
  thread.addCompaction({
    tokensBefore: data.preCompactionTokens,
    tokensAfter: data.postCompactionTokens,
    summary: data.summaryContent,
  });
}

/** Counts a truncation that removed something: it is no compaction, and what it removed is not told. Each names the window. */
function readTruncation(_reading: Reading, thread: Thread, { data }: CopilotEvent): void {
  thread.addWindow(data.tokenLimit);
  const removed = data.tokensRemovedDuringTruncation ?? data.droppedTokens ?? 0;
  if (removed > 0) thread.tally.drop('truncation');
}

/** Reads the tokens of a run by model. They are those of its steps if one history had a request for each. */
function readCounts(
  { uncounted, threads }: Reading,
  _thread: Thread,
  { data }: CopilotEvent,
): void {
  const counted = uncounted.splice(0);
  const main = threads.get(MAIN);
  if (main === undefined) return;
  const isOneHistory = threads.size === 1 && main.compactions.length === 0;
  for (const [name, metrics] of Object.entries(data.modelMetrics ?? {})) {
    const told = metrics?.usage;
    const usage = splitCount({
      input: told?.inputTokens,
      output: told?.outputTokens,
      cacheRead: told?.cacheReadTokens,
      cacheWrite: told?.cacheWriteTokens,
    });
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
