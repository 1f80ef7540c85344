import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import type { SourceFile } from '../format.ts';
import { isObject } from '../lenient.ts';
import { splitValues } from '../json-text.ts';
import { HeaderLine } from './lines.ts';
import { isHeader } from './parse.ts';

/** What of a message the sentence around it says as well. */
const SAID_TWICE = /^(?:Invalid|Too) \w+: |, received .*$/g;

/**
 * What is said of a file whose header cannot be read: the line, the field, what was expected and what came; of
 * several the first. Nothing where all can be read.
 */
export function badHeader({ name, text }: SourceFile): HarnessError | undefined {
  for (const [index, line] of text.split('\n').entries()) {
    const fault = splitValues(line).values.filter(isHeader).flatMap(faultsOf)[0];
    if (fault === undefined) continue;
    const message = `Expected ${quotedLong(name)} to hold a conversation`;
    const place = `its header in line ${index + 1} cannot be read`;
    return new HarnessError('BAD_SESSION', `${message}, but ${place}: ${fault}.`);
  }
  return undefined;
}

function faultsOf(header: unknown): readonly string[] {
  const checked = HeaderLine.safeParse(header, { reportInput: true });
  return checked.success ? [] : checked.error.issues.slice(0, 1).map(describeIssue);
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
