import { addToGroup, groupBy, perKey } from '../../lib/collections.ts';
import { toLine, toShortLine } from '../../lib/lines.ts';
import { isLooking } from '../../session/shell.ts';
import { commandOf, type FileOperation, pathsOf, visibleOutput } from '../../session/tool-calls.ts';
import { type Call, type DatedTouch, isChange, readTouches } from '../../session/touches.ts';
import { headTexts, type SummaryRequest } from '../summarizer.ts';
import { type Head, type Passage, readHead, readTodos, type Todo } from './head.ts';
import { type ByTopic, byTopic, readEarlier, TOPICS, type Topic } from './template.ts';

/** One bullet of a summary, at its message or `BEFORE_HEAD`. */
export type Item = Passage;

type ToldCall = ReturnType<typeof tellCall> & { readonly at: number };

const BEFORE_HEAD = -1;
/** More of a text than any summary has room for. */
const TEXT_CHARS = 2_000;
const REMARK_CHARS = 600;
const LINE_CHARS = 160;
const COMMAND_CHARS = 160;
const LAST_CALLS = 6;
const LISTED = /^(\S+) \((created|edited|deleted|read|searched)\)$/;

const tellCall = perKey((part: Call['part']) => {
  const command = commandOf(part);
  const isCommand = command !== undefined;
  const isError = part.state.status === 'error';
  return {
    subject: isCommand
      ? `\`${toShortLine(command, COMMAND_CHARS).replaceAll('`', "'")}\``
      : toShortLine([part.tool, ...pathsOf(part)].join(' '), COMMAND_CHARS),
    isCommand,
    isLooking: isCommand && isLooking(command),
    isError,
    /** True if it has more than the name of its tool. */
    isTelling: isCommand || isError || pathsOf(part).length > 0,
    /** First and last line of what a command or an error said. */
    outcome: isCommand || isError ? outcomeOf(visibleOutput(part)) : '',
  };
});

/** The items of a request by topic, the most important first, each once. */
export function readTopics(request: SummaryRequest): ByTopic<readonly Item[]> {
  const head = readHead(request);
  const todos = readTodos(head.calls);
  const calls = head.calls.map(({ part, at }) => ({ ...tellCall(part), at }));
  const earlier = readEarlierItems(head, todos);
  const touches = readTouches(request.messages, head.calls);
  const own: ByTopic<readonly Item[]> = {
    ...findRequests(head, earlier.goal.length > 0),
    done: [...ofState(todos, 'done'), ...findReports(head), ...findRepeated(calls)],
    doing: findCurrent(head, calls, todos),
    next: findNext(head, todos),
    open: ofState(todos, 'open'),
    failures: findFailures(calls),
    remarks: findRemarks(head),
    files: findFiles(touches, earlier.files),
  };
  const all = byTopic((topic) => {
    if (topic === 'files') return withoutRepeated(own.files);
    // The earlier goal comes before newer requests, anything else behind what is new.
    const inOrder = [own[topic], earlier[topic]];
    return withoutRepeated((topic === 'goal' ? inOrder.toReversed() : inOrder).flat());
  });
  const isEmpty = TOPICS.every((topic) => all[topic].length === 0);
  return isEmpty ? { ...all, goal: findAnyText(request) } : all;
}

/** Its current work is over, and a newer list replaces its open work. */
function readEarlierItems(head: Head, todos: readonly Todo[]) {
  const isOver = head.requests.length + head.calls.length + head.reports.length > 0;
  const gone: readonly Topic[] = [
    ...(isOver ? (['doing', 'next'] as const) : []),
    ...(todos.length > 0 ? (['open'] as const) : []),
  ];
  const byOwn = new Map<Topic, Item[]>();
  for (const { topic, text } of readEarlier(head.previous)) {
    const isSecondGoal = topic === 'goal' && byOwn.has('goal');
    addToGroup(byOwn, isSecondGoal ? 'prompts' : topic, { text, at: BEFORE_HEAD });
  }
  return byTopic((topic) => (gone.includes(topic) ? [] : (byOwn.get(topic) ?? [])));
}

/** The first request and the newest are the goal, those between prompts. */
function findRequests({ requests }: Head, hasEarlierGoal: boolean) {
  const items = requests.map((request) => toItem(request, TEXT_CHARS));
  const first = hasEarlierGoal ? [] : items.slice(0, 1);
  const rest = items.slice(first.length);
  return { goal: [...first, ...rest.slice(-1)], prompts: rest.slice(0, -1).toReversed() };
}

function toItem({ text, at }: Passage, maxChars: number) {
  return { text: toShortLine(text, maxChars), at };
}

function findReports({ reports, isAnswered, requests }: Head) {
  const current = isAnswered ? Infinity : (requests.at(-1)?.at ?? -1);
  return reports
    .filter(({ at }) => at < current)
    .map((report) => toItem(report, TEXT_CHARS))
    .toReversed();
}

