import {
  isSent,
  isSummary,
  type Message,
  plainToolName,
  type SummaryRequest,
} from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import { groupBy } from '../../lib/collections.ts';
import { splitSentences, toShortLine } from '../../lib/lines.ts';
import {
  commandOf,
  type FileOperation,
  pathsOf,
  textField,
  visibleOutput,
} from '../../session/tool-calls.ts';
import { type Call, type DatedTouch, isChange, readTouches } from '../../session/shell.ts';
import { quotedSummary } from '../summarizer.ts';
import texts from './homes.json' with { type: 'json' };
import { readEarlier, type Told, TOPICS, type Topic } from './template.ts';

/** One bullet of a summary, at its message or `BEFORE_HEAD`. */
export interface Item extends Told {
  readonly at: number;
}

type Placed = Omit<Item, 'topic'>;

const BEFORE_HEAD = -1;
/** Items of a topic; more than any room holds. */
const MOST_ITEMS = 60;
/** More of a text than any summary has room for. */
const TEXT_CHARS = 2_000;
const LINE_CHARS = 160;
/** Longer sentences are pasted, not said. */
const LONGEST_CONSTRAINT = 300;
const LAST_CALLS = 6;
const LISTED = /^(\S+) \((created|edited|deleted|read|searched)\)$/;
const TASK_KEYS = ['content', 'text', 'step', 'description', 'title', 'subject'];
const STATES: Readonly<Partial<Record<string, string>>> = texts.states;
const LOOKS: readonly FileOperation[] = ['read', 'searched'];
const { words, parts } = texts.cues;
const CONSTRAINT = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${words.join('|')})(?![\\p{L}\\p{N}_])|${parts.join('|')}`,
  'iu',
);

/** The items of a request, the most important of a topic first, each once. */
export function readItems(request: SummaryRequest): readonly Item[] {
  const byTopic = groupBy(findItems(request), ({ topic }) => topic);
  return [...byTopic.values()].flatMap((own) => {
    const lines = own
      .slice(0, MOST_ITEMS)
      .map((item) => ({ ...item, text: toShortLine(item.text, TEXT_CHARS) }));
    return [...groupBy(lines, ({ text }) => text || undefined).values()].map(([item]) => item);
  });
}

function findItems({ messages, prompt }: SummaryRequest): readonly Item[] {
  const summaries = messages.filter((message) => isSummary(message) && message.error === undefined);
  const previous = summaries.map(writtenText).findLast((text) => text.trim() !== '');
  const head = messages
    .map((message, at) => ({ message, at, text: writtenText(message) }))
    .filter(({ message }) => isSent(message) && !isSummary(message));
  const calls = head.flatMap(({ message, at }) =>
    message.parts.filter((part) => part.type === 'tool').map((part) => ({ part, at })),
  );
  const written = head.filter(({ text }) => text.trim() !== '');
  const requests = written.filter(({ message }) => message.role === 'user');
  const last = head.findLast(
    ({ message, text }) => message.role !== 'user' || text !== '',
  )?.message;
  const isAnswered = last?.role === 'assistant' && last.finish === 'stop';
  const since = isAnswered ? Infinity : (requests.at(-1)?.at ?? BEFORE_HEAD);
  const todos = readTodos(calls);
  const earlier = readEarlier(previous ?? quotedSummary(prompt))
    .filter(
      ({ topic }) => (topic !== 'doing' || !head.length) && (topic !== 'open' || !todos.length),
    )
    .map((line) => ({ ...line, at: BEFORE_HEAD }));
  // The first request and the newest are the goal, those between prompts.
  const goals = [...earlier.filter(({ topic }) => topic === 'goal'), ...requests.map(as('goal'))];
  return [
    ...goals.slice(0, 1),
    ...goals.slice(1).slice(-1),
    ...requests.toReversed().flatMap(findConstraints),
    ...goals.slice(1, -1).toReversed().map(as('prompts')),
    ...todos,
    ...tellAnswers(written, since),
    ...tellCalls(calls, since),
    ...findFiles(readTouches(messages, calls), earlier),
    ...earlier.filter((line) => line.topic !== 'goal' && !LISTED.test(line.text)),
  ];
}

/** Sentences of a person about what must or must not be done. */
function findConstraints({ text, at }: Placed): readonly Item[] {
  return splitSentences(text)
    .filter((one) => one.length <= LONGEST_CONSTRAINT && CONSTRAINT.test(one))
    .filter((one) => !/[?？]\s*$/.test(one))
    .map((one) => as('constraints')({ text: one, at }));
}

/** The last answer of a turn is its report; of others, the longest explain the most. */
function tellAnswers(
  written: readonly (Placed & { readonly message: Message })[],
  since: number,
): readonly Item[] {
  const answers = written
    .map((one, index) => ({ ...one, isLast: written[index + 1]?.message.role !== 'assistant' }))
    .filter(({ message }) => message.role === 'assistant')
    .toReversed();
  const reports = answers.filter(({ isLast }) => isLast);
  const remarks = answers.filter(({ isLast }) => !isLast);
  return [
    ...reports.map((answer) => as(answer.at > since ? 'doing' : 'done')(answer)),
    ...remarks.toSorted((a, b) => b.text.length - a.text.length).map(as('remarks')),
  ];
}

/** The last steps of a turn that is not over, and failures, the newest first. */
function tellCalls(calls: readonly Call[], since: number): readonly Item[] {
  const steps = calls.map(({ part, at }) => ({ ...tellCall(part), at })).toReversed();
  const current = steps.filter(({ at, text }) => at > since && text.includes(' '));
  const failed = steps.filter(({ isError }) => isError);
  return [...current.slice(0, LAST_CALLS).map(as('doing')), ...failed.map(as('seen'))];
}

function tellCall(part: Call['part']) {
  const command = commandOf(part);
  const isError = part.state.status === 'error';
  const subject =
    command === undefined
      ? toShortLine([part.tool, ...pathsOf(part)].join(' '), LINE_CHARS)
      : `\`${toShortLine(command, LINE_CHARS).replaceAll('`', "'")}\``;
  const output = visibleOutput(part).trim();
  const last = command === undefined ? '' : output.slice(output.lastIndexOf('\n') + 1);
  const outcome = (isError ? 'failed: ' : '') + toShortLine(isError ? output : last, LINE_CHARS);
  return { isError, text: outcome === '' ? subject : `${subject} → ${outcome}` };
}

