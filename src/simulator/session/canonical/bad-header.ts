import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { isObject } from '../../is-object.ts';
import { HeaderLine } from './lines.ts';
import type { Section } from './sections.ts';

/** What of a message the sentence around it says as well. */
const SAID_TWICE = /^(?:Invalid|Too) \w+: |, received .*$/g;

/** What is said of a file of which only a header was found, and one that cannot be read: field, expected, got. */
export function badHeader(name: string, { header, lineNumber }: Section): HarnessError | undefined {
  const { error } = HeaderLine.safeParse(header, { reportInput: true });
  const [fault] = error?.issues ?? [];
  if (fault === undefined) return undefined;
  const message = `Expected ${quotedLong(name)} to hold a conversation`;
  const place = `its header in line ${lineNumber} cannot be read`;
  return new HarnessError('BAD_SESSION', `${message}, but ${place}: ${describeIssue(fault)}.`);
}

function describeIssue({ path, message, input }: z.core.$ZodIssue): string {
  const field = quotedLong(z.core.toDotPath(path));
  return `at ${field} ${message.replace(SAID_TWICE, '')}, got ${describeValue(input)}`;
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'string') return quotedLong(value);
  // JSON knows no infinity.
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
