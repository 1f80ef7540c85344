import { HarnessError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { listed } from '../../listed.ts';
import { quotedLong } from '../../names.ts';
import { describeIssue } from '../../schema-issue.ts';
import { describeContent } from '../../session/files/describe-content.ts';
import { createSourceFile } from '../../session/files/source-file.ts';
import type { SourceFile } from '../../session/format.ts';
import { detectFormat } from '../../session/read.ts';
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
  const source = createSourceFile(file, text);
  const value = source.json();
  if (!isObject(value)) throw badSaved(file, whatElse(source));
  const kind = Object.values(savedDocuments).find(({ marks }) => hasMarks(value, marks));
  if (kind === undefined) throw badSaved(file, whyUnknown(source, value));
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

function whyUnknown(source: SourceFile, value: object): string {
  const found = Object.entries(plainDocuments).find(([, marks]) => hasMarks(value, marks));
  return found === undefined
    ? whatElse(source)
    : `it is JSON of '${found[0]}', of which no other format can be made`;
}

/** A session in the place of what a command has made of it is the likeliest mistake. */
function whatElse(source: SourceFile): string {
  const format = detectFormat(source);
  return format === undefined
    ? `it is ${describeContent(source)}`
    : `it is a recorded session (${format}): 'run SESSION --events FILE' makes events of it`;
}

function badSaved(file: string, reason: string, cause?: unknown): HarnessError {
  const message = `Expected ${quotedLong(file)} to be ${SAVED_KINDS}, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}
