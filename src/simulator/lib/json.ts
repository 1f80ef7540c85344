import { createHash } from 'node:crypto';
import { canonicalJson } from '../../engine/index.ts';
import { quoted, quotedLong } from './names.ts';

/** An issue of a schema. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A parsed document whose fields and lists nobody changes. */
export type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

const SHORT_LENGTH = 16;

/** Words for the top of a value. */
export const TOP = 'the top';

const LEAD = /^(?:Invalid|Too) \w+: /;
const RECEIVED = /, received .*$/;

/** Parses JSON; `undefined` for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** True for a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list of JSON objects, also an empty one. */
export function isList(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isObject);
}

/** True for a list of strings, also an empty one. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** SHA-256 of plain data as hexadecimal digits, independent of key order. */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The first digits of `contentHash`. */
export function shortHash(value: unknown, length: number = SHORT_LENGTH): string {
  return contentHash(value).slice(0, length);
}

/** The place and message of an issue. */
export function describeIssue(issue: Issue | undefined): string {
  if (issue === undefined) return 'an unknown place: something else';
  return `${placeOfIssue(issue)}: ${issue.message.replace(LEAD, '')}`;
}

/** The place of an issue. */
export function placeOfIssue({ path }: Pick<Issue, 'path'>): string {
  return path.length === 0 ? TOP : quotedLong(path.map(String).join('.'));
}

/** The expected and the actual value of an issue with input. */
export function describeMismatch({
  message,
  input,
}: Pick<Issue, 'message'> & { readonly input?: unknown }): string {
  return `${message.replace(LEAD, '').replace(RECEIVED, '')}, got ${describeValue(input)}`;
}

/** A value, or its kind, in a few words. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'string') return quoted(value);
  // JSON knows no infinity.
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
