import type * as z from 'zod';
import { isObject } from '../../is-object.ts';
import { nearestNames, quoted } from '../../names.ts';
import type { Place } from './expectation.ts';
import { describePath, type Path, type Places } from './places.ts';

type Issue = z.core.$ZodIssue;

/** More names than these are not listed. */
const LISTED_NAMES = 12;

const NOTHING: readonly unknown[] = [undefined, null];

/** What is wrong at a place, in a sentence. */
export function describeIssue(
  issue: Issue,
  places: Places,
): { readonly at: Place; readonly message: string } {
  const deepest = toDiscriminator(deepen(issue));
  if (deepest.code === 'unrecognized_keys') return describeKeys(deepest, places);
  const { path, message, input } = deepest;
  return {
    at: places.at(path),
    message: `Expected ${describePath(path)} to be ${message}, got ${describeValue(input)}.`,
  };
}

/** A value in a few words. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (isObject(value)) return describeMap(Object.keys(value));
  if (typeof value === 'string') return quoted(value);
  // Only programs have these.
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'bigint') return `${value}n`;
  return NOTHING.includes(value) ? 'nothing' : String(value);
}

function describeMap(keys: readonly string[]): string {
  if (keys.length === 0) return 'an empty map';
  const shown = keys.slice(0, LISTED_NAMES).map((key) => quoted(key));
  return `a map with ${shown.join(', ')}${keys.length > LISTED_NAMES ? ' and more' : ''}`;
}

/** The schema's message lists the keys that it knows. */
function describeKeys(issue: z.core.$ZodIssueUnrecognizedKeys, places: Places) {
  const known = issue.message.split(' ');
  const [key = ''] = issue.keys;
  const nearest = nearestNames(key, known);
  const hint =
    known.length > LISTED_NAMES
      ? `Nearest: ${nearest.join(', ')} (of ${known.length})`
      : `Nearest: ${nearest.join(', ')}. Expected one of: ${known.join(', ')}`;
  return {
    at: places.atKey([...issue.path, key]),
    message: `Unknown key ${quoted(key)} in ${describePath(issue.path)}. ${hint}.`,
  };
}

/** The issue of the one kind that the value must have been meant for; the issue itself where that is not clear. */
function deepen(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const ranked = issue.errors
    .map((issues) => ({ issues, distance: distanceOf(issues) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best, second] = ranked;
  const inner = best?.issues.find(({ code }) => code === 'unrecognized_keys') ?? best?.issues[0];
  if (best === undefined || inner === undefined || !Number.isFinite(best.distance)) return issue;
  if (second !== undefined && second.distance === best.distance) return issue;
  const path: Path = [...issue.path, ...inner.path];
  return deepen({ ...inner, path: [...path] });
}

/** An issue with the type of a map has the whole map as its input. */
function toDiscriminator(issue: Issue): Issue {
  if (!('discriminator' in issue) || typeof issue.discriminator !== 'string') return issue;
  const input = Object.entries(issue.input ?? {}).find(([key]) => key === issue.discriminator)?.[1];
  return { ...issue, input };
}

/** How many keys lie between a value and a kind; infinite for a value that is no map, or none of its maps. */
function distanceOf(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + distanceOfIssue(issue), 0);
}

function distanceOfIssue(issue: Issue): number {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) return issue.keys.length;
  if (issue.path.length === 0) return Number.POSITIVE_INFINITY;
  return issue.path.length === 1 && issue.input === undefined ? 1 : 0;
}
