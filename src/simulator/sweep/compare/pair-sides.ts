import { canonicalJson, policies } from '../../../engine/index.ts';
import type { RunMode } from '../../events.ts';
import { groupBy, joinGroups, known, sum } from '../../lib/collections.ts';
import { type CountedState, countsAs, type RunKey, type RunRecord } from '../../metrics/record.ts';
import { OWN_SUMMARIES } from '../../replay/foreign/compactor.ts';
import { RECORDED } from '../../replay/recorded.ts';
import type { Comparison } from '../../report/comparison.ts';
import type { Origin } from '../../report/origin.ts';
import type { NamedStory } from '../../report/session-names.ts';
import type { SettingValue } from '../../scenario/settings.ts';

type LeftOut = Comparison['leftOut'];

export interface Side {
  readonly name: string;
  readonly rows: readonly ComparableRow[];
  readonly mode: RunMode;
  readonly origin: Origin;
  readonly stories?: readonly NamedStory[] | undefined;
}

export interface SessionPair {
  readonly session: string;
  readonly family: string;
  readonly arm?: string | undefined;
  readonly a: NamedValues;
  readonly b: NamedValues;
}

export type ComparableRow = Pick<
  RunRecord,
  | 'session'
  | 'family'
  | 'policy'
  | 'model'
  | 'summarizer'
  | 'state'
  | 'reason'
  | 'impossible'
  | 'baseline'
  | 'edgeTokens'
> & {
  readonly metrics: NamedValues;
  readonly settings?: Readonly<Record<string, SettingValue>>;
  readonly sessionHash?: string;
};

export type NamedValues = Readonly<Record<string, number | null>>;

type Arm = ReturnType<typeof toArms>[number];

export interface ArmResult {
  readonly state: CountedState;
  readonly reason?: string | undefined;
  readonly sessionHash?: string | undefined;
  readonly metrics: NamedValues;
}

const OTHER_CONTENT = 'another content in A and B';

/** Pairs two sides by session: one policy with one, or each with the same one. */
export function pairSides(a: Side, b: Side) {
  const incomparable = (reason: string) =>
    ({ state: 'incomparable', reason: `${a.name} and ${b.name} ${reason}` }) as const;
  const ofB = new Map(equalsOf(b));
  for (const [what, first] of equalsOf(a)) {
    const second = ofB.get(what);
    if (first && second && first !== second)
      return incomparable(`differ in their ${what}: ${first} against ${second}`);
  }
  const arms = matchArms(toArms(a.rows), toArms(b.rows));
  if (!arms.some((match) => match.a && match.b))
    return incomparable('have several policies or settings, and none in common');
  const families = joinFamilies([a, b]);
  const pairs: SessionPair[] = [];
  const leftOut: LeftOut[number][] = [];
  for (const { name, ...sides } of arms) {
    for (const session of new Set([...(sides.a?.keys() ?? []), ...(sides.b?.keys() ?? [])])) {
      const [first, second] = [sides.a?.get(session), sides.b?.get(session)];
      const reason = whyLeftOut(first, second);
      if (first && second && reason === undefined) {
        const family = families.get(session) ?? session;
        const arm = known({ arm: name || undefined });
        pairs.push({ session, family, ...arm, a: first.metrics, b: second.metrics });
      } else leftOut.push({ session, reason: `${reason}${name && `, under ${name}`}` });
    }
  }
  if (pairs.length > 0) return { state: 'paired' as const, pairs, leftOut };
  return incomparable(`have no session ${whatIsMissing(a, b, leftOut)}`);
}

export function isSameSession(a: ArmResult, b: ArmResult) {
  if (a.sessionHash !== undefined && b.sessionHash !== undefined)
    return a.sessionHash === b.sessionHash;
  const unchanged = ({ metrics: { turns, steps, rereadSteps } }: ArmResult) =>
    [turns, typeof steps === 'number' ? steps - (rereadSteps ?? 0) : undefined] as const;
  const [ofA, ofB] = [unchanged(a), unchanged(b)];
  // Nobody knows that something unknown differs.
  return [0, 1].every((index) => (ofA[index] ?? ofB[index]) === (ofB[index] ?? ofA[index]));
}

export function joinFamilies(
  sides: readonly {
    readonly rows: readonly { readonly session: string; readonly family?: string | undefined }[];
  }[],
): ReadonlyMap<string, string> {
  const families = sides.flatMap(({ rows }) => [...groupBy(rows, ({ family }) => family)]);
  // Whoever a family is called by is of it, even if no row of its own says so.
  return joinGroups(
    families.map(([name, rows]) => [...new Set([name, ...rows.map(({ session }) => session)])]),
  );
}

