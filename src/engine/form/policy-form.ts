import type {
  BrokenLaw,
  EstimatorOptions,
  GuardsPolicy,
  MemoryPolicy,
  Policy,
  PolicyOverrides,
  ReadingPolicy,
  TriggerPolicy,
} from '../policy.ts';
import {
  amount,
  both,
  expectForm,
  fields,
  flag,
  listOf,
  object,
  once,
  oneOf,
  optional,
  text,
  withKeys,
} from './check.ts';
import { isRecord } from '../read-field.ts';
import { overflowErrorRules } from '../errors/overflow-error.ts';
import { retryRules } from '../errors/retry.ts';
import { laws } from '../invariants/laws.ts';
import { overflowRules } from '../overflow.ts';
import { usageRules } from '../reported-usage.ts';
import { viewRules } from '../view.ts';
import { cutForm } from './cut-form.ts';
import { pruneForm } from './prune-form.ts';
import { renderForm } from './render-form.ts';
import { resumeForm, summaryForm } from './summary-form.ts';

const trigger = fields<TriggerPolicy>({
  auto: flag,
  overflow: oneOf(overflowRules),
  reservedTokens: optional(amount),
  windowShare: optional(amount),
  outputCapTokens: amount,
  afterStepOutputCapTokens: optional(amount),
  afterStep: flag,
  beforeRequest: flag,
  onlyBetweenTurns: optional(flag),
  countsNewerMessages: flag,
  onRefusal: oneOf<TriggerPolicy['onRefusal']>({
    compact: true,
    'compact-if-auto': true,
    'compact-once': true,
    stop: true,
  }),
  newestBy: oneOf<TriggerPolicy['newestBy']>({ position: true, time: true }),
});

const reading = fields<ReadingPolicy>({
  usage: oneOf(usageRules),
  overflowErrors: optional(oneOf(overflowErrorRules)),
  retries: oneOf(retryRules),
});

const guards = fields<GuardsPolicy>({
  rejectLargerSummary: flag,
  rejectEmptySummary: flag,
  rejectTruncatedSummary: flag,
  rejectToolCallSummary: flag,
  maxIneffective: amount,
  maxRefilled: amount,
  maxFailures: amount,
  ignoreStaleUsage: flag,
  ignoreImplausibleUsage: flag,
  estimateMissingUsage: flag,
  learnWindow: flag,
  stopIrreducible: flag,
  remindMissingHeadings: flag,
  shrinkSummaryRequest: flag,
});

const memory = fields<MemoryPolicy>({
  keepMessages: amount,
  recallEntries: amount,
  recallTokens: amount,
});

const settings = fields<Policy>({
  name: text,
  describes: text,
  source: text,
  trigger,
  reading,
  prune: pruneForm,
  view: oneOf(viewRules),
  windowMessages: optional(amount),
  cut: cutForm,
  summary: summaryForm,
  resume: resumeForm,
  guards,
  memory: optional(memory),
  estimator: fields<EstimatorOptions>({
    charsPerToken: amount,
    rounding: oneOf<EstimatorOptions['rounding']>({ round: true, ceil: true }),
    imageTokens: optional(amount),
    documentTokens: optional(amount),
  }),
  render: renderForm,
  breaks: listOf(fields<BrokenLaw>({ law: oneOf(laws), source: text })),
});

/** A complete policy, with nothing in it that no rule reads. */
export const policyForm = once(
  both(withKeys("a policy, such as `policies['opencode-1.18']`", 'trigger', 'guards'), settings),
);

/** The complete policy that results from laying overrides over a base; neither is changed. Throws a `TypeError` where the base is no policy, and at a setting that no rule reads. */
export function resolvePolicy(base: Policy, overrides: PolicyOverrides = {}): Policy {
  expectForm('base', base, policyForm);
  expectForm('overrides', overrides, object);
  const { cut = base.cut, ...rest } = overrides;
  // The base is one, so that whatever is wrong was laid over it, and stands there under the same path.
  return expectForm('overrides', { ...(merge(base, rest) as Policy), cut }, policyForm);
}

export function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(base[key], over[key])]));
}
