import { canonicalJson, policies } from '../../../engine/index.ts';
import type { RunMode } from '../../events.ts';
import { groupBy, joinGroups } from '../../lib/collections.ts';
import { type CountedState, countsAs, type RunKey, type RunRecord } from '../../metrics/record.ts';
import { OWN_SUMMARIES } from '../../replay/foreign/compactor.ts';
import { RECORDED } from '../../replay/recorded.ts';
import type { LeftOut } from '../../report/comparison.ts';
import type { Origin } from '../../report/origin.ts';
import type { NamedStory } from '../../report/stories.ts';
import type { SettingValue } from '../../scenario/settings.ts';

/** One side of a comparison. */
export interface Side {
  /** As it was asked for. */
  readonly name: string;
  readonly rows: readonly ComparableRow[];
  /** Of the report or the results; a policy that has just been run has the current one. */
  readonly schemaVersion: number;
  readonly mode: RunMode;
  readonly origin: Origin;
  /** Of its sessions, as far as they are known. */
  readonly stories?: readonly NamedStory[] | undefined;
}

/** One session under both sides. */
export interface SessionPair {
  readonly session: string;
  /** The first by name of the sessions that it shares its beginning with, itself included. */
  readonly family: string;
  /** Where each side has several arms. */
  readonly arm?: string | undefined;
  readonly a: NamedValues;
  readonly b: NamedValues;
}

/** Pairs of completed runs, or why the sides cannot be compared. */
type Pairing =
  | {
      readonly state: 'paired';
      readonly pairs: readonly SessionPair[];
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly state: 'incomparable'; readonly reason: string };

/** Two arms that belong together; of one without a partner all sessions are left out. */
interface Match {
  /** Name among several matches; empty if there is one. */
  readonly name: string;
  readonly a?: Arm | undefined;
  readonly b?: Arm | undefined;
}

/** A row that can be compared: of a report, or of the results of a sweep. */
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
  /** Hash of the session's content; absent where nobody noted it. */
  readonly sessionHash?: string;
};

/** Values of metrics by name; `null` where unknown. */
export type NamedValues = Readonly<Record<string, number | null>>;

/** One policy with its settings and whom it met, and what each session came to under it. */
interface Arm {
  /** The policy, with its settings where it has some. */
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  /** False of sessions that met no summarizer. */
  readonly asks: boolean;
  readonly sessions: ReadonlyMap<string, ArmResult>;
}

/** A session's result under an arm, over all its trials. */
export interface ArmResult {
  readonly state: CountedState;
  readonly reason?: string | undefined;
  readonly sessionHash?: string | undefined;
  /** Means over the trials; unknown where it is unknown for any. */
  readonly metrics: NamedValues;
}

/** A row as far as it tells of families. */
type FamilyRow = Pick<RunKey, 'session'> & { readonly family?: string | undefined };

/** Properties that must be equal; an unknown one differs from nothing. */
const MUST_BE_EQUAL: readonly {
  readonly what: string;
  readonly of: (side: Side) => string | undefined;
}[] = [
  { what: 'the version of their schema', of: ({ schemaVersion }) => String(schemaVersion) },
  { what: 'their mode', of: ({ mode }) => mode },
  { what: 'their model', of: ({ rows }) => namesOf(rows, ({ model }) => model) },
  { what: 'their summarizer', of: summarizersOf },
  { what: 'their catalog', of: ({ origin }) => origin.catalog?.hash },
];

const NO_SESSIONS: Arm['sessions'] = new Map();
const OTHER_CONTENT = 'another content in A and B';

