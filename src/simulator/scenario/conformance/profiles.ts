import { ANY_PROFILE } from './kind.ts';

/** What a vector may say of its profiles. */
interface Profiled {
  readonly expected?: unknown;
  readonly expectedByProfile?: Readonly<Record<string, unknown>> | undefined;
  readonly version?: string | undefined;
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
