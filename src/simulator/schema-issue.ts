import { isObject } from './is-object.ts';
import { quoted, quotedLong } from './names.ts';

/** What a schema has against a value. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The top of a value, in words. */
export const TOP = 'the top';

const LEAD = /^(?:Invalid|Too) \w+: /;
/** Whoever shows the value itself does not name its type as well. */
const RECEIVED = /, received .*$/;

/** Where in a value an issue is, and what is wrong there. */
export function describeIssue(issue: Issue | undefined): string {
  if (issue === undefined) return 'an unknown place: something else';
  return `${placeOfIssue(issue)}: ${issue.message.replace(LEAD, '')}`;
}

/** Where in a value an issue is. */
export function placeOfIssue({ path }: Pick<Issue, 'path'>): string {
  return path.length === 0 ? TOP : quotedLong(path.map(String).join('.'));
}

/** What should stand there and what does, of an issue that has the value. */
export function describeMismatch({
  message,
  input,
}: Pick<Issue, 'message'> & { readonly input?: unknown }): string {
  return `${message.replace(LEAD, '').replace(RECEIVED, '')}, got ${describeValue(input)}`;
}

/** A value, or what kind of one it is, in a few words. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'string') return quoted(value);
  // JSON knows no infinity.
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
