import { plainToolName } from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import { perKey } from '../../lib/collections.ts';
import { isLooking } from '../../session/shell.ts';
import { commandOf, pathsOf, textField, visibleOutput } from '../../session/tool-calls.ts';
import { NO_TROUBLE, OPEN_WORK, TROUBLE } from './cues.ts';
import { type Call, findSentences, type Head, type Passage, toShortLine } from './head.ts';
import type { OftenRan } from './mentions.ts';
import { BEFORE_HEAD, type Item, keyOf, WEIGHTS } from './template.ts';
import { type DatedTouch, isChange } from './touches.ts';

/** Evidence of completed work in the calls of a head. */
interface Evidence {
  readonly runs: readonly Run[];
  readonly touches: readonly DatedTouch[];
  readonly oftenRan: readonly OftenRan[];
}

/** A call that ran a command, or one of any other tool that failed. */
export interface Run {
  /** The command in back-quotes, or the tool with its file. */
  readonly subject: string;
  readonly isCommand: boolean;
  readonly at: number;
  readonly isOk: boolean;
  /** Lines that tell what went wrong. */
  readonly troubles: readonly string[];
  /** The last line of the output. */
  readonly lastLine: string;
}

/** One entry of a list that the model keeps for itself. */
interface Todo {
  readonly text: string;
  readonly label: TodoLabel;
  /** Index of the message in which it got its state. */
  readonly at: number;
}

/** How a summary names the state of an entry. */
type TodoLabel = 'Open' | 'In progress' | 'Done' | 'Cancelled';

const ANSWER_CHARS = 320;
const OPEN_CHARS = 240;
/** Changed files that are named; the section of files has all of them. */
const NAMED_CHANGES = 5;
const DONE = 'Done: ';
const DOING = 'In progress: ';
const OPEN = 'Open: ';
const CHANGED = 'Changed: ';
const LABEL = /^(?:Done|In progress|Open|Cancelled): /;
const OFTEN_RAN = 'Ran more than once: ';
/** Begins an item about a command; a later run of the same command replaces it. */
const RAN = /^Ran `[^`]*`/;

/** Where a command begins to say only what becomes of its output. */
const PLUMBING = /\s*(?:\d?>&\d|(?<!\|)\|(?!\|)).*/s;
const COMMAND_CHARS = 120;
const LINE_CHARS = 160;
/** Read of a huge output: that much of its beginning and that much of its end. */
const OUTPUT_WINDOW_CHARS = 8_000;
/** Lines of trouble taken from the beginning of an output; one more is taken from its end. */
const FIRST_TROUBLES = 2;

const runIn = perKey((part: Call['part']): Omit<Run, 'at'> => {
  const command = commandOf(part);
  const lines = linesOf(visibleOutput(part));
  const found = lines.filter((line) => TROUBLE.test(line) && !NO_TROUBLE.test(line));
  const isError = part.state.status === 'error';
  const troubles = isError && found.length === 0 ? lines.slice(0, 1) : pickTroubles(found);
  return {
    subject: command === undefined ? toolSubject(part) : `\`${quoteCommand(command)}\``,
    isCommand: command !== undefined,
    isOk: !isError && found.length === 0,
    troubles: troubles.map((line) => toShortLine(line, LINE_CHARS)),
    lastLine: toShortLine(lines.at(-1) ?? '', LINE_CHARS),
  };
});

const TODO_CHARS = 200;
const LIST_KEYS = ['todos', 'plan'];
const TEXT_KEYS = ['content', 'text', 'step', 'description', 'title', 'subject'];
const LABELS = new Map<string, TodoLabel>([
  ['completed', 'Done'],
  ['complete', 'Done'],
  ['done', 'Done'],
  ['in_progress', 'In progress'],
  ['in-progress', 'In progress'],
  ['active', 'In progress'],
  ['cancelled', 'Cancelled'],
  ['canceled', 'Cancelled'],
  ['deleted', 'Cancelled'],
]);

/** Finds completed, current and open work. */
export function findProgress(
  head: Head,
  { runs, touches, oftenRan }: Evidence,
  previous: readonly Item[],
): readonly Item[] {
  const todos = readTodos(head.calls);
  return [
    ...keepEarlier(previous, head, { hasTodos: todos.length > 0 }),
    ...head.answers.filter(isLastOfTurn).map((answer) => toReport(answer, head)),
    ...findChanges(touches),
    ...findRuns(runs, oftenRan),
    ...todos.map(toTodoItem),
    ...findOpenWork(head),
    ...findCurrentRequest(head),
  ];
}

