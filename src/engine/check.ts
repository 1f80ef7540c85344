/** Checks of policies, states, inputs and tools that a host hands over. */

import {
  type Fields,
  fieldsOf,
  expectFields,
  expectKind,
  expectNamed,
  refuse,
  expectOnlyFields,
} from './expect.ts';
import { overflowErrorRules, retryRules } from './errors.ts';
import { laws } from './invariants/check.ts';
import { overflowRules } from './overflow.ts';
import type { CutPolicy, Policy, PolicyOverrides } from './policy.ts';
import { instructions, mergeTexts, resumeTexts, systemPrompts } from './prompts.ts';
import { evictionOrders } from './prune/prune.ts';
import { scorers } from './prune/keep-last.ts';
import { cleanups } from './prune/cleanups.ts';
import { usageRules } from './usage.ts';
import { isRecord, readField } from './values.ts';
import { viewRules } from './view.ts';
import type { Message, Part, ToolState } from './message.ts';
import type { Hooks, LoopInput, LoopState, Phase, Tools } from './state.ts';
import type { Limits } from './usable.ts';

type Rule = readonly [name: string, value: unknown, table: Readonly<Record<string, unknown>>];

const POLICY: Fields = {
  ...fieldsOf('text', 'name describes source'),
  ...fieldsOf('object', 'trigger reading prune cut summary resume guards estimator render'),
  memory: 'object?',
  breaks: 'list',
};

const CUTS: Readonly<Record<CutPolicy['keep'], Fields>> = {
  nothing: {},
  everything: {},
  'last-messages': { count: 'amount' },
  'last-turns': { count: 'amount' },
  'recent-turns': { splitsTurns: 'flag', maximumBudgetTokens: 'amount' },
  checkpoint: { tokens: 'amount' },
  'recent-messages': { tokens: 'amount' },
  'newest-messages': { count: 'amount' },
  'newest-exchanges': { count: 'amount', windowShare: 'amount' },
  'newest-steps': { tokens: 'amount' },
  'last-share': { share: 'amount' },
  unanswered: {},
  pending: {},
  'user-messages': {},
  ends: { unit: 'text', first: 'amount', newest: 'list', crossing: 'text' },
};

/** Settings that a complete policy may lack, so that a base does not show them. */
const OPTIONAL: ReadonlySet<string> = new Set(
  [
    'windowMessages memory reservedTokens windowShare anyOf counted afterStepOutputCapTokens onlyBetweenTurns leavesOutPrompts takesZero countsSealed',
    'countsCleared background overflowErrors outputCapCharacters idleMs keepLast byMessage byVerdict evicts cleanups everySteps',
    'skipNewestMessages atSummary summaryInGuard atCleared tools excludedTools aboveOutputs leastTokens',
    'clearsInputs judge byTool systemText model toolOutputChars merge emptyText fixedText outputCapTokens',
    'readsKept splitTurnApart refusedForm laterForm askedShare asksAgain reminders refusedShares refusedDrops instructionFirst form continueText onlyMidTurn',
    'refusedChunks fallback turnEndText replaysAlone',
    'failureGoesOn rejectionGoesOn rereads tokenizer count imageTokens documentTokens emptyMessages',
  ].flatMap((names) => names.split(' ')),
);

const LIMITS: Fields = { contextTokens: 'tokens', inputTokens: 'tokens?', outputTokens: 'tokens?' };
const ERROR: Fields = { name: 'text', message: 'text' };
const USAGE: Fields = {
  ...fieldsOf('usage', 'input output reasoning cacheRead cacheWrite'),
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
  sealedTokens: 'tokens?',
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
  ...fieldsOf('object', 'policy limits phase health'),
  overheadTokens: 'tokens',
  history: 'list',
  refusals: 'number',
  isUnderWay: 'flag',
  background: 'object?',
};

const PHASES: Readonly<Record<Phase['state'], Fields>> = {
  waiting: {},
  requested: { insertAt: 'number' },
  summarising: { insertAt: 'number' },
};

