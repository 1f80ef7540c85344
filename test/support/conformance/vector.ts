import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { parseOutputCap, parseSwitch } from '../../../src/engine/index.ts';
import { describeIssue, isObject } from '../../../src/simulator/lib/json.ts';
import { quoted } from '../../../src/simulator/lib/names.ts';

export type Vector = z.infer<typeof Vector>;

/** How a vector came out under one profile. */
export interface VectorResult {
  readonly id: string;
  readonly kind: string;
  /** The rule-set, or the releases for which the vector holds. */
  readonly profile: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly expected: unknown;
  /** `null` where nothing was evaluated. */
  readonly got: unknown;
  /** Why it was skipped, or what else is wrong than the value. */
  readonly reason?: string;
}

/** One kind of vector: gives a result for each of a vector's profiles. */
export type Kind = (vector: Vector) => readonly VectorResult[];

/** The rules of one kind of vector. */
export interface KindOptions<Schema extends z.ZodType, Rule> {
  readonly schema: Schema;
  /** The value that each profile is expected to give. */
  readonly expected: (vector: z.infer<Schema>) => ReadonlyMap<string, unknown>;
  /** The rule that a profile names; `undefined` where there is none. */
  readonly ruleOf: (profile: string) => Rule | undefined;
  /** The result of the engine under that rule. */
  readonly evaluate: (vector: z.infer<Schema>, rule: NoInfer<Rule>) => unknown;
  /** A further fault under that rule, as a sentence; `undefined` if none. */
  readonly findFault?: (vector: z.infer<Schema>, rule: NoInfer<Rule>) => string | undefined;
}

/** Fields of a vector that name profiles. */
interface Profiled {
  readonly expected?: unknown;
  readonly expectedByProfile?: Readonly<Record<string, unknown>> | undefined;
  readonly version?: string | undefined;
}

type Environment = z.infer<typeof Environment>;

/** One fact about what released versions do, in the form of its kind. */
export const Vector = z.looseObject({
  id: z.string(),
  kind: z.string(),
  /** For which releases it holds, where it names no profiles. */
  version: z.string().optional(),
});

/** The profile of a vector that names no release at all. */
const ANY_PROFILE = 'any';

/** Variables of the environment; a vector may give numbers and switches as what they mean. */
export const Environment = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A kind of vector that is evaluated by its profile's rule. */
export function createKind<Schema extends z.ZodType, Rule>(
  options: KindOptions<Schema, Rule>,
): Kind {
  return (vector) => {
    const parsed = options.schema.safeParse(vector);
    if (!parsed.success) {
      const reason = `It is not of the form of its kind, at ${describeIssue(parsed.error.issues[0])}.`;
      return [skippedResult(vector, reason)];
    }
    return [...options.expected(parsed.data)].map(([profile, expected]) => {
      const judged = judge(parsed.data, [profile, expected], options);
      return { id: vector.id, kind: vector.kind, profile, ...judged };
    });
  };
}

/** A vector that was not evaluated, and why. */
export function skippedResult(vector: Vector, reason: string): VectorResult {
  const { id, kind, version = ANY_PROFILE } = vector;
  const expected = vector['expected'] ?? null;
  return { id, kind, profile: version, ...skipped(expected, reason) };
}

/** True for a value equal to the expected one; object fields absent from the expectation are ignored. */
export function isAsExpected(got: unknown, expected: unknown): boolean {
  if (!isObject(expected) || !isObject(got))
    return isDeepStrictEqual(got ?? null, expected ?? null);
  return Object.entries(expected).every(([key, value]) => isAsExpected(got[key], value));
}

/** Expected values by profile; one that stands alone belongs to the newest. */
export function expectedByRule(
  { expectedByProfile, expected }: Profiled,
  newest: string,
): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(expectedByProfile ?? { [newest]: expected }));
}

/** The expected value under the releases for which a vector holds. */
export function expectedByVersion({ version, expected }: Profiled): ReadonlyMap<string, unknown> {
  return new Map([[version ?? ANY_PROFILE, expected]]);
}

/** The rule that a profile names in a table. */
export function ruleNamed<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  profile: string,
): Name | undefined {
  return Object.hasOwn(table, profile) ? (profile as Name) : undefined;
}

/** The newest of some rules, given in order, that is not newer than the first release of a range. */
export function ruleSince<Name extends string>(
  names: readonly Name[],
  version: string,
): Name | undefined {
  if (version === ANY_PROFILE) return names.at(-1);
  const first = orderOf(version);
  return first && names.findLast((name) => isNotNewer(orderOf(name), first));
}

/** The cap on one answer that the environment sets. */
export function readOutputCap(environment: Environment | undefined): number | undefined {
  return parseOutputCap(textOf(environment, 'OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX'));
}

/** True where the environment disables a feature. */
export function isDisabled(
  environment: Environment | undefined,
  name: 'OPENCODE_DISABLE_AUTOCOMPACT' | 'OPENCODE_DISABLE_PRUNE',
): boolean {
  return parseSwitch(textOf(environment, name));
}

function judge<Schema extends z.ZodType, Rule>(
  vector: z.infer<Schema>,
  [profile, expected]: readonly [string, unknown],
  { ruleOf, evaluate, findFault }: KindOptions<Schema, Rule>,
): Pick<VectorResult, 'state' | 'expected' | 'got' | 'reason'> {
  const rule = ruleOf(profile);
  if (expected === undefined) return skipped(null, 'It does not say what is expected.');
  if (rule === undefined) return skipped(expected, `No rule of the engine is ${quoted(profile)}.`);
  const got = evaluate(vector, rule) ?? null;
  const fault = findFault?.(vector, rule);
  const isRight = fault === undefined && isAsExpected(got, expected);
  const judged = { state: isRight ? 'passed' : 'failed', expected, got } as const;
  return fault === undefined ? judged : { ...judged, reason: fault };
}

function skipped(expected: unknown, reason: string) {
  return { state: 'skipped', expected, got: null, reason } as const;
}

/** Numbers that put a release, or a dated state of the 2.0 engine before it, into its order. */
function orderOf(version: string): readonly number[] | undefined {
  const [, major, minor = '0', patch = '0'] = /^v(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  if (major !== undefined) return [Number(major), Number(minor), Number(patch)];
  const [, year, month, day] = /^core-(\d{4})-(\d{2})-(\d{2})/.exec(version) ?? [];
  return year === undefined ? undefined : [2, -1, Number(year), Number(month), Number(day)];
}

function isNotNewer(order: readonly number[] | undefined, than: readonly number[]): boolean {
  if (order === undefined) return false;
  const index = order.findIndex((value, place) => value !== (than[place] ?? 0));
  return index < 0 || (order[index] ?? 0) < (than[index] ?? 0);
}

function textOf(environment: Environment | undefined, name: string): string | undefined {
  const value = environment?.[name];
  return value === undefined ? undefined : String(value);
}
