import { type Fold, foldOver, findNewest, itemsFrom, type List, toArray } from '../history.ts';
import {
  isSummary,
  type Message,
  type CompletedPart,
  isCleared,
  isCompleted,
  isWithout,
  type Part,
} from '../message.ts';
import type { Policy } from '../policy.ts';
import type { CleanupPolicy, PrunePolicy, EvictionName } from '../prune-policy.ts';
import {
  changeState,
  type EngineEvent,
  historyOf,
  type LoopState,
  type PassPlan,
  type PrunePlan,
  type Tools,
  type PartUses,
} from '../state.ts';
import { planCleanup } from './cleanups.ts';
import {
  ANY_AGE,
  joinPlans,
  markOutputs,
  planByAge,
  overwriteOutputs,
  type PassResult,
  judgeByAge,
  type JudgedOutput,
} from './plan.ts';
import { estimateText } from '../estimate.ts';
import { FNV, hashUnits } from '../values.ts';
import { viewUnder } from '../view.ts';
import { passByMessage, TAKE_NOTHING } from './by-message.ts';
import {
  KEEP_ALL,
  KEEP_WITHOUT_VERDICT,
  mayClear,
  passAllOutputs,
  passByVerdict,
  passKeepLast,
} from './keep-last.ts';

interface Pruned {
  readonly state: LoopState;
  readonly plan: PrunePlan;
  readonly event: EngineEvent;
}

type PruneTools = Pick<Tools, 'now' | 'uses'>;

/** The rules that a prune by rank goes by. */
export type RankRules = Pick<Policy, 'prune' | 'estimator' | 'render' | 'view' | 'windowMessages'>;

/** Knowledge of a prune by rank besides the history. */
export interface RankKnowledge {
  /** Outputs that the pass itself would have cleared so far; absent before the first prune. */
  readonly baseCleared?: ReadonlySet<string> | undefined;
  /** Absent where the host knows of no uses. */
  readonly uses?: PartUses | undefined;
}

interface PlannedPrune extends PassResult {
  /** The outputs that the pass would have cleared by now, where another order holds. */
  readonly baseCleared?: ReadonlySet<string> | undefined;
}

/** A tool output that may be cleared. */
export interface Candidate {
  readonly partId: string;
  /** The policy's estimate. */
  readonly tokens: number;
}

interface EvictionOrder {
  readonly describes: string;
  /** Ranks a candidate: the smallest goes first, and of equal ones the oldest. Without uses nothing is known. */
  rank(candidate: Candidate, uses: PartUses | undefined): readonly number[];
}

const steps: Fold<Message, number> = {
  start: 0,
  add: (count, message) =>
    message.role === 'assistant' && !isSummary(message) ? count + 1 : count,
};

const NO_CLEANUPS: readonly CleanupPolicy[] = [];

/** Orders in which outputs are cleared where it need not be by age, the bound first. */
export const evictionOrders = {
  /**
   * Belady's rule for parts that do not come back. A miss weighs what its part weighs, so that a freed token costs as
   * many as the uses to come: fewest uses first, and of equal ones the latest next use.
   */
  clairvoyant: {
    describes: 'what is never needed again, then what is needed least often and latest',
    rank: ({ partId }, uses) => {
      const upcoming = uses?.upcoming(partId) ?? [];
      return [upcoming.length, -(upcoming[0] ?? 0)];
    },
  },
  random: {
    describes: 'outputs at random',
    rank: ({ partId }, uses) => [hashOf(`${uses?.seed ?? 0}:${partId}`)],
  },
  'largest-first': { describes: 'the largest outputs first', rank: ({ tokens }) => [-tokens] },
  'least-recently-used': {
    describes: 'the least recently used outputs first',
    rank: ({ partId }, uses) => [uses?.newest(partId) ?? 0],
  },
} satisfies Record<EvictionName, EvictionOrder>;

const passes: Readonly<
  Record<PrunePolicy['pass'], (history: List<Message>, rules: RankRules) => PassResult>
> = {
  'by-age': (history, { prune, estimator }) => ({
    plan: planByAge(history, prune.byAge, estimator),
    judge: () => judgeByAge(history, prune.byAge, estimator),
  }),
  'keep-last': (history, { prune: { keepLast = KEEP_ALL }, estimator }) =>
    passKeepLast(history, keepLast, estimator),
  'all-outputs': (history, { estimator }) => passAllOutputs(history, estimator),
  'by-message': (history, rules) =>
    passByMessage(history, rules.prune.byMessage ?? TAKE_NOTHING, rules),
  'by-verdict': (history, { prune: { byVerdict = KEEP_WITHOUT_VERDICT }, estimator }) =>
    passByVerdict(history, byVerdict, estimator),
};

