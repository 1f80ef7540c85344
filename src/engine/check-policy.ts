import {
  amount,
  both,
  expectForm,
  fields,
  flag,
  kindOf,
  listOf,
  object,
  oneOf,
  optional,
  renderForm,
  text,
  withKeys,
} from './check.ts';
import { overflowErrorRules } from './errors/overflow-error.ts';
import { retryRules } from './errors/retry.ts';
import { laws } from './invariants/laws.ts';
import { overflowRules } from './overflow.ts';
import type {
  Age,
  BrokenLaw,
  ByAgeOptions,
  CleanupPolicy,
  CutPolicy,
  EstimatorOptions,
  GuardsPolicy,
  KeepLastOptions,
  MemoryPolicy,
  Policy,
  PolicyOverrides,
  PrunePolicy,
  ReadingPolicy,
  RereadPolicy,
  ResumePolicy,
  SummaryPolicy,
  TriggerPolicy,
} from './policy.ts';
import { instructions } from './prompts/instructions.ts';
import { resumeTexts, systemPrompts } from './prompts/system.ts';
import { evictionOrders } from './prune/by-rank.ts';
import { cleanups } from './prune/cleanups.ts';
import { usageRules } from './usage.ts';
import { isRecord } from './values.ts';
import { viewRules } from './view.ts';

type Kept = CutPolicy['keep'];
type Kind<Keep extends Kept> = Extract<CutPolicy, { readonly keep: Keep }>;

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

const byAge = fields<ByAgeOptions>({
  protectTokens: amount,
  minimumTokens: amount,
  guardTurns: amount,
  protectedTools: listOf(text),
  skipNewestMessages: optional(amount),
  atSummary: optional(oneOf({ stop: true, abort: true })),
  summaryInGuard: optional(oneOf({ pass: true, stop: true })),
  atCleared: optional(oneOf({ stop: true, 'next-message': true, 'go-on': true })),
});

const cleanup = fields<CleanupPolicy>({
  pass: oneOf(cleanups),
  when: oneOf<CleanupPolicy['when']>({ 'turn-end': true, 'before-request': true, idle: true }),
  protectedTools: optional(listOf(text)),
  olderThan: optional(
    fields<Age>({ count: amount, unit: oneOf<Age['unit']>({ steps: true, turns: true }) }),
  ),
  inputText: optional(text),
});

const pruneForm = fields<PrunePolicy>({
  enabled: flag,
  when: oneOf<PrunePolicy['when']>({
    'turn-end': true,
    'on-overflow': true,
    'before-request': true,
    idle: true,
    never: true,
  }),
  idleMs: optional(amount),
  pass: oneOf<PrunePolicy['pass']>({ 'by-age': true, 'all-outputs': true, 'keep-last': true }),
  byAge,
  keepLast: optional(fields<KeepLastOptions>({ outputs: amount, tools: optional(listOf(text)) })),
  evicts: optional(oneOf(evictionOrders)),
  cleanups: optional(listOf(cleanup)),
  storedOutput: oneOf<PrunePolicy['storedOutput']>({ kept: true, overwritten: true }),
});

const KEEP = { keep: text };
const COUNT = { ...KEEP, count: amount };
const TOKENS = { ...KEEP, tokens: amount };

const cutForm = kindOf<Kept>('keep', {
  nothing: fields<Kind<'nothing'>>(KEEP),
  everything: fields<Kind<'everything'>>(KEEP),
  'last-messages': fields<Kind<'last-messages'>>(COUNT),
  'last-turns': fields<Kind<'last-turns'>>(COUNT),
  'recent-turns': fields<Kind<'recent-turns'>>({
    ...KEEP,
    tokens: optional(amount),
    turns: amount,
    splitsTurns: flag,
    maximumBudgetTokens: amount,
  }),
  checkpoint: fields<Kind<'checkpoint'>>(TOKENS),
  'recent-messages': fields<Kind<'recent-messages'>>(TOKENS),
  'newest-messages': fields<Kind<'newest-messages'>>(COUNT),
  'last-share': fields<Kind<'last-share'>>({ ...KEEP, share: amount }),
  unanswered: fields<Kind<'unanswered'>>(KEEP),
  'user-messages': fields<Kind<'user-messages'>>(TOKENS),
});

const summaryForm = fields<SummaryPolicy>({
  systemPrompt: oneOf(systemPrompts),
  systemText: optional(text),
  instruction: oneOf(instructions),
  model: optional(text),
  stripMedia: flag,
  toolOutputChars: optional(amount),
  anchored: flag,
  markerInHead: flag,
  emptyText: optional(text),
  outputCapTokens: optional(amount),
  answers: oneOf<SummaryPolicy['answers']>({ marker: true, 'last-user': true }),
  onFailure: oneOf<SummaryPolicy['onFailure']>({ keep: true, 'roll-back': true }),
  overflowFinishes: flag,
  checksOwnUsage: flag,
});

const rereads = fields<RereadPolicy>({
  files: amount,
  fileTokens: amount,
  longFiles: oneOf<RereadPolicy['longFiles']>({ beginning: true, path: true }),
  totalTokens: amount,
});

const resumeForm = fields<ResumePolicy>({
  continueText: optional(oneOf(resumeTexts)),
  onlyMidTurn: optional(flag),
  replayRefusedPrompt: flag,
  wrapReplay: flag,
  explainRefusal: flag,
  rereads: optional(rereads),
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
export const policyForm = both(
  withKeys("a policy, such as `policies['opencode-1.18']`", 'trigger', 'guards'),
  settings,
);

/** The complete policy that results from laying overrides over a base; neither is changed. Throws a `TypeError` where the base is no policy, and at a setting that no rule reads. */
export function resolvePolicy(base: Policy, overrides: PolicyOverrides = {}): Policy {
  expectForm('base', base, policyForm);
  expectForm('overrides', overrides, object);
  const { cut = base.cut, ...rest } = overrides;
  // The base is one, so that whatever is wrong was laid over it, and stands there under the same path.
  return expectForm('overrides', { ...(merge(base, rest) as Policy), cut }, policyForm);
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(base[key], over[key])]));
}