const HEALTH = fieldsOf('number', 'failures ineffective refilled');
const HOOKS: Readonly<Record<keyof Hooks, 'function?'>> = {
  compacting: 'function?',
  autoContinue: 'function?',
};

/** The policy itself, unless it is none. */
export function expectPolicy(name: string, policy: Policy): Policy {
  if (!isRecord(policy) || !('trigger' in policy && 'guards' in policy))
    refuse(name, "a policy, such as `policies['opencode-1.18']`", policy);
  expectFields(name, policy, POLICY);
  expectFields(`${name}.cut`, policy.cut, expectNamed(`${name}.cut.keep`, policy.cut.keep, CUTS));
  for (const [rule, value, table] of rulesOf(policy)) expectNamed(`${name}.${rule}`, value, table);
  expectFields(`${name}.estimator`, policy.estimator, { count: 'function?' });
  expectAmounts(name, policy);
  return policy;
}

/** The complete policy of overrides over a base. Throws a `TypeError` where the base is no policy, and at a setting that no rule reads. */
export function resolvePolicy(base: Policy, overrides: PolicyOverrides = {}): Policy {
  expectPolicy('base', base);
  expectKind('overrides', overrides, 'object');
  const { cut = base.cut, ...rest } = overrides;
  return expectPolicy('overrides', { ...(merge('overrides', base, rest) as Policy), cut });
}

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
  const phase = expectNamed('state.phase.state', state.phase.state, PHASES);
  expectFields('state.phase', state.phase, phase);
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

function rulesOf(policy: Policy): readonly Rule[] {
  const { trigger, reading, prune, summary, resume } = policy;
  const rules: readonly Rule[] = [
    ['view', policy.view, viewRules],
    ['trigger.overflow', trigger.overflow, overflowRules],
    ['trigger.background.blocksAt', trigger.background?.blocksAt, overflowRules],
    ['reading.usage', reading.usage, usageRules],
    ['reading.overflowErrors', reading.overflowErrors, overflowErrorRules],
    ['reading.retries', reading.retries, retryRules],
    ['prune.evicts', prune.evicts, evictionOrders],
    ['prune.byVerdict.scorer', prune.byVerdict?.scorer, scorers],
    ['summary.systemPrompt', summary.systemPrompt, systemPrompts],
    ['summary.instruction', summary.instruction, instructions],
    ['summary.merge', summary.merge, mergeTexts],
    ['resume.continueText', resume.continueText, resumeTexts],
    ...(prune.cleanups ?? []).map(
      ({ pass }, index): Rule => [`prune.cleanups[${index}].pass`, pass, cleanups],
    ),
    ...policy.breaks.map(({ law }, index): Rule => [`breaks[${index}].law`, law, laws]),
  ];
  return rules.filter(([, value]) => value !== undefined);
}

function expectAmounts(name: string, value: unknown): void {
  if (typeof value === 'number') expectKind(name, value, 'amount');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) expectAmounts(`${name}.${key}`, field);
}

function merge(name: string, base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base)) return base === undefined ? over : sameKind(name, base, over);
  if (!isRecord(over)) return refuse(name, 'an object', over);
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (!Object.hasOwn(base, key) && !OPTIONAL.has(key))
      refuse(name, `an object with no other fields than ${Object.keys(base).join(', ')}`, key);
    merged[key] = merge(`${name}.${key}`, base[key], value);
  }
  return merged;
}

function sameKind(name: string, base: unknown, over: unknown): unknown {
  if (Array.isArray(base)) return typeof over === 'boolean' ? over : expectKind(name, over, 'list');
  if (typeof base === 'number') return expectKind(name, over, 'amount');
  if (typeof base === 'boolean') return Array.isArray(over) ? over : expectKind(name, over, 'flag');
  return typeof base === 'string' ? expectKind(name, over, 'text') : over;
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