/** Tests if a policy prunes at such moments, with any of its passes. */
export function prunesAt(
  { prune: { enabled, when, cleanups } }: Pick<Policy, 'prune'>,
  moment: PrunePolicy['when'],
): boolean {
  return (enabled && when === moment) || cleanups?.some((rules) => rules.when === moment) === true;
}

/** Tests if a policy prunes at such moments, and now is its step. Source: SWE-agent, `polling`. */
export function isPruneDue(state: LoopState, moment: PrunePolicy['when']): boolean {
  const { everySteps = 1 } = state.policy.prune;
  if (!prunesAt(state.policy, moment)) return false;
  return everySteps <= 1 || foldOver(historyOf(state), steps) % everySteps === 0;
}

/** Runs what a policy prunes at a moment: clean-ups in their order, then the pass. */
export function prune(state: LoopState, moment: PrunePolicy['when'], tools: PruneTools): Pruned {
  const { policy } = state;
  const { enabled, when, cleanups = NO_CLEANUPS } = policy.prune;
  const due = cleanups.filter((rules) => rules.when === moment);
  if (due.length === 0) return prunePass(state, tools);
  const byPass: PassPlan[] = [];
  let next = state;
  for (const rules of due) {
    const { plan, messages } = planCleanup(historyOf(next), { rules, policy, now: tools.now });
    byPass.push({ pass: rules.pass, ...plan });
    if (plan.state === 'fire') next = changeState(next, { history: messages });
  }
  if (enabled && when === moment) {
    const passed = prunePass(next, tools);
    byPass.push({ pass: policy.prune.pass, ...passed.plan });
    next = passed.state;
  }
  const plan = joinPlans(byPass);
  return { state: next, plan, event: { type: 'pruned', plan, byPass } };
}

/** Plans a policy's pass over a history. */
export function planPrune(
  policy: RankRules,
  history: List<Message>,
  knowledge: RankKnowledge = {},
): PlannedPrune {
  const { evicts, pass } = policy.prune;
  if (evicts === undefined) return passes[pass](history, policy);
  const ranked = planByRank(history, { ...policy, evicts }, knowledge);
  return { ...ranked, judge: () => judgeByRank(history, policy, ranked.plan) };
}

function prunePass(state: LoopState, tools: PruneTools): Pruned {
  const { policy } = state;
  const history = historyOf(state);
  const planned = planPrune(policy, history, { baseCleared: state.baseCleared, uses: tools.uses });
  const { plan, baseCleared } = planned;
  const event: EngineEvent = { type: 'pruned', plan };
  if (plan.state !== 'fire' && baseCleared === undefined) return { state, plan, event };
  const hidden = markOutputs(history, planned, tools.now);
  const isOverwritten = policy.prune.storedOutput === 'overwritten';
  const next = changeState(state, {
    history: isOverwritten ? overwriteOutputs(hidden, plan, policy.render.clearedOutput) : hidden,
    ...(baseCleared && { baseCleared }),
  });
  return { state: next, plan, event };
}

/** Clears outputs when and as much as the pass would, in another order. Source: evaluation design, section 9.3. */
function planByRank(
  history: List<Message>,
  rules: RankRules & { readonly evicts: EvictionName },
  { baseCleared, uses }: RankKnowledge,
): Omit<PlannedPrune, 'judge'> {
  const known = baseCleared ?? clearedIn(history);
  const base = passes[rules.prune.pass](asPassSees(history, known, rules), rules).plan;
  if (base.state !== 'fire') return { plan: base, baseCleared: known };
  const cleared = new Set([...known, ...base.partIds]);
  const candidates = judgeAll(history, rules)
    .flatMap(({ part, verdict, tokens = 0 }) =>
      verdict === 'outranked' ? [{ partId: part.id, tokens }] : [],
    )
    .toReversed();
  const order: EvictionOrder = evictionOrders[rules.evicts];
  const ordered = candidates
    .map((candidate) => ({ candidate, rank: order.rank(candidate, uses) }))
    .toSorted((one, other) => compareRanks(one.rank, other.rank))
    .map(({ candidate }) => candidate);
  const chosen = new Set(choose(ordered, excessTokens(history, rules, cleared)));
  const going = candidates.filter((one) => chosen.has(one));
  const plan: PrunePlan = {
    state: going.length === 0 ? 'nothing' : 'fire',
    partIds: going.map(({ partId }) => partId).toReversed(),
    estimatedTokens: going.reduce((total, { tokens }) => total + tokens, 0),
  };
  return { plan, baseCleared: cleared };
}