/** Pairs two sides by session, under the same model and summarizer: one policy with one, or each with the same one. */
export function pairSides(a: Side, b: Side): Pairing {
  const reason = findIncomparable(a, b);
  if (reason !== undefined) return { state: 'incomparable', reason };
  const arms = matchArms(toArms(a.rows), toArms(b.rows));
  if (!arms.some((match) => match.a && match.b)) {
    const message = `${a.name} and ${b.name} have several policies or settings, and none in common`;
    return { state: 'incomparable', reason: message };
  }
  const results = arms.map(pairArms);
  const families = joinFamilies([a, b]);
  const pairs = results.flatMap((result) =>
    result.pairs.map((pair) => ({ ...pair, family: families.get(pair.session) ?? pair.session })),
  );
  const leftOut = results.flatMap((result) => result.leftOut);
  if (pairs.length > 0) return { state: 'paired', pairs, leftOut };
  const what = whatIsMissing(a, b, leftOut);
  return { state: 'incomparable', reason: `${a.name} and ${b.name} have no session ${what}` };
}

/** Returns true if completed results are of one session, as far as known: by hash, else by what no policy changes. */
export function isSameSession(a: ArmResult, b: ArmResult): boolean {
  if (a.sessionHash !== undefined && b.sessionHash !== undefined) {
    return a.sessionHash === b.sessionHash;
  }
  return [turnsOf, recordedStepsOf].every((of) => isSame(of(a.metrics), of(b.metrics)));
}

/**
 * The sessions that are in a family on any of some sides, each with the first by name of it. A side that was run
 * without some sessions knows less than another one, but never anything else.
 */