/** Tests if a run asks a summarizer: no recording does, and an adapter writes its own summaries. */
export function asksSummarizer({
  policy,
  summarizer,
}: Pick<RunKey, 'policy' | 'summarizer'>): boolean {
  return policy !== RECORDED && summarizer !== OWN_SUMMARIES;
}

/** Properties that must be equal; an unknown one differs from nothing. */
function equalsOf({ mode, rows, origin }: Side): readonly [string, string | undefined][] {
  const asked = rows.filter(asksSummarizer).map(({ summarizer }) => summarizer);
  return [
    ['mode', mode],
    ['model', namesOf(rows.map(({ model }) => model))],
    ['summarizer', namesOf(asked)],
    ['catalog', origin.catalog?.hash],
  ];
}

function namesOf(names: readonly string[]) {
  return [...new Set(names)].toSorted().join(', ');
}

/** One policy stands against one, whatever they are called; several each by name. */
function matchArms(a: readonly Arm[], b: readonly Arm[]) {
  const rows = [...a, ...b].map(({ first }) => first);
  const isOne = [a, b].every((arms) => new Set(arms.map(({ policy }) => policy)).size === 1);
  const isOneModel = new Set(rows.map(({ model }) => model)).size === 1;
  const asked = rows.filter(asksSummarizer).map(({ summarizer }) => summarizer);
  const isOneSummarizer = new Set(asked).size <= 1;
  const nameOf = ({ policy, first: { model, summarizer } }: Arm) => {
    const met = [...(isOneModel ? [] : [model]), ...(isOneSummarizer ? [] : [summarizer])];
    return [isOne ? '' : policy, met.join(', ')].filter((part) => part !== '').join(' on ');
  };
  const [ofA, ofB] = [a, b].map((arms) => new Map(arms.map((arm) => [nameOf(arm), arm.sessions])));
  const names = new Set([...(ofA?.keys() ?? []), ...(ofB?.keys() ?? [])]);
  return [...names].map((name) => ({ name, a: ofA?.get(name), b: ofB?.get(name) }));
}

function toArms(rows: readonly ComparableRow[]) {
  const byArm = groupBy(rows, (row) => canonicalJson([policyOf(row), row.model, row.summarizer]));
  const arms = [...byArm.values()].flatMap((own) => {
    const [first] = own;
    const sessions = [...groupBy(own, ({ session }) => session)].map(
      ([session, trials]) => [session, joinTrials(trials)] as const,
    );
    return first ? [{ policy: policyOf(first), first, sessions: new Map(sessions) }] : [];
  });
  const controls: readonly string[] = [policies.none.name, RECORDED];
  const others = arms.filter(({ first }) => !controls.includes(first.policy));
  return others.length === 0 ? arms : others;
}

function policyOf({ policy, settings = {} }: ComparableRow) {
  return Object.keys(settings).length === 0 ? policy : `${policy} ${canonicalJson(settings)}`;
}

/** One trial that did not complete leaves the session without any. */
function joinTrials(trials: readonly ComparableRow[]) {
  const broken = trials.find((trial) => countsAs(trial) !== 'completed');
  const names = new Set(trials.flatMap(({ metrics }) => Object.keys(metrics)));
  return {
    state: broken === undefined ? 'completed' : countsAs(broken),
    reason: broken?.impossible ?? broken?.reason,
    sessionHash: trials[0]?.sessionHash,
    metrics: Object.fromEntries([...names].map((name) => [name, meanOf(trials, name)])),
  };
}

/** Added up from the first, so that the mean of equal numbers is that number to the last digit. */
function meanOf(trials: readonly ComparableRow[], name: string) {
  const values = trials.flatMap(({ metrics }) => metrics[name] ?? []);
  const [first] = values;
  if (first === undefined || values.length < trials.length) return null;
  return first + sum(values.map((value) => value - first)) / trials.length;
}

function whyLeftOut(a: ArmResult | undefined, b: ArmResult | undefined) {
  if (a === undefined) return 'only in B';
  if (b === undefined) return 'only in A';
  const [ofA, ofB] = [a, b].map(({ state, reason }) => {
    if (state === 'completed') return undefined;
    return reason === undefined ? state : `${state} (${reason})`;
  });
  if (ofA !== undefined && ofA === ofB) return `${ofA} in A and B`;
  const ends = [ofA && `${ofA} in A`, ofB && `${ofB} in B`].filter((end) => end !== undefined);
  if (ends.length > 0) return ends.join(', ');
  return isSameSession(a, b) ? undefined : OTHER_CONTENT;
}

function whatIsMissing(a: Side, b: Side, leftOut: LeftOut) {
  if (leftOut.some(({ reason }) => reason.startsWith(OTHER_CONTENT)))
    return 'of the same content that completed on both sides';
  const names = new Set(a.rows.map(({ session }) => session));
  const isShared = b.rows.some(({ session }) => names.has(session));
  return isShared ? 'that completed on both sides' : 'of the same name';
}
