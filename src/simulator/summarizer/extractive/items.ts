import {
  isSent,
  isSummary,
  type Message,
  plainToolName,
  type SummaryRequest,
} from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import { keepIn, perKey } from '../../lib/collections.ts';
import { toShortLine } from '../../lib/lines.ts';
import {
  commandOf,
  type FileOperation,
  pathsOf,
  textField,
  visibleOutput,
} from '../../session/tool-calls.ts';
import { type Call, type DatedTouch, isChange, readTouches } from '../../session/touches.ts';
import { headTexts, quotedSummary } from '../summarizer.ts';
import texts from './homes.json' with { type: 'json' };
import { readEarlier, type Told, TOPICS, type Topic } from './template.ts';

/** One bullet of a summary, at its message or `BEFORE_HEAD`. */
export interface Item extends Told {
  readonly at: number;
}

const BEFORE_HEAD = -1;
/** Items of a topic; more than any room holds. */
const MOST_ITEMS = 60;
/** More of a text than any summary has room for. */
const TEXT_CHARS = 2_000;
const LINE_CHARS = 160;
const LAST_CALLS = 6;
const LISTED = /^(\S+) \((created|edited|deleted|read|searched)\)$/;
const TASK_KEYS = ['content', 'text', 'step', 'description', 'title', 'subject'];
const STATES: Readonly<Partial<Record<string, string>>> = texts.states;
/** Behind changes, which are none of them. */
const LOOKS: readonly FileOperation[] = ['read', 'searched'];

const tellCall = perKey((part: Call['part']) => {
  const command = commandOf(part);
  const isError = part.state.status === 'error';
  const subject =
    command === undefined
      ? toShortLine([part.tool, ...pathsOf(part)].join(' '), LINE_CHARS)
      : `\`${toShortLine(command, LINE_CHARS).replaceAll('`', "'")}\``;
  const output = visibleOutput(part).trim();
  const last = command === undefined ? '' : (output.slice(-TEXT_CHARS).split('\n').at(-1) ?? '');
  const outcome = (isError ? 'failed: ' : '') + toShortLine(isError ? output : last, LINE_CHARS);
  return { isError, text: outcome === '' ? subject : `${subject} → ${outcome}` };
});

/** The items of a request, the most important of a topic first, each once; of a head without any, its first text. */
export function readItems(request: SummaryRequest): readonly Item[] {
  const items = withoutRepeated(findItems(request));
  if (items.length > 0) return items;
  const texts = headTexts(request.messages).map((text) => ({ text, at: BEFORE_HEAD }));
  return withoutRepeated(texts.map(as('goal'))).slice(0, 1);
}

function withoutRepeated(items: readonly Item[]) {
  const told = new Map<Topic, Map<string, Item>>();
  for (const item of items) {
    const own = keepIn(told, item.topic, () => new Map<string, Item>());
    const text = own.size < MOST_ITEMS ? toShortLine(item.text, TEXT_CHARS) : '';
    if (text !== '' && !own.has(text)) own.set(text, { ...item, text });
  }
  return [...told.values()].flatMap((own) => [...own.values()]);
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
  const since = isAnswered(messages) ? Infinity : (requests.at(-1)?.at ?? BEFORE_HEAD);
  const todos = readTodos(calls);
  const earlier = readEarlier(previous ?? quotedSummary(prompt))
    .filter(({ topic }) => topic !== 'doing' || head.length === 0)
    .filter(({ topic }) => topic !== 'open' || todos.length === 0)
    .map((line) => ({ ...line, at: BEFORE_HEAD }));
  // The first request and the newest are the goal, those between prompts.
  const goals = [...earlier.filter(({ topic }) => topic === 'goal'), ...requests.map(as('goal'))];
  return [
    ...goals.slice(0, 1),
    ...goals.slice(1).slice(-1),
    ...goals.slice(1, -1).toReversed().map(as('prompts')),
    ...todos,
    ...tellAnswers(written, since),
    ...tellCalls(calls, since),
    ...findFiles(readTouches(messages, calls), earlier),
    ...earlier.filter((line) => line.topic !== 'goal' && !LISTED.test(line.text)),
  ];
}

