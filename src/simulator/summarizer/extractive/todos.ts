import { plainToolName } from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import { toShortLine } from '../../lib/lines.ts';
import { textField, visibleOutput } from '../../session/tool-calls.ts';
import type { Call } from '../../session/touches.ts';

/** One entry of a list that the model keeps for itself. */
export interface Todo {
  readonly text: string;
  readonly state: TodoState;
  /** Index of the message in which it got its state. */
  readonly at: number;
}

type TodoState = 'open' | 'doing' | 'done' | 'cancelled';

const TODO_CHARS = 200;
const LIST_KEYS = ['todos', 'plan'];
const TEXT_KEYS = ['content', 'text', 'step', 'description', 'title', 'subject'];
const STATES: readonly (readonly [words: RegExp, state: TodoState])[] = [
  [/^(?:completed?|done)$/i, 'done'],
  [/^(?:in[_-]progress|active)$/i, 'doing'],
  [/^(?:cancell?ed|deleted)$/i, 'cancelled'],
];

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

function toTodo(entry: unknown, at: number): Todo {
  const text = typeof entry === 'string' ? entry : (textField(entry, TEXT_KEYS) ?? '');
  return { text: toShortLine(text, TODO_CHARS), state: stateOf(textField(entry, ['status'])), at };
}

function stateOf(status: string | undefined): TodoState {
  return STATES.find(([words]) => words.test(status ?? ''))?.[1] ?? 'open';
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
  todos.set(id, { ...todo, state: stateOf(status), at });
}
