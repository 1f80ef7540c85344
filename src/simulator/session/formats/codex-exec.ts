import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
import { maybeId, maybeObject, maybeText, maybeTokens } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import { dropUnknown, type Tally } from '../reading/tally.ts';
import { type DraftMessage, noConversation } from '../reading/transcript.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';

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
const TEXTS = new Set<string | undefined>(['agent_message', 'plan', 'reasoning']);
const NO_ANSWERS = 'a Codex stream without answers';
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
    output: error?.message ?? (textOf(contentIn(result)) || toJsonText(result ?? undefined)),
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
  read: readRecording({ format: 'codex-exec', empty: NO_ANSWERS }, readStream),
  keeps: {
    reasons: 'among an out prompt recorded requests shared usage',
  },
};

function contentIn(result: unknown): unknown {
  return isObject(result) ? result['content'] : undefined;
}

function isStart(record: unknown): boolean {
  return isObject(record) && record['type'] === THREAD;
}

function isItem(record: unknown): boolean {
  return isObject(record) && isObject(record['item']);
}

function readStream(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const stream = createStepStream(recording);
  const events = recording.parseLines(file.lines(), eventSchema);
  let counted = NOTHING;
  let planCount = 0;
  for (const { type, item, usage } of events) {
    if (type === 'turn.started') {
      // The prompt is an argument of the command, which the stream does not repeat.
      tally.repair('prompt that was not recorded');
      stream.addPrompt({ createdAt: 0, parts: [] });
    } else if (type === 'turn.completed') {
      counted = readUsage(usage, counted, { steps: stream.takeSteps(), tally });
    } else if (ITEM_EVENTS.has(type) && item !== undefined) {
      const isDone = type === 'item.completed';
      if (item.type !== 'todo_list') readItem({ ...item, isDone }, stream, tally);
      // The end of the turn repeats the last change of a plan.
      else if (!isDone) addPlan(stream, item, ++planCount);
    } else if (!BOOKKEEPING.has(type)) dropUnknown(tally, [type]);
  }
  if (recording.drafts.every(({ role }) => role === 'user')) {
    throw noConversation(file.name, NO_ANSWERS);
  }
  const sessionId = events.find((event) => event.thread_id !== undefined)?.thread_id;
  return { sessionId, isOutputFinal: true };
}

/** Gives the tokens of the thread since the last count to the requests of a turn. */
function readUsage(
  usage: ExecEvent['usage'],
  counted: Count,
  { steps, tally }: { readonly steps: readonly DraftMessage[]; readonly tally: Tally },
): Count {
  if (usage?.input_tokens === undefined) return counted;
  const now = {
    input: usage.input_tokens,
    cacheRead: usage.cached_input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
  };
  // A count below the last one is that of a new process.
  const before = now.input < counted.input ? NOTHING : counted;
  const grown = splitCount({
    input: now.input - before.input,
    cacheRead: now.cacheRead - before.cacheRead,
    output: now.output - before.output,
  });
  if (grown !== undefined) shareUsage(grown, steps, { tally });
  return now;
}

function addPlan(stream: StepStream, { items = [] }: ExecItem, count: number): void {
  const callId = `plan-${count}`;
  stream.addCall({ callId, tool: 'update_plan', input: { items } }, 0);
  stream.finishCall(callId, { output: '', isError: false });
}

function readItem(
  item: ExecItem & { readonly isDone: boolean },
  stream: StepStream,
  tally: Tally,
): void {
  const { id: callId, type = '', text = '', status, isDone } = item;
  const toCall = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  if (toCall === undefined) {
    if (!isDone || type === 'error') return;
    if (!TEXTS.has(type)) dropUnknown(tally, [type]);
    else if (text !== '') {
      stream.write({ type: type === 'reasoning' ? 'reasoning' : 'text', text }, 0);
    }
  } else if (callId === undefined) tally.drop('tool call without an id');
  else {
    const { output, ...call } = toCall(item);
    stream.addCall({ callId, ...call }, 0);
    if (isDone) stream.finishCall(callId, { output, isError: FAILED.has(status) });
  }
}
