import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import type { ToldResult } from '../reading/dialogue.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';

type StepStream = ReturnType<typeof createStepStream>;

const THREAD = 'thread.started';
const NOTHING = { input: 0, cacheRead: 0, output: 0 };
const EXEC_BOOKKEEPING = new Set<unknown>(['error', 'item.plan.delta', THREAD, 'turn.failed']);
const ITEM_EVENTS = kit.wordsIn('item.started item.updated item.completed');
const TEXTS = kit.wordsIn('agent_message plan reasoning');
const NO_ANSWERS = 'a Codex stream without answers';
const FAILED = kit.wordsIn('declined failed');

const CALLS = new Map(
  Object.entries<(item: kit.Fields) => kit.Fields>({
    command_execution: ({ command = '', aggregated_output: output }) => {
      return { name: 'shell', args: { command }, output };
    },
    file_change: ({ changes = [] }) => ({ name: 'apply_patch', args: { changes } }),
    mcp_tool_call: ({ server = 'mcp', tool = 'unknown', arguments: args, result, error }) => {
      const message = kit.toText(kit.fieldsOf(error)['message']);
      const said = kit.textOf(kit.fieldsOf(result)['content']) || toJsonText(result ?? undefined);
      return { name: `${kit.toText(server)}__${kit.toText(tool)}`, args, output: message ?? said };
    },
    collab_tool_call: ({ tool, prompt = '' }) => ({ name: tool, args: { prompt } }),
    web_search: ({ query = '' }) => ({ name: 'web_search', args: { query } }),
  }),
);

/** Streams of `codex exec --json`. */
export const codexExec: SessionFormat = {
  label: 'Codex exec stream (JSON lines)',
  detect: (file) =>
    kit.hasLines(
      file,
      ({ type }) => type === THREAD,
      ({ item }) => isObject(item),
    ),
  read: readRecording({ empty: NO_ANSWERS }, readExec),
};

const CURSOR_BOOKKEEPING = kit.wordsIn('connection interaction_query result retry system');
const SAID = kit.wordsIn('user assistant');
const CALL_SUFFIX = /ToolCall$/;
const PLAIN_CALL = 'function';
/** Where the key for a request came from; other recorders of such streams use other words. */
const KEY_SOURCES = kit.wordsIn('env flag login');
const FAILURES = ['error', 'failure', 'rejected', 'permissionDenied', 'timeout'];
/** Keys of a result that hold what the model got, surest first. */
const OUTPUT_KEYS = ['content', 'output', 'stdout', 'stderr', 'errorMessage', 'error', 'reason'];

/** Streams of `cursor-agent -p --output-format stream-json`. */
export const cursorCli: SessionFormat = {
  label: 'Cursor CLI stream (JSON lines)',
  detect: (file) =>
    kit.hasLines(file, isMark, ({ type, message }) => SAID.has(type) && isObject(message)),
  read: readRecording({ empty: 'a Cursor stream without messages' }, readCursor),
};

/** Streams of `gemini --output-format stream-json`. */
export const geminiStream: SessionFormat = {
  label: 'Gemini CLI stream (JSON lines)',
  detect: (file) => kit.hasLines(file, isInit, isGeminiMessage),
  read: readRecording({ empty: 'a Gemini stream without messages' }, readGemini),
};

function createStepStream(recording: Recording) {
  const callIds = new Set<string>();
  const openIds = new Set<string>();
  let step: made.DraftMessage | undefined;
  let takenCount = 0;
  const stepAt = (createdAt: number) => {
    step ??= recording.addStep({ createdAt, parts: [] });
    return step;
  };
  return {
    /** The step that the next piece belongs to; absent if that piece begins one. */
    openStep: () => step,
    addPrompt: (prompt: Omit<made.DraftMessage, 'role'>) => {
      step = undefined;
      openIds.clear();
      recording.addPrompt(prompt);
    },
    write: (part: kit.DraftPart, createdAt: number) => {
      stepAt(createdAt).parts.push(part);
    },
    /** Goes on with the last part of the open step, if it is of the same type. */
    extend: (part: { type: 'text' | 'reasoning'; text: string }, createdAt: number) => {
      const { parts } = stepAt(createdAt);
      const last = parts.at(-1);
      if (last?.type !== part.type) parts.push(part);
      else parts[parts.length - 1] = { ...last, text: last.text + part.text };
    },
    /** Adds a call; one with a known id is left out, and one without an id counted. */
    readCall: (call: kit.Fields, createdAt: number) => {
      const id = kit.toId(call['id']);
      if (id === undefined) recording.tally.drop('tool call without an id');
      else if (!callIds.has(id)) {
        callIds.add(id);
        openIds.add(id);
        recording.readCall(stepAt(createdAt), call);
      }
    },
    readResult: (result: ToldResult) => {
      const id = kit.toId(result.id);
      if (id === undefined) return recording.tally.drop('tool result without a call');
      recording.readResult(result);
      openIds.delete(id);
      if (openIds.size === 0) step = undefined;
    },
    takeSteps: () => {
      const steps = recording.drafts.slice(takenCount).filter(({ role }) => role === 'assistant');
      takenCount = recording.drafts.length;
      return steps;
    },
  };
}

