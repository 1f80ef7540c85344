import { HarnessError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { listed } from '../../listed.ts';
import { quotedLong } from '../../names.ts';
import { parseJson } from '../../parse-json.ts';
import { describeIssue } from '../../schema-issue.ts';
import { hasMarks, plainDocuments, savedDocuments } from './documents.ts';
import { isEventsText, readEvents } from './read-events.ts';
import type { Saved } from './saved.ts';

type SavedDocument = (typeof savedDocuments)[keyof typeof savedDocuments];

const COMMANDS = Object.keys(savedDocuments).map((name) => `'${name}'`);

/** What can be rendered again, as help and errors say it. */
export const SAVED_KINDS = `saved events, JSON of ${listed(COMMANDS, 'or')}, or a sweep's folder`;

/** What a file holds, told by what stands in it; throws where no command has written it. */
export function readSaved(file: string, text: string): Saved {
  if (isEventsText(text)) return { kind: 'runs', ...readEvents(file, text) };
  const value = parse(file, text);
  const kind = Object.values(savedDocuments).find(({ marks }) => hasMarks(value, marks));
  if (kind === undefined) throw badSaved(file, whyUnknown(value));
  return readAs(kind, file, value);
}

function readAs({ version, newest, shape, read }: SavedDocument, file: string, value: object) {
  const own: unknown = Object.entries(value).find(([key]) => key === version)?.[1];
  if (typeof own === 'number' && own > newest) {
    throw badSaved(file, `it has version ${own}, and this release reads up to ${newest}`);
  }
  const result = shape.safeParse(value);
  // As it stands there, so that it is rendered again with its keys in their order.
  if (result.success) return read(value);
  const [issue] = result.error.issues;
  throw badSaved(file, `it is broken, at ${describeIssue(issue)}`, result.error);
}

function whyUnknown(value: object): string {
  const found = Object.entries(plainDocuments).find(([, marks]) => hasMarks(value, marks));
  return found === undefined
    ? 'it is none of them'
    : `it is JSON of '${found[0]}', of which no other format can be made`;
}

function parse(file: string, text: string): object {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw badSaved(file, value === undefined ? 'it is not JSON' : 'it is none of them');
}

function badSaved(file: string, reason: string, cause?: unknown): HarnessError {
  const message = `Expected ${quotedLong(file)} to be ${SAVED_KINDS}, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}
