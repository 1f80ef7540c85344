/** Checks of states, inputs and tools that a host hands over. */

import {
  expectFields,
  expectKind,
  expectNamed,
  expectOnlyFields,
  type Fields,
  refuse,
} from './expect.ts';
import type { Message, Part, ToolState } from './message.ts';
import type { Hooks, LoopInput, LoopState, Phase, Tools } from './state.ts';
import type { Limits } from './usable.ts';
import { isRecord, readField } from './values.ts';

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

/** Refuses limits that are no numbers, or under another name. */
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

/** Refuses what is no state. */
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

/** Tools that are held to their types. */
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
