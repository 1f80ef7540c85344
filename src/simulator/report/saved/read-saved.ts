import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, isObject } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { listed } from '../../lib/text.ts';
import { createSourceFile, describeContent } from '../../session/files/source-file.ts';
import type { SourceFile } from '../../session/format.ts';
import { detectFormat } from '../../session/load.ts';
import { hasMarks, plainDocuments, savedDocuments } from './documents.ts';
import { isEventsText, readEvents } from './read-events.ts';
import type { Saved } from './saved.ts';

type SavedDocument = (typeof savedDocuments)[keyof typeof savedDocuments];
/** The error about a file, by what it is in the place of what is wanted. */
type MakeError = (reason: string, cause?: unknown) => HarnessError;

const COMMANDS = Object.keys(savedDocuments).map((name) => `'${name}'`);

/** What can be rendered again, as help and errors say it. */
export const SAVED_KINDS = `saved events, JSON of ${listed(COMMANDS, 'or')}, or a sweep's folder`;

/** What a file is wanted as, for errors. */
interface Wanted {
  /** What it should be. */
  readonly what: string;
  /** How that is made of a recorded session; absent where nobody would. */
  readonly ofSession?: string;
}

const ANY_SAVED: Wanted = {
  what: SAVED_KINDS,
  ofSession: "'run SESSION --events FILE' makes events of it",
};

/** What a file holds, told by what stands in it; throws where no command has written it. */
export function readSaved(file: string, text: string, wanted: Wanted = ANY_SAVED): Saved {
  if (isEventsText(text)) return { kind: 'runs', ...readEvents(file, text) };
  const source = createSourceFile(file, text);
  const bad: MakeError = (reason, cause) =>
    badSaved(`${quotedLong(file)} to be ${wanted.what}`, reason, cause);
  const value = source.json();
  if (!isObject(value)) throw bad(whatElse(source, wanted));
  const kind = Object.values(savedDocuments).find(({ marks }) => hasMarks(value, marks));
  if (kind === undefined) throw bad(whyUnknown(source, value, wanted));
  return readAs(kind, value, bad);
}

function readAs({ version, newest, shape, read }: SavedDocument, value: object, bad: MakeError) {
  const own: unknown = Object.entries(value).find(([key]) => key === version)?.[1];
  if (typeof own === 'number' && own > newest) {
    throw bad(`it has version ${own}, and this release reads up to ${newest}`);
  }
  const result = shape.safeParse(value);
  // As it stands there, so that it is rendered again with its keys in their order.
  if (result.success) return read(value);
  const [issue] = result.error.issues;
  throw bad(`it is broken, at ${describeIssue(issue)}`, result.error);
}

function whyUnknown(source: SourceFile, value: object, wanted: Wanted): string {
  const found = Object.entries(plainDocuments).find(([, marks]) => hasMarks(value, marks));
  return found === undefined
    ? whatElse(source, wanted)
    : `it is JSON of '${found[0]}', of which no other format can be made`;
}

/** A session in the place of what a command has made of it is the likeliest mistake. */
function whatElse(source: SourceFile, { ofSession }: Wanted): string {
  const format = detectFormat(source);
  if (format === undefined) return `it is ${describeContent(source)}`;
  const advice = ofSession === undefined ? '' : `: ${ofSession}`;
  return `it is a recorded session (${format})${advice}`;
}

function badSaved(expected: string, reason: string, cause?: unknown): HarnessError {
  const message = `Expected ${expected}, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}
