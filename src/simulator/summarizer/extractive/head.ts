import {
  isSent,
  isSummary,
  type Message,
  plainToolName,
  type SummaryRequest,
} from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import { toShortLine } from '../../lib/lines.ts';
import { textField, visibleOutput } from '../../session/tool-calls.ts';
import type { Call } from '../../session/touches.ts';
import { quotedSummary } from '../summarizer.ts';

export interface Passage {
  readonly text: string;
  /** Index of the message in the head. */
  readonly at: number;
}

/** A head, sorted by who wrote what. */
export type Head = ReturnType<typeof readHead>;

/** An entry of the model's list, at the message of its state. */
export interface Todo extends Passage {
  readonly state: 'open' | 'doing' | 'done' | 'cancelled';
}

const TODO_CHARS = 200;
const LIST_KEYS = ['todos', 'plan'];
const TEXT_KEYS = ['content', 'text', 'step', 'description', 'title', 'subject'];
const STATES: readonly (readonly [words: RegExp, state: Todo['state']])[] = [
  [/^(?:completed?|done)$/i, 'done'],
  [/^(?:in[_-]progress|active)$/i, 'doing'],
  [/^(?:cancell?ed|deleted)$/i, 'cancelled'],
];

/** Sorts the messages of a request; those that are never sent count for nothing. */
export function readHead({ messages, prompt }: SummaryRequest) {
  const sent = messages
    .map((message, at) => ({ message, at }))
    .filter(({ message }) => isSent(message) && !isSummary(message));
  const written = sent
    .map(({ message, at }) => ({ at, role: message.role, text: writtenText(message) }))
    .filter(({ text }) => text.trim() !== '');
  // The last answer of each turn is a report, the others are remarks.
  const answers = written
    .map((one, index) => ({ ...one, isReport: written[index + 1]?.role !== 'assistant' }))
    .filter(({ role }) => role === 'assistant');
  const previous = messages.findLast(
    (message) =>
      isSummary(message) && message.error === undefined && writtenText(message).trim() !== '',
  );
  const calls: readonly Call[] = sent.flatMap(({ message, at }) =>
    message.parts.filter((part) => part.type === 'tool').map((part) => ({ part, at })),
  );
  return {
    /** Without synthetic ones. */
    requests: written.filter(({ role }) => role === 'user'),
    reports: answers.filter((answer) => answer.isReport),
    remarks: answers.filter((answer) => !answer.isReport),
    calls,
    /** The summary that the head builds on; empty where there is none. */
    previous: previous === undefined ? quotedSummary(prompt) : writtenText(previous),
    /** True if the newest request has its final answer. */
    isAnswered: isAnswered(messages),
  };
}

export function readTodos(calls: readonly Call[]): readonly Todo[] {
  let todos = new Map<string, Todo>();
  for (const call of calls) {
    const list = listOf(call);
    if (list !== undefined) todos = new Map(list.map((todo, index) => [String(index + 1), todo]));
    else updateTask(todos, call);
  }
  return [...todos.values()];
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

function listOf({ part, at }: Call) {
  if (!/todo|plan/.test(plainToolName(part.tool)) || part.state.status === 'error')
    return undefined;
  const list = LIST_KEYS.map((key) => readField(part.state.input, key)).find((value) =>
    Array.isArray(value),
  );
  if (!Array.isArray(list)) return undefined;
  return list.map((entry) => toTodo(entry, at)).filter(({ text }) => text !== '');
}

function toTodo(entry: unknown, at: number) {
  const text = typeof entry === 'string' ? entry : (textField(entry, TEXT_KEYS) ?? '');
  return { text: toShortLine(text, TODO_CHARS), state: stateOf(textField(entry, ['status'])), at };
}

function stateOf(status: string | undefined) {
  return STATES.find(([words]) => words.test(status ?? ''))?.[1] ?? 'open';
}

function updateTask(todos: Map<string, Todo>, { part, at }: Call) {
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
  todos.set(id, { ...todo, state: stateOf(status), at });
}
