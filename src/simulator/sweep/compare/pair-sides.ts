import type { LeftOut } from '../../report/compare/comparison.ts';
import type { Loop } from '../../report/loop.ts';
import { type Arm, type ArmResult, type ComparableRow, type NamedValues, toArms } from './arm.ts';

/** One side of a comparison. */
export interface Side {
  /** As it was asked for. */
  readonly name: string;
  readonly rows: readonly ComparableRow[];
  /** Of the report or the results; a policy that has just been run has the current one. */
  readonly schemaVersion: number;
  readonly loop: Loop;
}

/** One session under both sides. */
export interface SessionPair {
  readonly session: string;
  /** Where each side has several arms. */
  readonly arm?: string | undefined;
  readonly a: NamedValues;
  readonly b: NamedValues;
}

/** Pairs of completed runs, or why the sides cannot be compared. */
export type Pairing =
  | {
      readonly state: 'paired';
      readonly pairs: readonly SessionPair[];
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly state: 'incomparable'; readonly reason: string };

/** Pairs two sides by session: one arm with one, or each arm with the one of the same policy and settings. */
export function pairSides(a: Side, b: Side): Pairing {
  const reason = findIncomparable(a, b);
  if (reason !== undefined) return { state: 'incomparable', reason };
  const arms = matchArms(toArms(a.rows), toArms(b.rows));
  if (arms.length === 0) {
    const message = `${a.name} and ${b.name} have several policies or settings, and none in common`;
    return { state: 'incomparable', reason: message };
  }
  const results = arms.map((match) => pairArms(match, arms.length > 1));
  const pairs = results.flatMap((result) => result.pairs);
  if (pairs.length === 0) {
    const message = `${a.name} and ${b.name} have no session that completed on both sides`;
    return { state: 'incomparable', reason: message };
  }
  return { state: 'paired', pairs, leftOut: results.flatMap(({ leftOut }) => leftOut) };
}

/** What differs although it must not, in words; `undefined` where nothing does. */
function findIncomparable(a: Side, b: Side): string | undefined {
  for (const { what, of } of MUST_BE_EQUAL) {
    const [first, second] = [of(a), of(b)];
    if (first !== second) {
      return `${a.name} and ${b.name} differ in ${what}: ${first} against ${second}`;
    }
  }
  return undefined;
}

const MUST_BE_EQUAL: readonly { readonly what: string; readonly of: (side: Side) => string }[] = [
  { what: 'the version of their schema', of: ({ schemaVersion }) => String(schemaVersion) },
  { what: 'their loop', of: ({ loop }) => loop },
  { what: 'their model', of: ({ rows }) => namesOf(rows, ({ model }) => model) },
  { what: 'their summarizer', of: ({ rows }) => namesOf(rows, ({ summarizer }) => summarizer) },
];

function namesOf(rows: readonly ComparableRow[], nameOf: (row: ComparableRow) => string): string {
  return [...new Set(rows.map(nameOf))].toSorted().join(', ');
}

interface Match {
  readonly name: string;
  readonly a: Arm;
  readonly b: Arm;
}

function matchArms(a: readonly Arm[], b: readonly Arm[]): readonly Match[] {
  const [onlyA, anotherA] = a;
  const [onlyB, anotherB] = b;
  if (onlyA && onlyB && !anotherA && !anotherB) return [{ name: '', a: onlyA, b: onlyB }];
  return a.flatMap((arm) => {
    const same = b.find(({ name }) => name === arm.name);
    return same === undefined ? [] : [{ name: arm.name, a: arm, b: same }];
  });
}

function pairArms({ name, a, b }: Match, isNamed: boolean) {
  const pairs: SessionPair[] = [];
  const leftOut: LeftOut[] = [];
  for (const session of new Set([...a.sessions.keys(), ...b.sessions.keys()])) {
    const [first, second] = [a.sessions.get(session), b.sessions.get(session)];
    const reason = whyLeftOut(first, second);
    if (first && second && reason === undefined) {
      const arm = isNamed ? { arm: name } : {};
      pairs.push({ session, ...arm, a: first.metrics, b: second.metrics });
    } else leftOut.push({ session, reason: reason ?? '' });
  }
  return { pairs, leftOut };
}

function whyLeftOut(a: ArmResult | undefined, b: ArmResult | undefined): string | undefined {
  if (a === undefined) return 'only in B';
  if (b === undefined) return 'only in A';
  if (a.state !== 'completed') return `${endOf(a)} in A`;
  return b.state === 'completed' ? undefined : `${endOf(b)} in B`;
}

function endOf({ state, reason }: ArmResult): string {
  return reason === undefined ? state : `${state} (${reason})`;
}
