import { policies } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { known, sum } from '../../lib/collections.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import { COST_METRIC } from '../../metrics/statistics/judge-difference.ts';
import { countEvidence } from '../../metrics/statistics/verdict.ts';
import { RECORDED } from '../../replay/recorded.ts';
import { type Arm, armRunOf, onEqualTerms } from '../../report/arms.ts';
import type { Comparison } from '../../report/comparison.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeSavings } from '../../report/run-notes.ts';
import { conclude } from '../../report/verdict.ts';
import {
  compareCosts,
  compareMetrics,
  findMostDifferent,
  SAVED_METRIC,
} from './compare-metrics.ts';
import {
  asksSummarizer,
  type NamedValues,
  pairSides,
  type SessionPair,
  type Side,
} from './pair-sides.ts';

export type ComparisonOutcome =
  | { readonly state: 'compared'; readonly comparison: Comparison }
  | { readonly state: 'incomparable'; readonly reason: string };

export interface RunSide extends Side {
  readonly rows: readonly RunRecord[];
}

interface AdapterSides {
  readonly adapter: RunSide;
  readonly never: RunSide;
  readonly others: readonly RunSide[];
  readonly firstBreaks: ReadonlyMap<string, number>;
}

interface CompareOptions {
  readonly seed: number;
  readonly unread?: readonly UnreadInput[];
}

const NET_COST = 'Cost, re-reads included';

export function compareSides(
  a: Side,
  b: Side,
  { seed, unread = [] }: CompareOptions,
): ComparisonOutcome {
  const pairing = pairSides(a, b);
  if (pairing.state === 'incomparable') return pairing;
  const arms = onEqualTerms([armOf('a', [a, b], pairing.pairs), armOf('b', [b, a], pairing.pairs)]);
  // What was recorded is what others are held against, on whichever side it stands.
  const baseline = b.name === RECORDED ? b.name : a.name;
  const { verdict, ...conclusion } = conclude(arms, { baseline });
  const [runsOfA, runsOfB] = arms.map(({ runs }) => runs);
  const pairs = pairing.pairs.map((pair, index) => ({
    ...pair,
    a: toNet(pair.a, runsOfA?.[index]?.costUsd),
    b: toNet(pair.b, runsOfB?.[index]?.costUsd),
  }));
  const isNet = conclusion.withoutRereads === undefined;
  const compared = compareMetrics(pairs, seed).map((metric) =>
    metric.name === COST_METRIC && isNet ? { ...metric, label: NET_COST } : metric,
  );
  const rows = [...a.rows, ...b.rows];
  const asking = rows.filter(asksSummarizer);
  const stories = [...(a.stories ?? []), ...(b.stories ?? [])];
  const comparison = {
    verdict,
    conclusion,
    a: a.name,
    b: b.name,
    origins: { a: originOf(a), b: originOf(b) },
    model: namesOf(a.rows.map(({ model }) => model)),
    summarizer: namesOf((asking.length > 0 ? asking : rows).map(({ summarizer }) => summarizer)),
    mode: a.mode,
    seed,
    pairs: pairs.length,
    ...countEvidence(pairs),
    cost: compareCosts(pairs, compared, seed),
    metrics: compared,
    mostDifferent: findMostDifferent(pairs, compared),
    runs: { a: toSideRuns(arms[0]), b: toSideRuns(arms[1]) },
    leftOut: pairing.leftOut,
    savings: describeSavings(rows),
    failedRuns: rows.filter(({ state }) => state === 'failed').length,
    stories: [...new Map(stories.map((story) => [story.session, story])).values()],
    unread,
  };
  return { state: 'compared', comparison };
}

export function compareAdapter(sides: AdapterSides, options: CompareOptions): ComparisonOutcome {
  const { adapter, never, others } = sides;
  const [first] = others;
  if (first === undefined) throw new TypeError('Expected a policy to hold the adapter against.');
  const outcome = compareSides(first, adapter, options);
  if (outcome.state === 'incomparable') return outcome;
  const bases = others.includes(never) ? others : [never, ...others];
  const arms = onEqualTerms(
    [first, adapter, ...bases.filter((one) => one !== first)].map(({ name, rows }) => ({
      name,
      runs: rows.map((row) => armRunOf(row.session, row)),
    })),
  );
  const [own, last, ...further] = arms;
  const { verdict, ...conclusion } = conclude(arms, { baseline: first.name });
  const comparison = {
    ...outcome.comparison,
    verdict,
    conclusion,
    runs: { a: toSideRuns(own), b: toSideRuns(last) },
    others: further.map((arm) => ({ name: arm.name, runs: toSideRuns(arm) })),
    bill: billOf(sides, bases),
  };
  return { state: 'compared', comparison };
}

/** The first step at which two runs of a session do different things; `undefined` where they never do. */
export function findParting(a: readonly RunEvent[], b: readonly RunEvent[]) {
  const [first, second] = [toActs(a), toActs(b)];
  const place = first.findIndex(
    ({ step, words }, index) => step !== second[index]?.step || words !== second[index]?.words,
  );
  const index = place === -1 ? first.length : place;
  const [one, other] = [first[index], second[index]];
  if (one === undefined && other === undefined) return undefined;
  const step = Math.min(one?.step ?? Infinity, other?.step ?? Infinity);
  const wordsOf = (act: typeof one) => (act?.step === step ? act.words : 'nothing');
  return { step, a: wordsOf(one), b: wordsOf(other) };
}

