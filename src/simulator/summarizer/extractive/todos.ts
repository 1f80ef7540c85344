import { plainToolName } from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import { textField, visibleOutput } from '../../session/tool-calls.ts';
import type { Call } from './head.ts';
import { toShortLine } from './plain-text.ts';

/** One entry of a list that the model keeps for itself. */
export interface Todo {
  readonly text: string;
  readonly label: TodoLabel;
  /** Index of the message in which it got its state. */
  readonly at: number;
}

/** How a summary names the state of an entry. */
export type TodoLabel = 'Open' | 'In progress' | 'Done' | 'Cancelled';

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

/** The list as the calls left it: whole lists replace it, single tasks are added or get a new state. */
export function readTodos(calls: readonly Call[]): readonly Todo[] {
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

function toTodo(entry: unknown, at: number): Todo {
  const text = typeof entry === 'string' ? entry : (textField(entry, TEXT_KEYS) ?? '');
  return { text: toShortLine(text, TODO_CHARS), label: labelOf(textField(entry, ['status'])), at };
}

function labelOf(status: string | undefined): TodoLabel {
  return LABELS.get((status ?? '').toLowerCase()) ?? 'Open';
}
