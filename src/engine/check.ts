/** Checks of what a caller hands over: the first thing that is wrong is one `TypeError` of one sentence. */

import type { Message, Part, ToolState } from './message.ts';
import type { Hooks, Limits, LoopInput, LoopState, Phase, Tools } from './state.ts';
import { isRecord, readField } from './values.ts';

/** Kinds of values by the test that they pass, each with its words. */
const KINDS = {
  text: { expected: 'a text', holds: (value: unknown) => typeof value === 'string' },
  id: {
    expected: 'a text that is not empty',
    holds: (value: unknown) => typeof value === 'string' && value !== '',
  },
  flag: { expected: 'true or false', holds: (value: unknown) => typeof value === 'boolean' },
  number: { expected: 'a finite number', holds: Number.isFinite },
  amount: {
    expected: 'a number, 0 or more',
    holds: (value: unknown) => typeof value === 'number' && value >= 0,
  },
  tokens: {
    expected: 'a finite number of tokens, 0 or more',
    holds: (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
  },
  /** Releases stored outputs below 0, so that these are taken. */
  usage: { expected: 'a finite number of tokens', holds: Number.isFinite },
  function: { expected: 'a function', holds: (value: unknown) => typeof value === 'function' },
  object: { expected: 'an object', holds: isRecord },
  list: { expected: 'a list', holds: Array.isArray },
} as const;

type Kind = keyof typeof KINDS;

/** Fields of an object by their kinds; those with a question mark may be absent. */
export type Fields = Readonly<Record<string, Kind | `${Kind}?`>>;

/** Longest text that an error repeats, in characters. */
const SHOWN_CHARS = 80;

const LIMITS: Fields = { contextTokens: 'tokens', inputTokens: 'tokens?', outputTokens: 'tokens?' };
const ERROR: Fields = { name: 'text', message: 'text' };
const USAGE: Fields = {
  input: 'usage',
  output: 'usage',
  reasoning: 'usage',
  cacheRead: 'usage',
  cacheWrite: 'usage',
  total: 'usage?',
};
const MESSAGE: Fields = { id: 'id', createdAt: 'number', parts: 'list' };
const STEP: Fields = {
  parentId: 'id',
  summary: 'flag?',
  finish: 'text?',
  error: 'object?',
  usage: 'object?',
  unseenTokens: 'tokens?',
  model: 'text?',
};
const ROLES = { user: {}, assistant: STEP } satisfies Record<Message['role'], Fields>;
const FILE: Fields = { id: 'id', mime: 'text', filename: 'text?', url: 'text' };
const PARTS: Readonly<Record<Part['type'], Fields>> = {
  text: { text: 'text' },
  reasoning: { text: 'text' },
  file: FILE,
  tool: { callId: 'id', tool: 'text', state: 'object' },
  'step-start': {},
  'step-finish': {},
  compaction: { auto: 'flag' },
  subtask: { prompt: 'text' },
};
const STATES: Readonly<Record<ToolState['status'], Fields>> = {
  pending: {},
  running: {},
  completed: { output: 'text', attachments: 'list?', compactedAt: 'number?' },
  error: { error: 'text', partialOutput: 'text?' },
};
const INPUTS: Readonly<Record<LoopInput['type'], Fields>> = {
  'user-message': { message: 'object' },
  'step-finished': { message: 'object' },
  'step-refused': { error: 'object' },
  'summary-finished': { result: 'object' },
  'summary-failed': { error: 'object', isOverflow: 'flag' },
  'turn-ended': {},
  idle: { sinceMs: 'number' },
  'model-changed': { limits: 'object' },
  aborted: { message: 'object?' },
  compact: { revertTo: 'id?' },
};
const STATE: Fields = {
  policy: 'object',
  limits: 'object',
  overheadTokens: 'tokens',
  history: 'list',
  phase: 'object',
  health: 'object',
  refusals: 'number',
  isUnderWay: 'flag',
  background: 'object?',
};
const PHASES: Readonly<Record<Phase['state'], Fields>> = {
  waiting: {},
  requested: { insertAt: 'number' },
  summarising: { insertAt: 'number' },
};
const HEALTH: Fields = { failures: 'number', ineffective: 'number', refilled: 'number' };
const HOOKS: Readonly<Record<keyof Hooks, 'function?'>> = {
  compacting: 'function?',
  autoContinue: 'function?',
};

/** Throws the sentence about a value that is not what it has to be. */
export function refuse(name: string, expected: string, got: unknown): never {
  throw new TypeError(`Expected \`${name}\` to be ${expected}, got ${shown(got)}.`);
}

/** The value itself, if it is of a kind. */
export function expectKind<Value>(name: string, value: Value, kind: Kind): Value {
  const { expected, holds } = KINDS[kind];
  return holds(value) ? value : refuse(name, expected, value);
}

/** Refuses what is no object with these fields; it may have others. */
export function expectFields(name: string, value: unknown, fields: Fields): void {
  if (!isRecord(value)) refuse(name, 'an object', value);
  for (const [key, kind] of Object.entries(fields)) {
    const field = value[key];
    if (field === undefined && kind.endsWith('?')) continue;
    const { expected, holds } = KINDS[kind.replace('?', '') as Kind];
    if (!holds(field)) refuse(`${name}.${key}`, expected, field);
  }
}

/** The same without any other field. */
export function expectOnlyFields(name: string, value: unknown, fields: Fields): void {
  expectFields(name, value, fields);
  const keys = Object.keys(fields);
  const other = Object.keys(Object(value)).find((key) => !keys.includes(key));
  if (other !== undefined)
    refuse(name, `an object with no other fields than ${keys.join(', ')}`, other);
}

/** The row of a table that a name stands for. */
export function expectNamed<Row>(
  name: string,
  value: unknown,
  table: Readonly<Record<string, Row>>,
): Row {
  if (typeof value === 'string' && Object.hasOwn(table, value)) return table[value] as Row;
  const names = Object.keys(table).map(shown);
  return refuse(name, names.length === 1 ? names.join() : `one of ${names.join(', ')}`, value);
}

/** Refuses limits that are no numbers, and those under another name, which would be none. */
export function expectLimits(name: string, limits: Limits): Limits {
  expectOnlyFields(name, limits, LIMITS);
  return limits;
}

/** Refuses a usage of which something is no number. */
export function expectUsage(name: string, usage: unknown): void {
  expectFields(name, usage, USAGE);
}

/** Refuses what is no message, or one of another role. */
export function expectMessage(name: string, message: unknown, role?: Message['role']): void {
  expectKind(name, message, 'object');
  const roles = role === undefined ? ROLES : { [role]: ROLES[role] };
  const rest = expectNamed(`${name}.role`, readField(message, 'role'), roles);
  expectFields(name, message, { ...MESSAGE, ...rest });
  const { parts, ...fields } = message as Message;
  for (const [index, part] of parts.entries()) expectPart(`${name}.parts[${index}]`, part);
  if (fields.role !== 'assistant') return;
  if (fields.usage !== undefined) expectUsage(`${name}.usage`, fields.usage);
  if (fields.error !== undefined) expectFields(`${name}.error`, fields.error, ERROR);
}

/** Refuses what is no input of the loop. */
export function expectInput(input: LoopInput): void {
  expectKind('input', input, 'object');
  const fields = expectNamed('input.type', input.type, INPUTS);
  expectOnlyFields('input', input, { type: 'text', ...fields });
  switch (input.type) {
    case 'user-message':
      return expectMessage('input.message', input.message, 'user');
    case 'step-finished':
      return expectMessage('input.message', input.message, 'assistant');
    case 'aborted':
      if (input.message) expectMessage('input.message', input.message, 'assistant');
      return;
    case 'step-refused':
    case 'summary-failed':
      return expectFields('input.error', input.error, ERROR);
    case 'summary-finished':
      expectFields('input.result', input.result, { text: 'text', finish: 'text' });
      if (input.result.usage) expectUsage('input.result.usage', input.result.usage);
      return;
    case 'model-changed':
      expectLimits('input.limits', input.limits);
  }
}

/** Refuses what is no state; its policy and messages were looked at when they came. */
export function expectState(state: LoopState): void {
  expectFields('state', state, STATE);
  expectLimits('state.limits', state.limits);
  expectFields(
    'state.phase',
    state.phase,
    expectNamed('state.phase.state', state.phase.state, PHASES),
  );
  expectFields('state.health', state.health, HEALTH);
}

/** Tools that are held to their types: a `TypeError` tells where a host does not keep to them. */
export function checkedTools(tools: Tools): Tools {
  expectFields('tools', tools, { now: 'number', newId: 'function', hooks: 'object?' });
  const { newId, hooks } = tools;
  if (hooks) expectOnlyFields('tools.hooks', hooks, HOOKS);
  return {
    ...tools,
    newId: (prefix) => expectKind('tools.newId()', newId(prefix), 'id'),
    ...(hooks && { hooks: checkedHooks(hooks) }),
  };
}

function expectPart(name: string, part: Part): void {
  expectFields(name, part, { id: 'id' });
  expectFields(name, part, expectNamed(`${name}.type`, part.type, PARTS));
  if (part.type !== 'tool') return;
  const { state } = part;
  const fields = expectNamed(`${name}.state.status`, state.status, STATES);
  expectFields(`${name}.state`, state, fields);
  if (state.status !== 'completed') return;
  for (const [index, file] of (state.attachments ?? []).entries())
    expectFields(`${name}.state.attachments[${index}]`, file, FILE);
}

/** Who waits for something is easily told apart from who says nothing; the engine waits for nobody. */
function checkedHooks({ compacting, autoContinue }: Hooks): Hooks {
  const name = 'tools.hooks.compacting()';
  return {
    ...(compacting && {
      compacting: (request) => {
        const answer = compacting(request);
        if (answer === undefined) return answer;
        if (isRecord(answer) && 'then' in answer) refuse(name, 'no promise', answer);
        expectOnlyFields(name, answer, { context: 'list?', prompt: 'text?' });
        return answer;
      },
    }),
    ...(autoContinue && {
      autoContinue: () => expectKind('tools.hooks.autoContinue()', autoContinue(), 'flag'),
    }),
  };
}

function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARS ? `'${value.slice(0, SHOWN_CHARS)}…'` : `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