export function joinFamilies(
  sides: readonly { readonly rows: readonly FamilyRow[] }[],
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

/** The summarizers of a side; nothing where none was asked. */
function summarizersOf({ rows }: Side): string | undefined {
  const asking = rows.filter(asksSummarizer);
  return asking.length === 0 ? undefined : namesOf(asking, ({ summarizer }) => summarizer);
}

/** The difference that rules out a comparison, in words; `undefined` if there is none. */
function findIncomparable(a: Side, b: Side): string | undefined {
  for (const { what, of } of MUST_BE_EQUAL) {
    const [first, second] = [of(a), of(b)];
    if (first !== undefined && second !== undefined && first !== second) {
      return `${a.name} and ${b.name} differ in ${what}: ${first} against ${second}`;
    }
  }
  return undefined;
}

/** One policy stands against one policy, whatever they are called; of several each against the one of its name. */
function matchArms(a: readonly Arm[], b: readonly Arm[]): readonly Match[] {
  const isOne = [a, b].every((arms) => countOf(arms, ({ policy }) => policy) === 1);
  const asking = [...a, ...b].filter(({ asks }) => asks);
  const isOneModel = countOf([...a, ...b], ({ model }) => model) === 1;
  const isOneSummarizer = countOf(asking, ({ summarizer }) => summarizer) <= 1;
  const nameOf = ({ policy, model, summarizer }: Arm) => {
    const met = [...(isOneModel ? [] : [model]), ...(isOneSummarizer ? [] : [summarizer])];
    return [...(isOne ? [] : [policy]), ...(met.length === 0 ? [] : [met.join(', ')])].join(' on ');
  };
  const ofB = new Map(b.map((arm) => [nameOf(arm), arm]));
  const ofA = new Map(a.map((arm) => [nameOf(arm), arm]));
  return [...new Set([...ofA.keys(), ...ofB.keys()])].map((name) => ({
    name,
    a: ofA.get(name),
    b: ofB.get(name),
  }));
}

function countOf(arms: readonly Arm[], keyOf: (arm: Arm) => string): number {
  return new Set(arms.map(keyOf)).size;
}

/**
 * Rows by policy, settings, model and summarizer, in the order of first appearance. The control and the run as recorded
 * are left out where there is another.
 */
function toArms(rows: readonly ComparableRow[]): readonly Arm[] {
  const byArm = groupBy(rows, (row) => canonicalJson([policyOf(row), row.model, row.summarizer]));
  const arms = [...byArm.values()].flatMap(toArm);
  const others = arms.filter(({ isControl }) => !isControl);
  return others.length === 0 ? arms : others;
}

function policyOf({ policy, settings = {} }: ComparableRow): string {
  return Object.keys(settings).length === 0 ? policy : `${policy} ${canonicalJson(settings)}`;
}

function toArm(rows: readonly ComparableRow[]) {
  const [first] = rows;
  if (first === undefined) return [];
  const bySession = groupBy(rows, ({ session }) => session);
  return [
    {
      policy: policyOf(first),
      model: first.model,
      summarizer: first.summarizer,
      asks: asksSummarizer(first),
      isControl: first.policy === policies.none.name || first.policy === RECORDED,
      sessions: new Map([...bySession].map(([session, trials]) => [session, joinTrials(trials)])),
    },
  ];
}

/** Trials are repeats of one observation: one that did not complete leaves the session without any. */
function joinTrials(trials: readonly ComparableRow[]): ArmResult {
  const broken = trials.find((trial) => countsAs(trial) !== 'completed');
  const names = new Set(trials.flatMap(({ metrics }) => Object.keys(metrics)));
  const metrics = [...names].map((name) => [name, meanOf(trials, name)] as const);
  return {
    state: broken === undefined ? 'completed' : countsAs(broken),
    reason: broken?.impossible ?? broken?.reason,
    sessionHash: trials[0]?.sessionHash,
    metrics: Object.fromEntries(metrics),
  };
}

/** Added up from the first, so that the mean of equal numbers is that number to the last digit. */
function meanOf(trials: readonly ComparableRow[], name: string): number | null {
  let first: number | undefined;
  let more = 0;
  for (const { metrics } of trials) {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : null;
    if (value === null || value === undefined) return null;
    first ??= value;
    more += value - first;
  }
  return first === undefined ? null : first + more / trials.length;
}

function pairArms({ name, a, b }: Match) {
  const pairs: Omit<SessionPair, 'family'>[] = [];
  const leftOut: LeftOut[] = [];
  const [ofA, ofB] = [a?.sessions ?? NO_SESSIONS, b?.sessions ?? NO_SESSIONS];
  for (const session of new Set([...ofA.keys(), ...ofB.keys()])) {
    const [first, second] = [ofA.get(session), ofB.get(session)];
    const reason = whyLeftOut(first, second);
    if (first && second && reason === undefined) {
      pairs.push({ session, ...(name && { arm: name }), a: first.metrics, b: second.metrics });
    } else
      leftOut.push({ session, reason: [reason, ...(name ? [`under ${name}`] : [])].join(', ') });
  }
  return { pairs, leftOut };
}

function whyLeftOut(a: ArmResult | undefined, b: ArmResult | undefined): string | undefined {
  if (a === undefined) return 'only in B';
  if (b === undefined) return 'only in A';
  const [ofA, ofB] = [earlyEndOf(a), earlyEndOf(b)];
  if (ofA !== undefined && ofA === ofB) return `${ofA} in A and B`;
  const ends = [ofA && `${ofA} in A`, ofB && `${ofB} in B`].filter((end) => end !== undefined);
  if (ends.length > 0) return ends.join(', ');
  return isSameSession(a, b) ? undefined : OTHER_CONTENT;
}

function earlyEndOf({ state, reason }: ArmResult): string | undefined {
  if (state === 'completed') return undefined;
  return reason === undefined ? state : `${state} (${reason})`;
}

function whatIsMissing(a: Side, b: Side, leftOut: readonly LeftOut[]): string {
  if (leftOut.some(({ reason }) => reason.startsWith(OTHER_CONTENT))) {
    return 'of the same content that completed on both sides';
  }
  const names = new Set(a.rows.map(({ session }) => session));
  const isShared = b.rows.some(({ session }) => names.has(session));
  return isShared ? 'that completed on both sides' : 'of the same name';
}

function turnsOf({ turns }: NamedValues): number | undefined {
  return turns ?? undefined;
}

function recordedStepsOf({ steps, rereadSteps }: NamedValues): number | undefined {
  return typeof steps === 'number' ? steps - (rereadSteps ?? 0) : undefined;
}

/** Nobody knows that something unknown differs. */
function isSame(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function namesOf(rows: readonly ComparableRow[], nameOf: (row: ComparableRow) => string): string {
  return [...new Set(rows.map(nameOf))].toSorted().join(', ');
}
