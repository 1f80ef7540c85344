import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
import { type Fields, fieldsOf, toId, toText, toTokens, valueAt } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { createStepStream, type StepStream } from '../reading/step-stream.ts';
import type { Tally } from '../reading/tally.ts';
import { noConversation } from '../reading/transcript.ts';
import { shareUsage, splitCount } from '../reading/usage.ts';

interface ExecCall {
  readonly name: unknown;
  readonly args: unknown;
  readonly output?: unknown;
}

const THREAD = 'thread.started';
const NOTHING = { input: 0, cacheRead: 0, output: 0 };

/** Events that hold nothing a model wrote or saw. */
const BOOKKEEPING = new Set<unknown>(['error', 'item.plan.delta', THREAD, 'turn.failed']);
const ITEM_EVENTS = new Set<unknown>(['item.started', 'item.updated', 'item.completed']);
const TEXTS = new Set<unknown>(['agent_message', 'plan', 'reasoning']);
const NO_ANSWERS = 'a Codex stream without answers';
const FAILED = new Set<unknown>(['declined', 'failed']);

const CALLS = new Map<unknown, (item: Fields) => ExecCall>([
  [
    'command_execution',
    ({ command = '', aggregated_output: output }) => ({ name: 'shell', args: { command }, output }),
  ],
  ['file_change', ({ changes = [] }) => ({ name: 'apply_patch', args: { changes } })],
  ['mcp_tool_call', toMcpCall],
  ['collab_tool_call', ({ tool, prompt = '' }) => ({ name: tool, args: { prompt } })],
  ['web_search', ({ query = '' }) => ({ name: 'web_search', args: { query } })],
]);

/** Streams of `codex exec --json`. */
export const codexExec: SessionFormat = {
  label: 'Codex exec stream (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const records = file.lines().records.map(fieldsOf);
    return (
      records.some(({ type }) => type === THREAD) && records.some(({ item }) => isObject(item))
    );
  },
  read: readRecording({ format: 'codex-exec', empty: NO_ANSWERS }, readStream),
  keeps: { reasons: 'among an out prompt recorded requests shared usage' },
};

function toMcpCall({ server = 'mcp', tool = 'unknown', arguments: args, result, error }: Fields) {
  const message = toText(fieldsOf(error)['message']);
  const said = textOf(fieldsOf(result)['content']) || toJsonText(result ?? undefined);
  return { name: `${toText(server)}__${toText(tool)}`, args, output: message ?? said };
}

function readStream(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const stream = createStepStream(recording);
  const events = recording.readLines(file.lines());
  let counted = NOTHING;
  let planCount = 0;
  for (const { type, item, usage } of events) {
    if (type === 'turn.started') {
      // The prompt is an argument of the command, which the stream does not repeat.
      tally.repair('prompt that was not recorded');
      stream.addPrompt({ createdAt: 0, parts: [] });
    } else if (type === 'turn.completed') {
      const now = countOf(usage);
      const steps = stream.takeSteps();
      if (now === undefined) continue;
      // A count is of the whole thread; one below the last is that of a new process.
      const before = now.input < counted.input ? NOTHING : counted;
      const grown = splitCount({
        input: now.input - before.input,
        cacheRead: now.cacheRead - before.cacheRead,
        output: now.output - before.output,
      });
      if (grown !== undefined) shareUsage(grown, steps, { tally });
      counted = now;
    } else if (ITEM_EVENTS.has(type) && isObject(item)) {
      const isDone = type === 'item.completed';
      if (item['type'] !== 'todo_list') readItem(item, { stream, tally, isDone });
      // The end of the turn repeats the last change of a plan.
      else if (!isDone) addPlan(stream, item, ++planCount);
    } else if (!BOOKKEEPING.has(type)) tally.dropUnknown(type);
  }
  if (recording.drafts.every(({ role }) => role === 'user')) {
    throw noConversation(file.name, NO_ANSWERS);
  }
  const sessionId = events.flatMap(({ thread_id: id }) => toId(id) ?? [])[0];
  return { sessionId, isOutputFinal: true };
}

function countOf(usage: unknown): typeof NOTHING | undefined {
  const input = toTokens(valueAt(usage, 'input_tokens'));
  if (input === undefined) return undefined;
  const cacheRead = toTokens(valueAt(usage, 'cached_input_tokens')) ?? 0;
  return { input, cacheRead, output: toTokens(valueAt(usage, 'output_tokens')) ?? 0 };
}

function addPlan(stream: StepStream, { items = [] }: Fields, count: number): void {
  const id = `plan-${count}`;
  stream.readCall({ id, name: 'update_plan', args: { items } }, 0);
  stream.readResult({ id, output: '' });
}

function readItem(
  item: Fields,
  {
    stream,
    tally,
    isDone,
  }: { readonly stream: StepStream; readonly tally: Tally; readonly isDone: boolean },
): void {
  const { id, type, text, status } = item;
  const toCall = CALLS.get(type);
  if (toCall !== undefined) {
    const { output, ...call } = toCall(item);
    stream.readCall({ id, ...call }, 0);
    if (!isDone || toId(id) === undefined) return;
    stream.readResult({ id, output: toText(output) ?? '', isError: FAILED.has(status) });
  } else if (isDone && TEXTS.has(type)) {
    const said = toId(text);
    if (said === undefined) return;
    stream.write({ type: type === 'reasoning' ? 'reasoning' : 'text', text: said }, 0);
  } else if (isDone && type !== 'error') tally.dropUnknown(type);
}
