import { keepIn } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { createRecording, type Recording } from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';
import { withNames } from '../session.ts';

interface Placed {
  readonly thread: Recording;
  readonly data: kit.Fields;
  readonly time: unknown;
}

interface Reading {
  readonly threads: Map<string, Recording>;
  /** Steps since the last counts, with their output if it is known. */
  readonly uncounted: { readonly step: made.DraftMessage; readonly output: number | undefined }[];
  label: string | undefined;
}

const MAIN = '';
const START = 'session.start';
const SYSTEM = 'system.message';
const SAID = kit.wordsIn('assistant.message user.message');
const PROVIDER = 'github-copilot';
const READERS = new Map<unknown, (reading: Reading, event: Placed) => void>([
  [START, noteModel],
  ['session.model_change', noteModel],
  ['system.notification', (_, { thread, data }) => thread.inject(kit.orEmpty(data['content']))],
  ['user.message', readPrompt],
  ['assistant.message', readStep],
  ['tool.execution_complete', readResult],
  ['session.compaction_complete', readCompaction],
  ['session.truncation', readTruncation],
  ['session.shutdown', readCounts],
]);

const BOOKKEEPING =
  /^(?:abort|(?:hook|permission|subagent)\.\w+|assistant\.(?:intent|turn_\w+|\w+_delta)|session\.(?:auto_mode_resolved|compaction_start|context_changed|error|idle|info|mode_changed|plan_changed|resume|task_complete|title_changed|usage_\w+|warning|workspace_file_changed)|tool\.(?:execution_(?:start|progress|partial_result)|user_requested))$/;

/** Events of GitHub Copilot CLI. */
export const copilotCli: SessionFormat = {
  label: 'Copilot CLI events (JSON lines)',
  detect: (file) =>
    kit.hasLines(
      file,
      ({ type, data }) => type === START && 'sessionId' in kit.fieldsOf(data),
      ({ type, data }) => SAID.has(type) && isObject(data),
    ),
  read: readEvents,
};

function readEvents(file: SourceFile) {
  const main = createRecording();
  const threads = new Map([[MAIN, main]]);
  const reading: Reading = { threads, uncounted: [], label: undefined };
  const events = kit.readObjectLines(file.lines(), main.tally);
  const systems = events
    .filter(({ type }) => type === SYSTEM)
    .map(({ data }) => kit.fieldsOf(data));
  for (const { type, data, timestamp: time } of events) {
    const read = READERS.get(type);
    const fields = kit.fieldsOf(data);
    if (read !== undefined) {
      read(reading, { thread: threadOf(threads, keyOf(fields)), data: fields, time });
    } else if (type !== SYSTEM && !BOOKKEEPING.test(kit.orEmpty(type))) {
      main.tally.dropUnknown(type);
    }
  }
  const start = kit.fieldsOf(events.find(({ type }) => type === START)?.['data']);
  const sessionId = kit.toId(start['sessionId']);
  const findSideIds = made.findByCallId(new Map([...threads.keys()].map((key) => [key, [key]])));
  const sessions = [...threads].map(([key, thread]) => {
    // The first system prompt holds.
    const own = systems.filter((data) => keyOf(data) === key);
    const [system, ...later] = new Set(own.flatMap(({ content }) => kit.toId(content) ?? []));
    thread.tally.drop('later system prompt', later.length);
    return thread.finish({
      sessionId: key === MAIN ? sessionId : key,
      isSide: key !== MAIN,
      parentSessionId: key === MAIN ? undefined : sessionId,
      findSideIds,
      system,
      model: reading.label,
      isOutputFinal: true,
    });
  });
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  return made.withMessages(withNames(file.name, spoken), file.name, 'events without messages');
}

function keyOf({ parentToolCallId: id }: kit.Fields) {
  return kit.toId(id) ?? MAIN;
}

