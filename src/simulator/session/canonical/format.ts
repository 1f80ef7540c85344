import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { isObject } from '../lenient.ts';
import { readRecordLines } from '../record-lines.ts';
import { sessionName } from '../session-name.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../tally.ts';
import { badHeader } from './bad-header.ts';
import { VERSION } from './lines.ts';
import { isHeader, parseHeader } from './parse.ts';
import { readSession } from './read.ts';

/** Sessions as this program writes them: a header, then its messages, one record a line. */
export const canonical: SessionFormat = {
  label: 'compaction-bench session (JSON lines)',
  detect: (file) => file.lines().records.some(isHeader),
  read: readFile,
};

/** What the file as a whole has lost is told of its first session. */
function readFile(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const sessions: Omit<Session, 'name'>[] = [];
  for (const records of splitSessions(file, tally)) {
    const session = toSession(records, sessions.length === 0 ? tally : createTally());
    if (session !== undefined && session.messages.length > 0) sessions.push(session);
  }
  if (sessions.length === 0) {
    throw badHeader(file) ?? expected(file, 'to hold a conversation', 'no messages');
  }
  const { length: count } = sessions;
  return sessions.map((session, index) => ({
    name: sessionName(file.name, { index, count }),
    ...session,
  }));
}

/** The records of each session, each beginning with its header. */
function splitSessions(file: SourceFile, tally: Tally): readonly (readonly unknown[])[] {
  const sessions: unknown[][] = [];
  for (const record of readRecordLines(file.lines(), toRecord, tally)) {
    if (isHeader(record)) {
      checkVersion(file, record['version']);
      sessions.push([record]);
    } else if (sessions.length === 0) tally.drop('line before the first header');
    else sessions.at(-1)?.push(record);
  }
  return sessions;
}

function toSession(
  [first, ...records]: readonly unknown[],
  tally: Tally,
): Omit<Session, 'name'> | undefined {
  const header = parseHeader(first, tally);
  if (header !== undefined) return readSession({ header, records }, tally);
  tally.drop('header that cannot be read');
  tally.drop('line below such a header', records.length);
  return undefined;
}

function checkVersion(file: SourceFile, version: unknown): void {
  if (version === VERSION) return;
  const isNewer = typeof version === 'number' && version > VERSION;
  const got = isNewer ? `version ${version} of a newer release` : 'another version';
  throw expected(file, `to hold sessions of version ${VERSION}`, got);
}

function toRecord(line: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(line) ? line : undefined;
}

function expected({ name }: SourceFile, what: string, got: string): HarnessError {
  return new HarnessError('BAD_SESSION', `Expected ${quotedLong(name)} ${what}, got ${got}.`);
}
