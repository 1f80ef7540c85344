import { createHash } from 'node:crypto';
import { canonicalJson } from '../../engine/index.ts';
import { quoted, quotedLong } from './names.ts';

/** What a schema has against a value. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A parsed document whose fields and lists nobody changes. */
export type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

/** Enough of a hash to tell apart all that one room has. */
const SHORT_LENGTH = 16;

/** The top of a value, in words. */
export const TOP = 'the top';

const LEAD = /^(?:Invalid|Too) \w+: /;
/** Whoever shows the value itself does not name its type as well. */
const RECEIVED = /, received .*$/;

/** A text as one JSON value, or `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of texts, of which there may be none. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** SHA-256 of plain data in hexadecimal digits, whatever the order of its keys. */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The first digits of that hash. */
export function shortHash(value: unknown, length: number = SHORT_LENGTH): string {
  return contentHash(value).slice(0, length);
}

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