/** The thread of a sub-agent begins with the prompt of its call. */
function threadOf(threads: Map<string, Recording>, key: string) {
  return keepIn(threads, key, () => {
    const thread = createRecording();
    const drafts = [...threads.values()].flatMap((other) => other.drafts);
    for (const { parts, createdAt: time } of drafts) {
      const call = parts.find((part) => part.type === 'tool' && part.callId === key);
      const prompt =
        call?.type === 'tool' ? kit.toId(kit.valueAt(call.state.input, 'prompt')) : undefined;
      if (prompt !== undefined) thread.readPrompt({ content: prompt, time });
    }
    return thread;
  });
}

function noteModel(reading: Reading, { data }: Placed) {
  const { newModel, selectedModel } = data;
  reading.label = kit.toModel(newModel ?? selectedModel, PROVIDER) ?? reading.label;
}

function readPrompt(_reading: Reading, { thread, data, time }: Placed) {
  const { content, transformedContent, attachments } = data;
  thread.tally.drop('attachment without content', kit.toList(attachments).length);
  const said = kit.orEmpty(content);
  const sent = kit.toText(transformedContent) ?? said;
  const at = said === '' ? -1 : sent.indexOf(said);
  const around = [sent.slice(0, at), said, sent.slice(at + said.length)];
  const files = (at === -1 ? [sent] : around).map((text, index): kit.DraftPart => {
    return { type: 'text', text, ...(at !== -1 && index !== 1 && { synthetic: true }) };
  });
  const written = files.filter((part) => part.type === 'text' && part.text.trim() !== '');
  thread.readPrompt({ time, files: written });
}

function readStep(reading: Reading, { thread, data, time }: Placed) {
  const { content, reasoningText: thinking, messageId: id, model, outputTokens } = data;
  const step = thread.readStep({
    id,
    time,
    content,
    thinking,
    model: kit.toModel(model, PROVIDER) ?? reading.label,
    calls: data['toolRequests'],
  });
  reading.uncounted.push({ step, output: kit.toTokens(outputTokens) });
}

/** Reads the text that the model got, without the details for the screen. */
function readResult(_reading: Reading, { thread, data }: Placed) {
  const { toolCallId: id, success, result, error } = data;
  const told = isObject(result) ? result['content'] : (result ?? kit.fieldsOf(error)['message']);
  thread.readResult({ id, content: told, isError: success === false });
}

function readCompaction(_reading: Reading, { thread, data }: Placed) {
  if (data['success'] === false) return;
  thread.addCompaction({
    tokensBefore: data['preCompactionTokens'],
    tokensAfter: data['postCompactionTokens'],
    summary: data['summaryContent'],
  });
}

/** A truncation is no compaction: what it removed is not told. */
function readTruncation(_reading: Reading, { thread, data }: Placed) {
  thread.addWindow(data['tokenLimit']);
  const removed =
    kit.toTokens(kit.valueAt(data, 'tokensRemovedDuringTruncation droppedTokens')) ?? 0;
  if (removed > 0) thread.tally.drop('truncation');
}

/** The tokens of a run are those of its steps if one history had a request for each. */
function readCounts({ uncounted, threads }: Reading, { data }: Placed) {
  const counted = uncounted.splice(0);
  const main = threads.get(MAIN);
  if (main === undefined) return;
  const isOneHistory = threads.size === 1 && main.compactions.length === 0;
  for (const [name, metrics] of Object.entries(kit.fieldsOf(data['modelMetrics']))) {
    const { usage, requests } = kit.fieldsOf(metrics);
    const total = made.splitCount(usage);
    if (total === undefined) continue;
    const own = counted.filter(({ step }) => step.model === kit.toModel(name, PROVIDER));
    const outputs = own.flatMap(({ output }) => output ?? []);
    const isWhole = isOneHistory && own.length === kit.fieldsOf(requests)['count'];
    const known = outputs.length === own.length && { outputs };
    const steps = own.map(({ step }) => step);
    if (isWhole) made.shareUsage(total, steps, { tally: main.tally, ...known });
    else main.tally.drop('usage of other requests');
  }
}