function readExec(recording: Recording, file: SourceFile): Facts {
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
      const { input, cacheRead = 0, output = 0 } = made.countsIn(usage);
      const steps = stream.takeSteps();
      if (input === undefined) continue;
      const now = { input, cacheRead, output };
      // A count is of the whole thread; one below the last is that of a new process.
      const before = now.input < counted.input ? NOTHING : counted;
      const grown = made.splitCount({
        input: now.input - before.input,
        cacheRead: now.cacheRead - before.cacheRead,
        output: now.output - before.output,
      });
      if (grown !== undefined) made.shareUsage(grown, steps, { tally });
      counted = now;
    } else if (ITEM_EVENTS.has(type) && isObject(item)) {
      if (item['type'] !== 'todo_list') readItem(tally, stream, { type, item });
      // The end of the turn repeats the last change of a plan.
      else if (type !== 'item.completed') addPlan(stream, item, ++planCount);
    } else if (!EXEC_BOOKKEEPING.has(type)) tally.dropUnknown(type);
  }
  if (recording.drafts.every(({ role }) => role === 'user'))
    throw made.noConversation(file.name, NO_ANSWERS);
  const sessionId = events.flatMap(({ thread_id: id }) => kit.toId(id) ?? [])[0];
  return { sessionId, isOutputFinal: true };
}

function addPlan(stream: StepStream, { items = [] }: kit.Fields, count: number) {
  const id = `plan-${count}`;
  stream.readCall({ id, name: 'update_plan', args: { items } }, 0);
  stream.readResult({ id, output: '' });
}

function readItem(tally: kit.Tally, stream: StepStream, event: kit.Fields) {
  const item = kit.fieldsOf(event['item']);
  const { id, type, text, status } = item;
  const isDone = event['type'] === 'item.completed';
  const toCall = CALLS.get(kit.orEmpty(type));
  if (toCall !== undefined) {
    const { output, ...call } = toCall(item);
    stream.readCall({ id, ...call }, 0);
    if (!isDone || kit.toId(id) === undefined) return;
    stream.readResult({ id, output: kit.orEmpty(output), isError: FAILED.has(status) });
  } else if (isDone && TEXTS.has(type)) {
    const said = kit.toId(text);
    if (said === undefined) return;
    stream.write({ type: type === 'reasoning' ? 'reasoning' : 'text', text: said }, 0);
  } else if (isDone && type !== 'error') tally.dropUnknown(type);
}

function isMark({ type, subtype, tool_call: call, tools, apiKeySource }: kit.Fields) {
  if (type === 'tool_call') return isObject(call);
  const isInit = type === 'system' && subtype === 'init' && tools === undefined;
  return isInit && KEY_SOURCES.has(apiKeySource);
}

function readCursor(recording: Recording, file: SourceFile): Facts {
  const events = recording.readLines(file.lines());
  const stream = createStepStream(recording);
  for (const event of events) readCursorEvent(recording.tally, stream, event);
  const valueOf = (key: string) => events.flatMap((event) => kit.toId(event[key]) ?? [])[0];
  return { sessionId: valueOf('session_id'), model: kit.toModel(valueOf('model'), 'cursor') };
}

