import {
  among,
  amount,
  being,
  both,
  callable,
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
  AskAgainPolicy,
  BackgroundPolicy,
  BrokenLaw,
  CutPolicy,
  EstimatorOptions,
  GuardsPolicy,
  LongOutputs,
  MemoryPolicy,
  Policy,
  PolicyOverrides,
  ReadingPolicy,
  RereadPolicy,
  ResumePolicy,
  SummaryForm,
  SummaryLength,
  SummaryPolicy,
  TriggerPolicy,
} from './policy.ts';
import type {
  Age,
  ByAgeOptions,
  ByMessageOptions,
  ByVerdictOptions,
  CallRule,
  CleanupPolicy,
  KeepLastOptions,
  OutputVerdict,
  PrunePolicy,
} from './prune-policy.ts';
import { instructions } from './prompts/instructions.ts';
import { mergeTexts } from './prompts/merge.ts';
import { resumeTexts, systemPrompts } from './prompts/system.ts';
import { evictionOrders } from './prune/by-rank.ts';
import { scorers } from './prune/by-verdict.ts';
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
  counted: optional(
    among<NonNullable<TriggerPolicy['counted']>>(
      'messages',
      'since-summary',
      'request',
      'request-or-usage',
    ),
  ),
  outputCapTokens: amount,
  afterStepOutputCapTokens: optional(amount),
  afterStep: flag,
  beforeRequest: flag,
  onlyBetweenTurns: optional(flag),
  countsNewerMessages: flag,
  countsCleared: optional(flag),
  background: optional(
    fields<BackgroundPolicy>({ swapAfterSteps: amount, blocksAt: oneOf(overflowRules) }),
  ),
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
  longOutputs: optional(fields<LongOutputs>({ wholeChars: amount, keptChars: amount })),
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

const keepLast = fields<KeepLastOptions>({
  outputs: amount,
  tools: optional(listOf(text)),
  excludedTools: optional(listOf(text)),
  aboveOutputs: optional(amount),
  leastTokens: optional(amount),
  clearsInputs: optional((value) => (typeof value === 'boolean' ? undefined : listOf(text)(value))),
});

const byMessage = fields<ByMessageOptions>({
  reasoning: among<ByMessageOptions['reasoning']>('all', 'before-last-message', 'none'),
  toolCalls: listOf(
    fields<CallRule>({ keepMessages: optional(amount), tools: optional(listOf(text)) }),
  ),
});

const outputVerdict = among<OutputVerdict>('keep', 'shorten', 'drop');

const byVerdict = fields<ByVerdictOptions>({
  outputs: amount,
  scorer: oneOf(scorers),
  judge: optional(callable),
  byTool: optional(both(object, (value) => listOf(outputVerdict)(Object.values(value as object)))),
  headChars: amount,
  tailChars: amount,
});

const pruneForm = fields<PrunePolicy>({
  enabled: flag,
  when: among<PrunePolicy['when']>('turn-end', 'on-overflow', 'before-request', 'idle', 'never'),
  idleMs: optional(amount),
  pass: among<PrunePolicy['pass']>(
    'by-age',
    'all-outputs',
    'keep-last',
    'by-message',
    'by-verdict',
  ),
  byAge,
  keepLast: optional(keepLast),
  byMessage: optional(byMessage),
  byVerdict: optional(byVerdict),
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
    turns: optional(amount),
    splitsTurns: flag,
    maximumBudgetTokens: amount,
  }),
  checkpoint: fields<Kind<'checkpoint'>>(TOKENS),
  'recent-messages': fields<Kind<'recent-messages'>>(TOKENS),
  'newest-messages': fields<Kind<'newest-messages'>>(COUNT),
  'newest-exchanges': fields<Kind<'newest-exchanges'>>(COUNT),
  'newest-steps': fields<Kind<'newest-steps'>>(TOKENS),
  'last-share': fields<Kind<'last-share'>>({
    ...KEEP,
    share: amount,
    steps: optional(amount),
    opening: optional(flag),
  }),
  unanswered: fields<Kind<'unanswered'>>(KEEP),
  pending: fields<Kind<'pending'>>(KEEP),
  'user-messages': fields<Kind<'user-messages'>>({ ...KEEP, tokens: optional(amount) }),
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

const requestForm = fields<SummaryForm>({
  kind: among<SummaryForm['kind']>('extends', 'fresh', 'flattened'),
  instructionFirst: optional(flag),
  tools: flag,
  verifies: flag,
});

const summaryForm = fields<SummaryPolicy>({
  systemPrompt: oneOf(systemPrompts),
  systemText: optional(text),
  instruction: oneOf(instructions),
  model: optional(text),
  form: requestForm,
  length: fields<SummaryLength>({ tokens: amount, source: text }),
  stripMedia: flag,
  toolOutputChars: optional(amount),
  anchored: flag,
  merge: optional(oneOf(mergeTexts)),
  markerInHead: flag,
  emptyText: optional(text),
  fixedText: optional(text),
  outputCapTokens: optional(amount),
  readsKept: optional(among('steps', 'all')),
  splitTurnApart: optional(flag),
  refusedForm: optional(requestForm),
  refusedShare: optional(amount),
  asksAgain: optional(
    fields<AskAgainPolicy>({
      attempts: amount,
      afterErrors: flag,
      form: optional(requestForm),
      drops: among<AskAgainPolicy['drops']>('oldest', 'newest', 'nothing'),
    }),
  ),
  answers: among<SummaryPolicy['answers']>('marker', 'last-user'),
  onFailure: among<SummaryPolicy['onFailure']>('keep', 'roll-back'),
  failureGoesOn: optional(flag),
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
  wrapQueued: flag,
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