/** The last answer of a turn is its report; of others, the longest explain the most. */
function tellAnswers(
  written: readonly { readonly message: Message; readonly text: string; readonly at: number }[],
  since: number,
): readonly Item[] {
  const answers = written.flatMap(({ message, text, at }, index) => {
    if (message.role !== 'assistant') return [];
    const isRemark = written[index + 1]?.message.role === 'assistant';
    return [as<Topic>(isRemark ? 'remarks' : at > since ? 'doing' : 'done')({ text, at })];
  });
  const remarks = answers.filter(({ topic }) => topic === 'remarks');
  const reports = answers.filter(({ topic }) => topic !== 'remarks');
  return [...reports.toReversed(), ...remarks.toReversed().toSorted(byLength)];
}

/** The last steps of a turn that is not over, and failures, the newest first. */
function tellCalls(calls: readonly Call[], since: number): readonly Item[] {
  const steps = calls.map(({ part, at }) => ({ ...tellCall(part), at })).toReversed();
  const current = steps.filter(({ at, text }) => at > since && text.includes(' '));
  return [
    ...current.slice(0, LAST_CALLS).map(as('doing')),
    ...steps.filter(({ isError }) => isError).map(as('seen')),
  ];
}

function byLength(a: { readonly text: string }, b: { readonly text: string }) {
  return b.text.length - a.text.length;
}

function as<Own extends Topic>(topic: Own) {
  return ({ text, at }: Omit<Item, 'topic'>) => ({ topic, text, at });
}

function writtenText({ parts }: Message) {
  const texts = parts.flatMap((part) => {
    if (part.type === 'subtask') return [part.prompt];
    return part.type === 'text' && !part.synthetic && !part.ignored ? [part.text] : [];
  });
  return texts.join('\n');
}

function isAnswered(messages: readonly Message[]) {
  const last = messages.findLast((message) =>
    message.role === 'user' ? writtenText(message) !== '' : !isSummary(message),
  );
  return last?.role === 'assistant' && last.finish === 'stop';
}

function readTodos(calls: readonly Call[]): readonly Item[] {
  let todos = new Map<string, ReturnType<typeof toTodo>>();
  for (const { part, at } of calls) {
    const { input, status } = part.state;
    const tool = plainToolName(part.tool);
    const list = ['todos', 'plan'].map((key) => readField(input, key)).find(Array.isArray);
    const id = textField(input, ['taskId']) ?? '';
    const todo = todos.get(id);
    if (/todo|plan/.test(tool) && status !== 'error' && list !== undefined)
      todos = new Map(list.map((entry: unknown, index) => [String(index + 1), toTodo(entry, at)]));
    else if (tool === 'taskcreate') {
      const made = /#(\d+)/.exec(visibleOutput(part).slice(0, LINE_CHARS))?.[1];
      todos.set(made ?? String(todos.size + 1), toTodo(input, at));
    } else if (tool === 'taskupdate' && todo !== undefined && textField(input, ['status']))
      todos.set(id, { ...toTodo(input, at), text: todo.text });
  }
  return [...todos.values()].filter(({ topic }) => TOPICS.includes(topic));
}

function toTodo(entry: unknown, at: number) {
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
    const isNews =
      isChange(touch) && (known?.operation === 'deleted' || touch.operation === 'deleted');
    const { operation } = known !== undefined && isChange(known) && !isNews ? known : touch;
    byPath.set(touch.path, { ...touch, operation });
  }
  return [...byPath.values()]
    .toSorted((a, b) => LOOKS.indexOf(a.operation) - LOOKS.indexOf(b.operation) || b.at - a.at)
    .map(({ path, operation, at }) => as('files')({ text: `${path} (${operation})`, at }));
}
