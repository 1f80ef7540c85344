import {
  among,
  amount,
  being,
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
import type { CountUnit } from './count-units.ts';
import type { TriggerCondition } from './conditions.ts';
import type { KeepEnds, KeptAmount } from './keep-ends.ts';
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
  SummaryForm,
  SummaryLength,
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

const reached = fields<Exclude<TriggerCondition, { readonly unit: 'usable' }>>({
  unit: text,
  atLeast: amount,
});

const condition = kindOf<TriggerCondition['unit']>('unit', {
  usable: fields<Extract<TriggerCondition, { readonly unit: 'usable' }>>({ unit: text }),
  tokens: reached,
  messages: reached,
  events: reached,
  share: reached,
});

const trigger = fields<TriggerPolicy>({
  auto: flag,
  overflow: oneOf(overflowRules),
  reservedTokens: optional(amount),
  windowShare: optional(amount),
  anyOf: optional(listOf(listOf(condition))),
  counted: optional(among<NonNullable<TriggerPolicy['counted']>>('messages', 'since-summary')),
  outputCapTokens: amount,
  afterStepOutputCapTokens: optional(amount),
  afterStep: flag,
  beforeRequest: flag,
  onlyBetweenTurns: optional(flag),
  countsNewerMessages: flag,
  onRefusal: among<TriggerPolicy['onRefusal']>(
    'compact',
    'compact-if-auto',
    'compact-once',
    'stop',
  ),
  newestBy: among<TriggerPolicy['newestBy']>('position', 'time'),
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
  atSummary: optional(among('stop', 'abort')),
  summaryInGuard: optional(among('pass', 'stop')),
  atCleared: optional(among('stop', 'next-message', 'go-on')),
});

const cleanup = fields<CleanupPolicy>({
  pass: oneOf(cleanups),
  when: among<CleanupPolicy['when']>('turn-end', 'before-request', 'idle'),
  protectedTools: optional(listOf(text)),
  olderThan: optional(fields<Age>({ count: amount, unit: among<Age['unit']>('steps', 'turns') })),
  inputText: optional(text),
});

const pruneForm = fields<PrunePolicy>({
  enabled: flag,
  when: among<PrunePolicy['when']>('turn-end', 'on-overflow', 'before-request', 'idle', 'never'),
  idleMs: optional(amount),
  pass: among<PrunePolicy['pass']>('by-age', 'all-outputs', 'keep-last'),
  byAge,
  keepLast: optional(fields<KeepLastOptions>({ outputs: amount, tools: optional(listOf(text)) })),
  evicts: optional(oneOf(evictionOrders)),
  cleanups: optional(listOf(cleanup)),
  storedOutput: among<PrunePolicy['storedOutput']>('kept', 'overwritten'),
});

const KEEP = { keep: text };
const COUNT = { ...KEEP, count: amount };
const TOKENS = { ...KEEP, tokens: amount };

const counted = fields<KeptAmount & { readonly count: number }>({ of: text, count: amount });
const shared = fields<KeptAmount & { readonly share: number }>({ of: text, share: amount });

const keptAmount = kindOf<KeptAmount['of']>('of', {
  messages: counted,
  events: counted,
  tokens: counted,
  all: shared,
  window: shared,
  usable: shared,
});

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
  ends: fields<Kind<'ends'>>({
    ...KEEP,
    unit: among<CountUnit>('messages', 'events'),
    first: amount,
    newest: listOf(keptAmount),
    crossing: among<KeepEnds['crossing']>('stays', 'goes'),
    beginsWith: optional(among<NonNullable<KeepEnds['beginsWith']>>('answer', 'prompt')),
    furtherShare: optional(
      fields<NonNullable<KeepEnds['furtherShare']>>({ step: amount, untilWindowShare: amount }),
    ),
  }),
});

const summaryForm = fields<SummaryPolicy>({
  systemPrompt: oneOf(systemPrompts),
  systemText: optional(text),
  instruction: oneOf(instructions),
  model: optional(text),
  form: fields<SummaryForm>({
    kind: among<SummaryForm['kind']>('extends', 'fresh', 'flattened'),
    tools: flag,
    verifies: flag,
  }),
  length: fields<SummaryLength>({ tokens: amount, source: text }),
  stripMedia: flag,
  toolOutputChars: optional(amount),
  anchored: flag,
  markerInHead: flag,
  emptyText: optional(text),
  fixedText: optional(text),
  outputCapTokens: optional(amount),
  answers: among<SummaryPolicy['answers']>('marker', 'last-user'),
  onFailure: among<SummaryPolicy['onFailure']>('keep', 'roll-back'),
  overflowFinishes: flag,
  checksOwnUsage: flag,
});

const rereads = fields<RereadPolicy>({
  files: amount,
  fileTokens: amount,
  longFiles: among<RereadPolicy['longFiles']>('beginning', 'path'),
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
    tokenizer: optional(text),
    count: optional(being('a function', (value) => typeof value === 'function')),
    rounding: among<EstimatorOptions['rounding']>('round', 'ceil'),
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