function findRepeated(calls: readonly ToldCall[]) {
  const commands = calls.filter((call) => call.isCommand && !call.isLooking);
  return [...groupBy(commands, ({ subject }) => subject).values()]
    .flatMap((runs) => {
      const last = runs.at(-1);
      if (last === undefined || runs.length < 2) return [];
      return [{ text: `Ran ${runs.length} times: ${withOutcome(last)}`, at: last.at }];
    })
    .toSorted((a, b) => b.at - a.at);
}

/** Of the list, then the last answer and calls of a turn that is not over. */
function findCurrent(
  { reports, isAnswered, requests }: Head,
  calls: readonly ToldCall[],
  todos: readonly Todo[],
) {
  const listed = ofState(todos, 'doing');
  if (isAnswered) return listed;
  const since = requests.at(-1)?.at ?? -1;
  const said = reports.filter(({ at }) => at > since).map((report) => toItem(report, TEXT_CHARS));
  const steps = calls
    .filter(({ at, isTelling }) => isTelling && at > since)
    .slice(-LAST_CALLS)
    .map((call) => ({ text: withOutcome(call), at: call.at }));
  return [...listed, ...said.toReversed(), ...steps.toReversed()];
}

function withOutcome({ subject, isError, outcome }: ToldCall) {
  const told = [isError ? 'failed' : '', outcome].filter((text) => text !== '').join(': ');
  return told === '' ? subject : `${subject} → ${told}`;
}

function findNext({ requests, isAnswered }: Head, todos: readonly Todo[]) {
  const listed = [...ofState(todos, 'doing'), ...ofState(todos, 'open')].slice(0, 1);
  if (listed.length > 0 || isAnswered) return listed;
  return requests.slice(-1).map((request) => toItem(request, LINE_CHARS));
}

function ofState(todos: readonly Todo[], state: Todo['state']) {
  return todos.filter((todo) => todo.state === state).map(({ text, at }) => ({ text, at }));
}

/** The newest first; those that never went well later before the others. */
function findFailures(calls: readonly ToldCall[]) {
  const lastOk = new Map(
    calls.filter(({ isError }) => !isError).map(({ subject, at }) => [subject, at]),
  );
  const isMended = ({ subject, at }: ToldCall) => (lastOk.get(subject) ?? -1) > at;
  return calls
    .filter(({ isError }) => isError)
    .toReversed()
    .toSorted((a, b) => Number(isMended(a)) - Number(isMended(b)))
    .map((call) => ({
      text: withOutcome(call) + (isMended(call) ? ' (went well later)' : ''),
      at: call.at,
    }));
}

/** Explanations are longer than announcements, so the longest come first. */
function findRemarks({ remarks }: Head) {
  return remarks
    .map((remark) => toItem(remark, REMARK_CHARS))
    .toReversed()
    .toSorted((a, b) => b.text.length - a.text.length);
}

function findFiles(touches: readonly DatedTouch[], earlier: readonly Item[]) {
  const inWords = earlier.filter(({ text }) => !LISTED.test(text));
  const byPath = new Map<string, DatedTouch>();
  for (const touch of [...earlier.flatMap(listedTouch), ...touches]) {
    const operation = mergeOperation(byPath.get(touch.path)?.operation, touch.operation);
    byPath.set(touch.path, { ...touch, operation });
  }
  const ranked = [...byPath.values()]
    .toReversed()
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.at - a.at);
  return [
    ...ranked.map(({ path, operation, at }) => ({ text: `${path} (${operation})`, at })),
    ...inWords,
  ];
}

function rankOf(touch: DatedTouch) {
  return isChange(touch) ? 0 : touch.operation === 'read' ? 1 : 2;
}

function listedTouch({ text }: Item) {
  const [, path, operation] = LISTED.exec(text) ?? [];
  if (path === undefined || operation === undefined) return [];
  return [{ path, operation: operation as FileOperation, at: BEFORE_HEAD }];
}

/** A change outweighs a look; writing a file that was there is an edit; a file made here stays so. */
function mergeOperation(before: FileOperation | undefined, now: FileOperation) {
  if (before === undefined || before === 'searched' || now === 'deleted') return now;
  if (now === 'read' || now === 'searched') return before;
  return before === 'created' || before === 'deleted' ? 'created' : 'edited';
}

function findAnyText({ messages }: SummaryRequest) {
  const lines = headTexts(messages).map((raw) => toShortLine(raw, LINE_CHARS));
  const text = lines.find((line) => line !== '');
  return text === undefined ? [] : [{ text, at: BEFORE_HEAD }];
}

function withoutRepeated(items: readonly Item[]) {
  const seen = new Set<string>(['']);
  return items.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function outcomeOf(output: string) {
  const trimmed = output.trim();
  const firstEnd = trimmed.search(/[\r\n]/);
  if (firstEnd < 0) return toShortLine(trimmed, LINE_CHARS);
  const [last = ''] = trimmed
    .slice(-LINE_CHARS)
    .split(/[\r\n]/)
    .slice(-1);
  return `${toShortLine(trimmed.slice(0, firstEnd), LINE_CHARS / 2)} … ${toLine(last)}`;
}