function armOf(
  side: 'a' | 'b',
  [own, other]: readonly [Side, Side],
  pairs: readonly SessionPair[],
): Arm {
  const edges = new Map(own.rows.map(({ session, edgeTokens }) => [session, edgeTokens]));
  const paired = pairs.map(({ session, family, [side]: values }, index) => {
    const run = { session, family, state: 'completed', mode: own.mode, metrics: values } as const;
    return armRunOf(String(index), { ...run, edgeTokens: edges.get(session) });
  });
  const failed = own.rows
    .filter((row) => !isWhole(row))
    .map((row, index) => armRunOf(`${side} ${index}`, row));
  const against = side === 'a' ? 'b' : 'a';
  const peers = other.rows
    .filter((row) => !isWhole(row))
    .flatMap(({ session }, index) => {
      const peer = own.rows.find((row) => row.session === session && isWhole(row));
      return peer ? [armRunOf(`${against} ${index}`, peer)] : [];
    });
  return { name: own.name, runs: [...paired, ...failed, ...peers] };
}

function isWhole(row: Pick<RunRecord, 'state' | 'impossible'>) {
  return countsAs(row) === 'completed';
}

function toNet(values: NamedValues, netUsd: number | null = null): NamedValues {
  const { [COST_METRIC]: costUsd, [SAVED_METRIC]: savedUsd } = values;
  if (typeof costUsd !== 'number' || netUsd === null) return values;
  const saved = typeof savedUsd === 'number' && { [SAVED_METRIC]: savedUsd + costUsd - netUsd };
  return { ...values, [COST_METRIC]: netUsd, ...saved };
}

function toSideRuns(arm: Arm | undefined): NonNullable<Comparison['runs']>['a'] {
  return (arm?.runs ?? []).map((run) => {
    const { key, session, state, reason, costUsd, losses, compactions, isLeast } = run;
    const tokens = costUsd === null ? run.tokens : undefined;
    return {
      key,
      session,
      state,
      ...known({ reason }),
      costUsd,
      ...known({ tokens }),
      losses,
      compactions,
      isLeast,
    };
  });
}

function originOf({ origin, rows }: Side): Comparison['origins']['a'] {
  return { policies: [...new Set(rows.map(({ policy }) => policy))], ...origin };
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}

/** Over the sessions that it and all policies completed. */
function billOf({ adapter, others, firstBreaks }: AdapterSides, bases: readonly RunSide[]) {
  const completed = others.map(
    ({ rows }) => new Set(rows.filter(isWhole).map(({ session }) => session)),
  );
  const own = adapter.rows.filter(
    (row) => isWhole(row) && completed.every((sessions) => sessions.has(row.session)),
  );
  const sessions = new Set(own.map(({ session }) => session));
  const session = own.find((row) => firstBreaks.has(row.session))?.session ?? '';
  const step = firstBreaks.get(session);
  return {
    sessions: own.length,
    compactions: totalOf(own, 'compactions') ?? 0,
    ineffectiveCompactions: totalOf(own, 'ineffectiveCompactions') ?? 0,
    costUsd: totalOf(own, 'costUsd'),
    summariesUsd: totalOf(own, 'costSummariesUsd'),
    inputTokens: totalOf(own, 'inputTokens') ?? 0,
    cacheBreaks: totalOf(own, 'prefixBreaks') ?? 0,
    ...(step !== undefined && { firstCacheBreak: { step, ...(own.length > 1 && { session }) } }),
    against: bases.map(({ name, rows }) => {
      const some = rows.filter((row) => sessions.has(row.session));
      const impossible = some.filter((row) => row.impossible !== undefined).length;
      const isTold = impossible > 0 && name === policies.none.name;
      const hasAll = some.length === own.length && some.every(isWhole);
      return {
        policy: name,
        ...(isTold && { impossibleSessions: impossible }),
        costUsd: hasAll ? totalOf(some, 'costUsd') : null,
        inputTokens: hasAll ? totalOf(some, 'inputTokens') : null,
      };
    }),
  };
}

function totalOf(rows: readonly RunRecord[], name: keyof RunRecord['metrics']) {
  const values = rows.flatMap((row) => row.metrics[name] ?? []);
  return values.length < rows.length ? null : sum(values);
}

/** Nothing for plain steps and the frame of a run. */
function toActs(events: readonly RunEvent[]) {
  let step = 1;
  return events.flatMap((event) => {
    if ('step' in event) step = event.step;
    const words = describeAct(event);
    return words === undefined ? [] : [{ step, words }];
  });
}

function describeAct(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'overflow':
      return `overflow ${event.path}`;
    case 'prune-end':
      return event.state === 'fired' ? `prune of ${event.prunedTokens} tokens` : undefined;
    case 'pivot':
      return `pivot ${event.contextBeforeTokens} to ${event.contextAfterTokens} tokens`;
    case 'step-refused':
      return `refusal of ${event.contextTokens} tokens`;
    case 'step-truncated':
      return `silent cut to ${event.keptTokens} tokens`;
    case 'summary-end':
      return event.keptTokens === undefined
        ? undefined
        : `silent cut of a summary request to ${event.keptTokens} tokens`;
    case 'moved-out':
      return `${event.messageIds.length} messages moved out`;
    case 'summary-rejected':
      return 'summary rejected';
    case 'run-end':
      return event.state === 'completed' ? undefined : event.state;
    default:
      return undefined;
  }
}