/** Commands and their outcomes, oldest first. Commands that only look around count when they fail. */
export function readRuns(head: Head): readonly Run[] {
  return head.calls.filter(hasEnded).flatMap((call) => {
    const command = commandOf(call.part);
    const isQuiet = command === undefined || isLooking(command);
    if (isQuiet && call.part.state.status !== 'error') return [];
    return [{ at: call.at, ...runIn(call.part) }];
  });
}

/** The key that runs of one command share, however their outputs were cut. */
export function runKey(subject: string): string {
  return subject.replace(PLUMBING, '').replace(/`$/, '');
}

/** The list as the calls left it: whole lists replace it, single tasks are added or get a new state. */
function readTodos(calls: readonly Call[]): readonly Todo[] {
  let todos = new Map<string, Todo>();
  for (const call of calls) {
    const list = listOf(call);
    if (list !== undefined) todos = new Map(list.map((todo, index) => [String(index + 1), todo]));
    else updateTask(todos, call);
  }
  return [...todos.values()];
}

function listOf({ part, at }: Call): readonly Todo[] | undefined {
  if (!/todo|plan/.test(plainToolName(part.tool)) || part.state.status === 'error')
    return undefined;
  const list = LIST_KEYS.map((key) => readField(part.state.input, key)).find((value) =>
    Array.isArray(value),
  );
  if (!Array.isArray(list)) return undefined;
  return list.map((entry) => toTodo(entry, at)).filter(({ text }) => text !== '');
}

function toTodo(entry: unknown, at: number): Todo {
  const text = typeof entry === 'string' ? entry : (textField(entry, TEXT_KEYS) ?? '');
  return { text: toShortLine(text, TODO_CHARS), label: labelOf(textField(entry, ['status'])), at };
}

function labelOf(status: string | undefined): TodoLabel {
  return LABELS.get((status ?? '').toLowerCase()) ?? 'Open';
}

function updateTask(todos: Map<string, Todo>, { part, at }: Call): void {
  const { input } = part.state;
  const tool = plainToolName(part.tool);
  if (tool === 'taskcreate') {
    const id = /#(\d+)/.exec(visibleOutput(part).slice(0, TODO_CHARS))?.[1];
    const todo = toTodo({ content: textField(input, ['subject', 'description']) }, at);
    if (todo.text !== '') todos.set(id ?? String(todos.size + 1), todo);
  }
  const id = textField(input, ['taskId']);
  const todo = id === undefined ? undefined : todos.get(id);
  const status = textField(input, ['status']);
  if (tool !== 'taskupdate' || id === undefined || todo === undefined || status === undefined)
    return;
  todos.set(id, { ...todo, label: labelOf(status), at });
}

/** Replaces earlier open work by a newer to-do list, and earlier current work by a newer request. */
function keepEarlier(
  previous: readonly Item[],
  head: Head,
  { hasTodos }: { readonly hasTodos: boolean },
): readonly Item[] {
  const isSuperseded = head.requests.length > 0 || head.isAnswered;
  return previous
    .filter(({ text }) => !(hasTodos && text.startsWith(OPEN)))
    .filter(({ text }) => !((isSuperseded || hasTodos) && text.startsWith(DOING)))
    .map(({ text, weight, key }) => {
      const isLeft = text.startsWith(OPEN) || text.startsWith(DOING);
      const item = toItem(text, isLeft ? WEIGHTS.important : WEIGHTS.useful, BEFORE_HEAD);
      return { ...item, ...(key !== undefined && { key }), weight: Math.max(item.weight, weight) };
    });
}

function toItem(text: string, weight: number, at: number): Item {
  return { text, weight, at, key: progressKey(text) };
}

/** The newest state of a piece of work holds, and the newest run of a command. */
function progressKey(text: string): string {
  if (text.startsWith(CHANGED)) return CHANGED;
  const ran = RAN.exec(text)?.[0];
  return ran === undefined ? keyOf(text.replace(LABEL, '')) : runKey(ran);
}

function isLastOfTurn({ turn }: Passage, index: number, answers: readonly Passage[]): boolean {
  return answers[index + 1]?.turn !== turn;
}

function toReport({ text, at, turn }: Passage, head: Head): Item {
  const isUnderWay = turn === head.requests.length && !head.isAnswered;
  const report = labelled(isUnderWay ? DOING : DONE, toShortLine(text, ANSWER_CHARS));
  return toItem(report, WEIGHTS.important, at);
}

/** A text that was clipped to nothing stays nothing. */
function labelled(label: string, text: string): string {
  return text === '' ? '' : label + text;
}

/** The newest of the changed files, in one item. */
function findChanges(touches: readonly DatedTouch[]): readonly Item[] {
  const changes = touches.filter(isChange).toReversed();
  const paths = [...new Set(changes.map(({ path }) => path))];
  const more = paths.length > NAMED_CHANGES ? ` and ${paths.length - NAMED_CHANGES} more` : '';
  const text = CHANGED + paths.slice(0, NAMED_CHANGES).join(', ') + more;
  return changes.slice(0, 1).map(({ at }) => toItem(text, WEIGHTS.useful, at));
}

/** The newest run of each command. One that was run more than once is kept longer, with how it went or without. */
function findRuns(runs: readonly Run[], oftenRan: readonly OftenRan[]): readonly Item[] {
  const weights = new Map(oftenRan.map(({ command, weight }) => [`\`${command}\``, weight]));
  const newest = new Map(runs.map((run) => [runKey(run.subject), run.subject]));
  const subjects = new Set(newest.values());
  return [
    ...runs
      .filter(({ isCommand }) => isCommand)
      .map((run) => toRanItem(run, weights.get(run.subject) ?? WEIGHTS.useful)),
    ...oftenRan
      .filter(({ command }) => !subjects.has(`\`${command}\``))
      .map(({ command, weight, at }) => toItem(`${OFTEN_RAN}\`${command}\``, weight, at)),
  ];
}

