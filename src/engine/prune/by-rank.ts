import { estimateText } from '../estimate.ts';
import { findNewest, itemsFrom, type List, toArray } from '../history.ts';
import {
  type CompletedPart,
  isCleared,
  isCompleted,
  isSummary,
  isWithout,
  type Message,
  type Part,
} from '../message.ts';
import type { Policy } from '../policy.ts';
import type { EvictionName, PrunePolicy } from '../prune-policy.ts';
import type { PartUses, PrunePlan } from '../state.ts';
import { FNV, hashUnits } from '../values.ts';
import { viewUnder } from '../view.ts';
import { ANY_AGE, planByAge } from './by-age.ts';
import { judgeByMessage, passByMessage, TAKE_NOTHING } from './by-message.ts';
import { judgeByVerdict, KEEP_WITHOUT_VERDICT, passByVerdict } from './by-verdict.ts';
import {
  judgeAllOutputs,
  judgeKeepLast,
  KEEP_ALL,
  mayClear,
  passAllOutputs,
  passKeepLast,
} from './keep-last.ts';
import type { PassResult } from './plan.ts';
import { judgeByAge, type JudgedOutput, type Judgement } from './scan.ts';

/** The rules that a prune by rank goes by. */
export type RankRules = Pick<Policy, 'prune' | 'estimator' | 'render' | 'view' | 'windowMessages'>;

/** Knowledge of a prune by rank besides the history. */
export interface RankKnowledge {
  /** Outputs that the pass itself would have cleared so far; absent before the first prune. */
  readonly baseCleared?: ReadonlySet<string> | undefined;
  /** Absent where the host knows of no uses. */
  readonly uses?: PartUses | undefined;
}

interface RankedPrune {
  readonly plan: PrunePlan;
  readonly baseCleared: ReadonlySet<string>;
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

/** Orders in which outputs are cleared where it need not be by age, the bound first. */
export const evictionOrders = {
  /** Belady's rule for parts that do not come back: fewest uses first, and of equal ones the latest next use. */
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
  'largest-first': {
    describes: 'the largest outputs first',
    rank: ({ tokens }) => [-tokens],
  },
  'least-recently-used': {
    describes: 'the least recently used outputs first',
    rank: ({ partId }, uses) => [uses?.newest(partId) ?? 0],
  },
} satisfies Record<EvictionName, EvictionOrder>;

/** The passes of a prune: what each clears, and how it judges every tool output, newest first. */
export const passes: Readonly<
  Record<
    PrunePolicy['pass'],
    {
      readonly run: (history: List<Message>, rules: RankRules) => PassResult;
      readonly judge: (
        history: readonly Message[],
        rules: RankRules,
        plan: PrunePlan,
      ) => Iterable<Judgement>;
    }
  >
> = {
  'by-age': {
    run: (history, { prune, estimator }) => ({ plan: planByAge(history, prune.byAge, estimator) }),
    judge: (history, { prune, estimator }) => judgeByAge(history, prune.byAge, estimator),
  },
  'keep-last': {
    run: (history, { prune: { keepLast = KEEP_ALL }, estimator }) =>
      passKeepLast(history, keepLast, estimator),
    judge: (history, { prune: { keepLast = KEEP_ALL }, estimator }) =>
      judgeKeepLast(history, keepLast, estimator),
  },
  'all-outputs': {
    run: (history, { estimator }) => passAllOutputs(toArray(history), estimator),
    judge: (history, { estimator }) => judgeAllOutputs(history, estimator),
  },
  'by-message': {
    run: (history, rules) => passByMessage(history, rules.prune.byMessage ?? TAKE_NOTHING, rules),
    judge: (history, rules, plan) => judgeByMessage(history, plan, rules),
  },
  'by-verdict': {
    run: (history, { prune: { byVerdict = KEEP_WITHOUT_VERDICT }, estimator }) =>
      passByVerdict(history, byVerdict, estimator),
    judge: (history, { prune: { byVerdict = KEEP_WITHOUT_VERDICT }, estimator }) =>
      judgeByVerdict(history, byVerdict, estimator),
  },
};

/** Clears outputs when the pass would fire, down to what it would leave visible, in an order of its own. Source: evaluation design, section 9.3, the bounds. */
export function planByRank(
  history: List<Message>,
  rules: RankRules & { readonly evicts: EvictionName },
  { baseCleared, uses }: RankKnowledge,
): RankedPrune {
  const known = baseCleared ?? clearedIn(history);
  const base = passes[rules.prune.pass].run(asPassSees(history, known, rules), rules).plan;
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

/** Judges every tool output of a history, newest first, by a plan that was made by rank. */
export function judgeByRank(
  history: readonly Message[],
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

/** An output that orders differ in; what a clean-up took out is out under each of them. */
function isRanked(part: Part): part is CompletedPart {
  return isCompleted(part) && !isWithout(part, 'output');
}

function asPassSees(
  history: List<Message>,
  cleared: ReadonlySet<string>,
  { prune }: RankRules,
): readonly Message[] {
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
  const isGone = cleared.has(part.id);
  if (!isRanked(part) || isGone === isCleared(part)) return part;
  const { compactedAt: _, ...state } = part.state;
  return { ...part, state: isGone ? { ...state, compactedAt: 0 } : state };
}

function judgeAll(history: List<Message>, rules: RankRules): readonly JudgedOutput[] {
  const { prune, estimator } = rules;
  const shown = new Set(shownIn(history, rules).map(({ id }) => id));
  const messages = toArray(history).filter((message) => !isSummary(message));
  const restrictions = prune.pass === 'by-age' ? prune.byAge : ANY_AGE;
  const options = { ...restrictions, atCleared: 'go-on' } as const;
  return [...judgeByAge(messages, options, estimator)].flatMap((judged) => {
    if (judged.type === 'end') return [];
    const { type, messageId, part, tokens = 0 } = judged;
    if (judged.tokens === undefined) return [judged];
    if (isCleared(part)) return [{ type, messageId, part, verdict: 'already-cleared' }];
    if (!mayClear(part, prune.keepLast ?? KEEP_ALL)) {
      return [{ type, messageId, part, verdict: 'protected-tool' }];
    }
    if (!shown.has(messageId)) return [{ type, messageId, part, verdict: 'not-reached' }];
    return [{ type, messageId, part, verdict: 'outranked', tokens }];
  });
}

function shownIn(history: List<Message>, rules: RankRules): readonly Message[] {
  return toArray(viewUnder(history, rules));
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, place) => value !== other[place]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

/** The first that are enough, without those of them that need not go: the last in order stays first. */
function choose(ordered: readonly Candidate[], neededTokens: number): readonly Candidate[] {
  const chosen: Candidate[] = [];
  let spareTokens = -neededTokens;
  for (const candidate of ordered) {
    if (spareTokens >= 0) break;
    chosen.push(candidate);
    spareTokens += candidate.tokens;
  }
  return chosen.toReversed().filter(({ tokens }) => {
    if (tokens > spareTokens) return true;
    spareTokens -= tokens;
    return false;
  });
}

function excessTokens(
  history: List<Message>,
  rules: RankRules,
  cleared: ReadonlySet<string>,
): number {
  const outputs = shownIn(history, rules).flatMap(({ parts }) => parts.filter(isRanked));
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
