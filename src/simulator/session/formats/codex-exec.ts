import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { list, maybeId, maybeObject, maybeText, maybeTokens, toText } from '../reading/lenient.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import { createTally, dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import { noConversation, toSession } from '../reading/transcript.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';
import type { Session } from '../session.ts';

interface Reading {
  readonly tally: Tally;
  readonly stream: StepStream;
  /** Tokens of the thread up to the last turn. */
  counted: Count;
  /** Messages up to the last turn. */
  turnStart: number;
  planCount: number;
}

type ExecEvent = z.infer<typeof eventSchema>;
type ExecItem = NonNullable<ExecEvent['item']>;
type Count = Readonly<Record<'input' | 'cacheRead' | 'output', number>>;

/** A call with its result. */
interface ExecCall {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
}

const itemSchema = maybeObject({
  id: maybeId,
  type: maybeText,
  text: maybeText,
  status: maybeText,
  command: maybeText,
  aggregated_output: maybeText,
  changes: z.unknown().optional(),
  server: maybeText,
  tool: maybeText,
  arguments: z.unknown().optional(),
  prompt: maybeText,
  result: z.unknown().optional(),
  error: maybeObject({ message: maybeText }),
  query: maybeText,
  items: z.unknown().optional(),
});

const eventSchema = z.object({
  type: maybeText,
  thread_id: maybeId,
  item: itemSchema,
  usage: maybeObject({
    input_tokens: maybeTokens,
    cached_input_tokens: maybeTokens,
    output_tokens: maybeTokens,
  }),
});

const THREAD = 'thread.started';
const NOTHING: Count = { input: 0, cacheRead: 0, output: 0 };

/** Events that hold nothing a model wrote or saw. */
const BOOKKEEPING = new Set<string | undefined>([
  'error',
  'item.plan.delta',
  THREAD,
  'turn.failed',
]);
const ITEM_EVENTS = new Set<string | undefined>(['item.started', 'item.updated', 'item.completed']);
const FAILED = new Set<string | undefined>(['declined', 'failed']);

/** Items by type; those of a type that is missing here are calls of none. */
const CALLS: Readonly<Record<string, (item: ExecItem) => ExecCall>> = {
  command_execution: ({ command = '', aggregated_output: output = '' }) => ({
    tool: 'shell',
    input: { command },
    output,
  }),
  file_change: ({ changes = [] }) => ({ tool: 'apply_patch', input: { changes }, output: '' }),
  mcp_tool_call: ({ server = 'mcp', tool = 'unknown', arguments: input = {}, result, error }) => ({
    tool: `${server}__${tool}`,
    input,
    output: error?.message ?? textOfResult(result),
  }),
  collab_tool_call: ({ tool = 'unknown', prompt = '' }) => ({
    tool,
    input: { prompt },
    output: '',
  }),
  web_search: ({ query = '' }) => ({ tool: 'web_search', input: { query }, output: '' }),
};

/** Streams of `codex exec --json`. */
export const codexExec: SessionFormat = {
  label: 'Codex exec stream (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isStart) && records.some(isItem);
  },
  read: (file) => [readStream(file)],
  keeps: {
    reasons: 'among an out prompt recorded requests shared usage',
  },
};

function isStart(record: unknown): boolean {
  return isObject(record) && record['type'] === THREAD;
}

function isItem(record: unknown): boolean {
  return isObject(record) && isObject(record['item']);
}

function parseEvent(line: unknown): ExecEvent | undefined {
  return eventSchema.safeParse(line).data;
}

function readStream(file: SourceFile): Session {
  const tally = createTally();
  const events = readRecordLines(file.lines(), parseEvent, tally);
  const stream = createStepStream(tally);
  const reading: Reading = { tally, stream, counted: NOTHING, turnStart: 0, planCount: 0 };
  for (const event of events) readEvent(reading, event);
  const drafts = stream.end();
  if (drafts.every(({ role }) => role === 'user')) {
    throw noConversation(file.name, 'a Codex stream without answers');
  }
  const sessionId = events.find((event) => event.thread_id !== undefined)?.thread_id;
  return {
    ...toSession(file.name, 'codex-exec', { drafts, tally, sessionId }),
    isOutputFinal: true,
  };
}

function readEvent(reading: Reading, { type, item, usage }: ExecEvent): void {
  if (type === 'turn.started') startTurn(reading);
  else if (type === 'turn.completed') endTurn(reading, usage);
  else if (ITEM_EVENTS.has(type) && item !== undefined) readItem(reading, item, type);
  else if (!BOOKKEEPING.has(type)) dropUnknown(reading.tally, [type]);
}

/** Begins a turn; its prompt is an argument of the command, which the stream does not repeat. */
function startTurn({ stream, tally }: Reading): void {
  tally.repair('prompt that was not recorded');
  stream.addPrompt({ createdAt: 0, parts: [] });
}

/** Reads the tokens of the thread so far; what they grew by is the usage of the turn's requests. */
function endTurn(reading: Reading, usage: ExecEvent['usage']): void {
  const { stream, tally, counted, turnStart } = reading;
  const steps = stream.drafts.slice(turnStart).filter(({ role }) => role === 'assistant');
  reading.turnStart = stream.drafts.length;
  if (usage?.input_tokens === undefined) return;
  const now = {
    input: usage.input_tokens,
    cacheRead: usage.cached_input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
  };
  reading.counted = now;
  // A count below the last one is that of a new process.
  const before = now.input < counted.input ? NOTHING : counted;
  const grown = splitCount({
    input: now.input - before.input,
    cacheRead: now.cacheRead - before.cacheRead,
    output: now.output - before.output,
  });
  if (grown !== undefined) shareUsage(grown, steps, { tally });
}

function readItem(reading: Reading, item: ExecItem, event: string | undefined): void {
  const { stream, tally } = reading;
  const { id: callId, type = '', text = '', status } = item;
  const isDone = event === 'item.completed';
  const toCall = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  if (type === 'todo_list') readPlan(reading, item, isDone);
  else if (toCall === undefined && isDone) readText(reading, type, text);
  else if (toCall !== undefined && callId === undefined) tally.drop('tool call without an id');
  else if (toCall !== undefined && callId !== undefined) {
    const { output, ...call } = toCall(item);
    stream.addCall({ callId, ...call }, { createdAt: 0 });
    if (isDone) stream.finishCall(callId, { output, isError: FAILED.has(status) });
  }
}

/** Reads a plan or a change of it; the end of the turn repeats the last. */
function readPlan(reading: Reading, { items = [] }: ExecItem, isDone: boolean): void {
  if (isDone) return;
  const callId = `plan-${++reading.planCount}`;
  const call = { callId, tool: 'update_plan', input: { items } };
  reading.stream.addCall(call, { createdAt: 0 });
  reading.stream.finishCall(callId, { output: '', isError: false });
}

function readText({ stream, tally }: Reading, type: string, text: string): void {
  if (type === 'error') return;
  const isReasoning = type === 'reasoning';
  if (!isReasoning && type !== 'agent_message' && type !== 'plan')
    return dropUnknown(tally, [type]);
  if (text !== '')
    stream.write({ type: isReasoning ? 'reasoning' : 'text', text }, { createdAt: 0 });
}

function textOfResult(result: unknown): string {
  const { content } = isObject(result) ? result : { content: undefined };
  const texts = list
    .parse(content)
    .flatMap((piece) => (isObject(piece) ? (toText(piece['text']) ?? []) : []));
  return texts.length > 0 ? texts.join('\n') : toJsonText(result ?? undefined);
}
