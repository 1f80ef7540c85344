/** What a program without types, or with wrong ones, is told of what it hands to the state machine. */

import type { Limits } from './limits.ts';
import type { AssistantMessage, Message, MessageError, Part, ToolState, Usage } from './message.ts';
import { perKey } from './per-key.ts';
import type { Policy } from './policy.ts';
import type { SummaryResult } from './pivot/summary.ts';
import type { Tools } from './tools.ts';
import type { LoopInput } from './transition.ts';

/** Longest text that an error repeats, in characters. */
const SHOWN_CHARS = 80;
const INPUT_TYPES = toSet<LoopInput['type']>({
  'user-message': true,
  'step-finished': true,
  'step-refused': true,
  'summary-finished': true,
  'summary-failed': true,
  'turn-ended': true,
  idle: true,
  'model-changed': true,
  aborted: true,
  compact: true,
});
const PART_TYPES = toSet<Part['type']>({
  text: true,
  reasoning: true,
  file: true,
  tool: true,
  'step-start': true,
  'step-finish': true,
  compaction: true,
  subtask: true,
});
const STATUSES = toSet<ToolState['status']>({
  pending: true,
  running: true,
  completed: true,
  error: true,
});

/** Where a value stands: in what is named so, or in the part of the input's message that has this index. */
type Owner = string | number;

/** Throws a `TypeError` at what is no complete policy. */
export function checkPolicy(name: string, policy: Policy): void {
  const isPolicy =
    isObject(policy) && [policy.trigger, policy.prune, policy.cut, policy.guards].every(isObject);
  if (!isPolicy) fail(name, "a policy, such as `policies['opencode-1.18']`", policy);
}

/** Throws a `TypeError` at limits that no count can be compared with. */
export function checkLimits(name: string, limits: Limits): void {
  checkObject(name, limits);
  checkAmount(`${name}.contextTokens`, limits.contextTokens);
  if (limits.inputTokens !== undefined) checkAmount(`${name}.inputTokens`, limits.inputTokens);
  if (limits.outputTokens !== undefined) checkAmount(`${name}.outputTokens`, limits.outputTokens);
}

/** Throws a `TypeError` at what is no number of tokens, 0 or more. */
export function checkAmount(name: string, tokens: number): void {
  if (!(Number.isFinite(tokens) && tokens >= 0))
    fail(name, 'a finite number of tokens, 0 or more', tokens);
}

/** Throws a `TypeError` at tools that a transition cannot work with. */
export function checkTools(tools: Tools): void {
  checkObject('tools', tools);
  checkNumber('tools', 'now', tools.now);
  if (typeof tools.newId !== 'function') fail('tools.newId', 'a function', tools.newId);
}

/** Throws a `TypeError` at an input that would be taken for something else, or for nothing. */
export function checkInput(input: LoopInput): void {
  checkObject('input', input);
  const { type } = input;
  switch (input.type) {
    case 'user-message':
      return checkMessage(input.message, 'user');
    case 'step-finished':
      return checkStep(input.message);
    case 'aborted':
      return input.message === undefined ? undefined : checkStep(input.message);
    case 'step-refused':
    case 'summary-failed':
      return checkError(input.error);
    case 'summary-finished':
      return checkResult(input.result);
    case 'model-changed':
      return checkLimits('input.limits', input.limits);
    case 'idle':
      return checkNumber('input', 'sinceMs', input.sinceMs);
    case 'turn-ended':
    case 'compact':
      return;
    default:
      checkOneOf('input', 'type', { name: type, names: INPUT_TYPES });
  }
}

function checkStep(message: AssistantMessage): void {
  checkMessage(message, 'assistant');
  checkId('input.message', 'parentId', message.parentId);
  if (message.usage !== undefined) checkUsage('input.message.usage', message.usage);
}