function readCursorEvent(tally: kit.Tally, stream: StepStream, event: kit.Fields) {
  const { type, subtype, timestamp_ms: time } = event;
  const createdAt = kit.toTime(time);
  if (type === 'user') {
    const parts = textsOf(event, tally).map((text) => ({ type: 'text' as const, text }));
    stream.addPrompt({ createdAt, parts });
  } else if (type === 'assistant') {
    for (const text of textsOf(event, tally)) {
      const parts = stream.openStep()?.parts ?? [];
      const written = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
      // A stream in small pieces ends them with the whole text, which is left out.
      if (written === text) tally.drop('repeated text');
      else stream.extend({ type: 'text', text }, createdAt);
    }
  } else if (type === 'thinking') {
    const text = kit.toId(event['text']);
    if (text !== undefined) stream.extend({ type: 'reasoning', text }, createdAt);
  } else if (type === 'tool_call' && (subtype === 'started' || subtype === 'completed')) {
    const { result, ...call } = callIn(event);
    // A result repeats its call, and may be the first that is told of it.
    stream.readCall(call, createdAt);
    const isDone = subtype === 'completed' && kit.toId(call.id) !== undefined;
    if (isDone) stream.readResult({ id: call.id, ...toResult(result) });
  } else if (!CURSOR_BOOKKEEPING.has(type)) tally.dropUnknown(type);
}

function textsOf({ message }: kit.Fields, tally: kit.Tally) {
  const pieces = kit.blocksOf(kit.fieldsOf(message)['content']);
  const texts = pieces.flatMap(({ text }) => kit.toText(text) ?? []);
  tally.drop('unknown content part', pieces.length - texts.length);
  return texts.filter((text) => text !== '');
}

function callIn({ call_id: id, tool_call: told }: kit.Fields) {
  const entries = Object.entries(kit.fieldsOf(told));
  const [key, body] = entries.find(([each]) => each === PLAIN_CALL || CALL_SUFFIX.test(each)) ?? [];
  if (key === undefined || !isObject(body)) return { id: undefined };
  const { name, arguments: given, args = given, result } = body;
  return { id, name: key === PLAIN_CALL ? name : key.replace(CALL_SUFFIX, ''), args, result };
}

function toResult(result: unknown) {
  const { success } = kit.fieldsOf(result);
  if (!isObject(result) || success !== undefined) return { output: outputOf(success ?? result) };
  const told = FAILURES.map((key) => result[key]).find((each) => each !== undefined);
  return { output: outputOf(told ?? result), isError: true };
}

function outputOf(told: unknown): string {
  const texts = OUTPUT_KEYS.flatMap((key) => kit.toText(kit.fieldsOf(told)[key]) ?? []);
  if (texts.length > 0) return texts.filter((text) => text !== '').join('\n');
  return kit.toText(told) ?? toJsonText(told);
}

/** Recognizes the first event: streams of other agents call it a `system` event. */
function isInit({ type, session_id: id, model }: kit.Fields) {
  return type === 'init' && typeof id === 'string' && typeof model === 'string';
}

function isGeminiMessage({ type, content, tool_id: callId }: kit.Fields) {
  if (type === 'message') return typeof content === 'string';
  return type === 'tool_use' && typeof callId === 'string';
}

function readGemini(recording: Recording, file: SourceFile): Facts {
  const events = recording.readLines(file.lines());
  const stream = createStepStream(recording);
  for (const event of events) readGeminiEvent(recording, stream, event);
  const { session_id: id, model } = events.find(({ type }) => type === 'init') ?? {};
  return { sessionId: id, model: kit.toModel(model, 'google'), isOutputFinal: true };
}

function readGeminiEvent(recording: Recording, stream: StepStream, event: kit.Fields) {
  const { type, timestamp, stats, tool_id: id, tool_name: name, parameters: args } = event;
  const { tally } = recording;
  const createdAt = kit.toTime(timestamp);
  if (type === 'message') {
    const { role, content, delta } = event;
    const text = kit.orEmpty(content);
    if (role === 'user') stream.addPrompt({ createdAt, parts: kit.toParts(text, tally) });
    else if (role !== 'assistant') tally.drop(kit.NO_ROLE);
    else if (text !== '' && delta === true) stream.extend({ type: 'text', text }, createdAt);
    else if (text !== '') stream.write({ type: 'text', text }, createdAt);
  } else if (type === 'tool_use') stream.readCall({ id, name, args }, createdAt);
  else if (type === 'tool_result') {
    const { status, error, output = kit.fieldsOf(error)['message'] } = event;
    stream.readResult({ id, output: kit.orEmpty(output), isError: status === 'error' });
  } else if (type === 'result') {
    // The tokens of a run are those of all its requests.
    const total = made.splitCount(stats);
    const steps = stream.takeSteps();
    if (total !== undefined && steps.length > 0) made.shareUsage(total, steps, { tally });
  } else if (type !== 'init' && type !== 'error') tally.dropUnknown(type);
}