function judgeByRank(
  history: List<Message>,
  rules: RankRules,
  plan: PrunePlan,
): readonly JudgedOutput[] {
  const chosen = new Set(plan.partIds);
  return judgeAll(history, rules).map((judged) =>
    judged.verdict === 'outranked' && chosen.has(judged.part.id)
      ? { ...judged, verdict: 'ranked-first' }
      : judged,
  );
}

function clearedIn(history: List<Message>): ReadonlySet<string> {
  const outputs = toArray(history).flatMap(({ parts }) => parts.filter(isRanked));
  return new Set(outputs.filter(isCleared).map(({ id }) => id));
}

function isRanked(part: Part): part is CompletedPart {
  return isCompleted(part) && !isWithout(part, 'output');
}

function asPassSees(history: List<Message>, cleared: ReadonlySet<string>, { prune }: RankRules) {
  const isStopped = prune.pass === 'by-age' && (prune.byAge.atCleared ?? 'stop') === 'stop';
  const start = isStopped
    ? findNewest(history, ({ parts }) => parts.some(({ id }) => cleared.has(id)))
    : 0;
  return itemsFrom(history, Math.max(0, start)).map((message) =>
    message.parts.some((part) => isRanked(part) && isCleared(part) !== cleared.has(part.id))
      ? { ...message, parts: message.parts.map((part) => markAs(part, cleared)) }
      : message,
  );
}

function markAs(part: Part, cleared: ReadonlySet<string>): Part {
  if (!isRanked(part)) return part;
  const { compactedAt: _, ...state } = part.state;
  return { ...part, state: cleared.has(part.id) ? { ...state, compactedAt: 0 } : state };
}

function judgeAll(history: List<Message>, rules: RankRules): readonly JudgedOutput[] {
  const { prune, estimator } = rules;
  const shown = new Set(toArray(viewUnder(history, rules)).map(({ id }) => id));
  const messages = toArray(history).filter((message) => !isSummary(message));
  const restrictions = prune.pass === 'by-age' ? prune.byAge : ANY_AGE;
  const options = { ...restrictions, atCleared: 'go-on' } as const;
  return [...judgeByAge(messages, options, estimator)].flatMap((judged) => {
    if (judged.type === 'end') return [];
    const { type, messageId, part, tokens } = judged;
    if (tokens === undefined) return [judged];
    const output = { type, messageId, part };
    if (isCleared(part)) return [{ ...output, verdict: 'already-cleared' }];
    if (!mayClear(part, prune.keepLast ?? KEEP_ALL))
      return [{ ...output, verdict: 'protected-tool' }];
    if (!shown.has(messageId)) return [{ ...output, verdict: 'not-reached' }];
    return [{ ...output, verdict: 'outranked', tokens }];
  });
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, place) => value !== other[place]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

function choose(ordered: readonly Candidate[], neededTokens: number): readonly Candidate[] {
  let spareTokens = -neededTokens;
  const chosen = ordered.filter(({ tokens }) => {
    if (spareTokens >= 0) return false;
    spareTokens += tokens;
    return true;
  });
  return chosen.toReversed().filter(({ tokens }) => {
    if (tokens > spareTokens) return true;
    spareTokens -= tokens;
    return false;
  });
}

function excessTokens(history: List<Message>, rules: RankRules, cleared: ReadonlySet<string>) {
  const outputs = toArray(viewUnder(history, rules)).flatMap(({ parts }) => parts.filter(isRanked));
  return outputs.reduce((total, part) => {
    const excess = Number(cleared.has(part.id)) - Number(isCleared(part));
    return total + excess * estimateText(part.state.output, rules);
  }, 0);
}

/** With a last mix, so that ids that count up lie far apart. */
function hashOf(text: string): number {
  const hash = hashUnits(text);
  const mixed = Math.imul(hash ^ (hash >>> 15), FNV.start);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