function as(topic: Topic) {
  return ({ text, at }: Placed): Item => ({ topic, text, at });
}

function writtenText({ parts }: Message) {
  const texts = parts.flatMap((part) => {
    if (part.type === 'subtask') return [part.prompt];
    return part.type === 'text' && !part.synthetic && !part.ignored ? [part.text] : [];
  });
  return texts.join('\n');
}

function readTodos(calls: readonly Call[]): readonly Item[] {
  let todos = new Map<string, Item>();
  for (const { part, at } of calls) {
    const { input, status } = part.state;
    const tool = plainToolName(part.tool);
    const list = ['todos', 'plan'].map((key) => readField(input, key)).find(Array.isArray);
    const id = textField(input, ['taskId']) ?? '';
    const todo = todos.get(id);
    if (/todo|plan/.test(tool) && status !== 'error' && list !== undefined)
      todos = new Map(list.map((entry: unknown, index) => [String(index + 1), toTodo(entry, at)]));
    else if (tool === 'taskcreate')
      todos.set(/#(\d+)/.exec(visibleOutput(part))?.[1] ?? `${todos.size + 1}`, toTodo(input, at));
    else if (tool === 'taskupdate' && todo !== undefined && textField(input, ['status']))
      todos.set(id, { ...toTodo(input, at), text: todo.text });
  }
  return [...todos.values()].filter(({ topic }) => TOPICS.includes(topic));
}

function toTodo(entry: unknown, at: number): Item {
  const text = typeof entry === 'string' ? entry : (textField(entry, TASK_KEYS) ?? '');
  const status = (textField(entry, ['status']) ?? '').toLowerCase();
  return { topic: (STATES[status] ?? 'open') as Topic, text, at };
}

/** The first change of a file, unless it was deleted, or else the last look; changes first. */
function findFiles(touches: readonly DatedTouch[], earlier: readonly Item[]) {
  const before = earlier.flatMap(({ text, at }) => {
    const [, path, operation] = LISTED.exec(text) ?? [];
    return path === undefined ? [] : [{ path, operation: operation as FileOperation, at }];
  });
  const byPath = new Map<string, DatedTouch>();
  for (const touch of [...before, ...touches]) {
    const known = byPath.get(touch.path);
    const isGone = known?.operation === 'deleted' || touch.operation === 'deleted';
    const isFirst = known === undefined || !isChange(known) || isGone;
    byPath.set(touch.path, isFirst ? touch : { ...touch, operation: known.operation });
  }
  return [...byPath.values()]
    .toSorted((a, b) => LOOKS.indexOf(a.operation) - LOOKS.indexOf(b.operation) || b.at - a.at)
    .map(({ path, operation, at }) => as('files')({ text: `${path} (${operation})`, at }));
}
