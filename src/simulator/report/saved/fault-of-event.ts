import * as z from 'zod';
import { eventTypes } from '../../events.ts';

/** Words for a value that is not of the type a schema expects. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['number', 'no number'],
  ['string', 'no string'],
  ['boolean', 'no boolean'],
  ['array', 'no list'],
  ['object', 'no object'],
]);

const schemas = new Map<unknown, z.ZodType>(
  Object.entries(eventTypes).map(([type, { fields }]) => [type, z.looseObject(fields)]),
);

/** The first field of an event that its schema refuses, in words that follow "but". Fields within objects are not checked. */
export function faultOfEvent(value: Readonly<Record<string, unknown>>): string | undefined {
  const schema = schemas.get(value['type']);
  if (schema === undefined) return 'it is not an event';
  const issues = schema.safeParse(value).error?.issues ?? [];
  const issue = issues.find(({ path }) => typeof path[1] !== 'string');
  return issue && `its '${String(issue.path[0])}' is ${nounOf(issue)}`;
}

function nounOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `none of ${issue.values.join(', ')}`;
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  return issue.path.length > 1 ? 'no list' : (NOUNS.get(expected) ?? `not ${issue.message}`);
}