function checkMessage(message: Message, role: Message['role']): void {
  checkObject('input.message', message);
  checkId('input.message', 'id', message.id);
  if (message.role !== role) fail('input.message.role', shown(role), message.role);
  checkNumber('input.message', 'createdAt', message.createdAt);
  if (!Array.isArray(message.parts)) fail('input.message.parts', 'a list', message.parts);
  checkParts(message.parts);
}

/** Parts never change, so that those which many runs share are looked at once. */
const checkParts = perKey((parts: readonly Part[]): boolean => {
  parts.forEach(checkPart);
  return true;
});

function checkPart(part: Part, index: number): void {
  if (!isObject(part)) fail(pathOf(index), 'an object', part);
  checkOneOf(index, 'type', { name: part.type, names: PART_TYPES });
  checkId(index, 'id', part.id);
  if (part.type === 'text' || part.type === 'reasoning') checkText(index, 'text', part.text);
  if (part.type !== 'tool') return;
  checkId(index, 'callId', part.callId);
  checkText(index, 'tool', part.tool);
  checkState(index, part.state);
}

function checkState(index: number, state: ToolState): void {
  if (!isObject(state)) fail(pathOf(index, 'state'), 'an object', state);
  checkOneOf(index, 'state.status', { name: state.status, names: STATUSES });
  if (state.status === 'completed') checkText(index, 'state.output', state.output);
  if (state.status === 'error') checkText(index, 'state.error', state.error);
}

/** Releases stored outputs below 0, so that these are taken; what is no number would switch every check off. */
function checkUsage(name: string, usage: Usage): void {
  checkObject(name, usage);
  checkTokens(name, 'input', usage.input);
  checkTokens(name, 'output', usage.output);
  checkTokens(name, 'reasoning', usage.reasoning);
  checkTokens(name, 'cacheRead', usage.cacheRead);
  checkTokens(name, 'cacheWrite', usage.cacheWrite);
  if (usage.total !== undefined) checkTokens(name, 'total', usage.total);
}

function checkError(error: MessageError): void {
  checkObject('input.error', error);
  checkText('input.error', 'message', error.message);
}

function checkResult(result: SummaryResult): void {
  checkObject('input.result', result);
  checkText('input.result', 'text', result.text);
  if (result.usage !== undefined) checkUsage('input.result.usage', result.usage);
}

function checkId(owner: Owner, key: string, id: string): void {
  if (typeof id !== 'string' || id === '') fail(pathOf(owner, key), 'a text that is not empty', id);
}

function checkText(owner: Owner, key: string, text: string): void {
  if (typeof text !== 'string') fail(pathOf(owner, key), 'a text', text);
}

function checkNumber(owner: Owner, key: string, value: number): void {
  if (!Number.isFinite(value)) fail(pathOf(owner, key), 'a finite number', value);
}

function checkTokens(owner: Owner, key: string, tokens: number): void {
  if (!Number.isFinite(tokens)) fail(pathOf(owner, key), 'a finite number of tokens', tokens);
}

function checkObject(name: string, value: object): void {
  if (!isObject(value)) fail(name, 'an object', value);
}

function checkOneOf(
  owner: Owner,
  key: string,
  { name, names }: { readonly name: string; readonly names: ReadonlySet<string> },
): void {
  if (!names.has(name))
    fail(pathOf(owner, key), `one of ${[...names].map(shown).join(', ')}`, name);
}

/** All names of a union, as the compiler sees to. */
function toSet<Name extends string>(names: Readonly<Record<Name, true>>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Written only where something is wrong, for each step is checked. */
function pathOf(owner: Owner, key?: string): string {
  const name = typeof owner === 'number' ? `input.message.parts[${owner}]` : owner;
  return key === undefined ? name : `${name}.${key}`;
}

function fail(path: string, expected: string, value: unknown): never {
  throw new TypeError(`Expected \`${path}\` to be ${expected}, got ${shown(value)}.`);
}

function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARS ? `'${value.slice(0, SHOWN_CHARS)}…'` : `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
