import { type Fields, expectFields, expectKind, expectNamed, refuse } from './expect.ts';
import { overflowErrorRules } from './errors/overflow-error.ts';
import { retryRules } from './errors/retry.ts';
import { laws } from './invariants/laws.ts';
import { overflowRules } from './overflow.ts';
import type { CutPolicy, Policy, PolicyOverrides } from './policy.ts';
import { instructions, mergeTexts } from './prompts/instructions.ts';
import { resumeTexts, systemPrompts } from './prompts/system.ts';
import { evictionOrders } from './prune/by-rank.ts';
import { scorers } from './prune/by-verdict.ts';
import { cleanups } from './prune/cleanups.ts';
import { usageRules } from './usage.ts';
import { isRecord } from './values.ts';
import { viewRules } from './view.ts';

type Rule = readonly [name: string, value: unknown, table: Readonly<Record<string, unknown>>];

const POLICY: Fields = {
  name: 'text',
  describes: 'text',
  source: 'text',
  trigger: 'object',
  reading: 'object',
  prune: 'object',
  cut: 'object',
  summary: 'object',
  resume: 'object',
  guards: 'object',
  memory: 'object?',
  estimator: 'object',
  render: 'object',
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
  'newest-exchanges': { count: 'amount' },
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
    'windowMessages memory reservedTokens windowShare anyOf counted afterStepOutputCapTokens onlyBetweenTurns',
    'countsCleared background overflowErrors longOutputs idleMs keepLast byMessage byVerdict evicts cleanups everySteps',
    'skipNewestMessages atSummary summaryInGuard atCleared tools excludedTools aboveOutputs leastTokens',
    'clearsInputs judge byTool systemText model toolOutputChars merge emptyText fixedText outputCapTokens',
    'readsKept splitTurnApart refusedForm refusedShare asksAgain instructionFirst form continueText onlyMidTurn',
    'failureGoesOn rereads tokenizer count imageTokens documentTokens emptyMessages',
  ].flatMap((names) => names.split(' ')),
);

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

/** Only a switch may become a list of names, and back. */
function sameKind(name: string, base: unknown, over: unknown): unknown {
  if (Array.isArray(base)) return typeof over === 'boolean' ? over : expectKind(name, over, 'list');
  if (typeof base === 'number') return expectKind(name, over, 'amount');
  if (typeof base === 'boolean') return Array.isArray(over) ? over : expectKind(name, over, 'flag');
  return typeof base === 'string' ? expectKind(name, over, 'text') : over;
}