function toRanItem({ subject, at, isOk, troubles, lastLine }: Run, weight: number): Item {
  const outcome = isOk ? 'ok' : 'failed';
  const detail = isOk ? lastLine : (troubles.at(-1) ?? '');
  const text = `Ran ${subject}: ${outcome}${detail === '' ? '' : ` (${detail})`}`;
  return toItem(text, weight, at);
}

function toTodoItem({ text, label, at }: Todo): Item {
  const isLeft = label === 'Open' || label === 'In progress';
  return toItem(`${label}: ${text}`, isLeft ? WEIGHTS.vital : WEIGHTS.useful, at);
}

/** Open work of the newest turn; that of older turns has been overtaken. */
function findOpenWork(head: Head): readonly Item[] {
  const answers = head.answers.filter(({ turn }) => turn === head.requests.length);
  return findSentences(answers, OPEN_WORK).map(({ text, at }) =>
    toItem(labelled(OPEN, toShortLine(text, OPEN_CHARS)), WEIGHTS.important, at),
  );
}

function findCurrentRequest(head: Head): readonly Item[] {
  const request = head.requests.at(-1);
  if (request === undefined || head.isAnswered) return [];
  const text = labelled(DOING, toShortLine(request.text, OPEN_CHARS));
  return [toItem(text, WEIGHTS.vital, request.at)];
}

function hasEnded({ part }: Call): boolean {
  return part.state.status === 'completed' || part.state.status === 'error';
}

function linesOf(output: string): readonly string[] {
  const window =
    output.length <= 2 * OUTPUT_WINDOW_CHARS
      ? output
      : `${output.slice(0, OUTPUT_WINDOW_CHARS)}\n${output.slice(-OUTPUT_WINDOW_CHARS)}`;
  return window.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
}

function pickTroubles(found: readonly string[]): readonly string[] {
  return [...new Set([...found.slice(0, FIRST_TROUBLES), ...found.slice(-1)])];
}

function toolSubject(part: Call['part']): string {
  return toShortLine([part.tool, ...pathsOf(part)].join(' '), COMMAND_CHARS);
}

/** Back-quotes inside would end the quotation early. */
function quoteCommand(command: string): string {
  return toShortLine(command, COMMAND_CHARS).replaceAll('`', "'");
}
