import { z } from 'zod';
import { HarnessError } from '../../lib/errors.ts';
import { describeMismatch } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { HeaderLine } from './lines.ts';
import type { Section } from './sections.ts';

/** What is said of a file of which only a header was found, and one that cannot be read: field, expected, got. */
export function badHeader(name: string, { header, lineNumber }: Section): HarnessError | undefined {
  const { error } = HeaderLine.safeParse(header, { reportInput: true });
  const [fault] = error?.issues ?? [];
  if (fault === undefined) return undefined;
  const message = `Expected ${quotedLong(name)} to hold a conversation`;
  const place = `its header in line ${lineNumber} cannot be read`;
  return new HarnessError('BAD_SESSION', `${message}, but ${place}: ${describeIssue(fault)}.`);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = quotedLong(z.core.toDotPath(issue.path));
  return `at ${field} ${describeMismatch(issue)}`;
}
