import { HarnessError } from '../../lib/errors.ts';
import { describeValue } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import type { PlacedSession, SourceFile, StreamedFormat } from '../format.ts';
import { sessionName } from '../session-name.ts';
import { badHeader } from './bad-header.ts';
import { MARK, VERSION } from './lines.ts';
import { isHeader, parseHeader } from './parse.ts';
import { readSession, type UnnamedSession } from './read.ts';
import { readLine, type Section, splitSections } from './sections.ts';

/** Where a session begins, and what is lost of its part of the file. */
type Place = Pick<Section, 'startByte' | 'tally'>;

/** A session of which it is not known yet what is lost behind it, nor whether it is the only one. */
interface HeldSession extends Place {
  readonly session: UnnamedSession;
  readonly index: number;
}

/** Sessions as this program writes them: a header, then its messages, one record a line. */
export const canonical: StreamedFormat = {
  label: 'compaction-bench session (JSON lines)',
  detect: hasHeader,
  readEach,
};

function hasHeader(file: SourceFile): boolean {
  for (const { text } of file.linesWith(`"${MARK.key}"`)) {
    if (readLine(text).values.some(isHeader)) return true;
  }
  return false;
}

/**
 * Each session when the next one has been read, for only then it is known whether there is one. What is lost between two
 * is told of the one before, what is lost before the first of that one.
 */
function* readEach(file: SourceFile): Generator<PlacedSession, void, undefined> {
  let before: Place | undefined;
  let held: HeldSession | undefined;
  let fault: HarnessError | undefined;
  for (const section of splitSections(file.takeLines())) {
    if (section.header['version'] !== VERSION) {
      if (held !== undefined) yield toPlaced(held, file, section);
      throw otherVersion(file, section);
    }
    const session = readSection(section);
    // Of the section itself nothing is kept.
    const { startByte, tally } = held === undefined ? joinPlaces(before, section) : section;
    if (session !== undefined) {
      if (held !== undefined) yield toPlaced(held, file, section);
      held = { startByte, tally, session, index: held === undefined ? 0 : held.index + 1 };
    } else if (held !== undefined) held.tally.add(section.tally.toReport());
    else {
      before = { startByte, tally };
      fault ??= badHeader(file.name, section);
    }
  }
  if (held === undefined) throw fault ?? expected(file, 'to hold a conversation', 'no messages');
  yield toPlaced(held, file);
}

function joinPlaces(before: Place | undefined, place: Place): Place {
  if (before === undefined) return place;
  before.tally.add(place.tally.toReport());
  return before;
}

/** The session of a section; `undefined` where it has none. */
function readSection({ header, records, tally }: Section): UnnamedSession | undefined {
  const fields = parseHeader(header, tally);
  if (fields === undefined) {
    tally.drop('header that cannot be read');
    tally.drop('line below such a header', records.length);
    return undefined;
  }
  const session = readSession({ header: fields, records }, tally);
  return session.messages.length > 0 ? session : undefined;
}

/** A session that ends where the next one begins, or with the file. */
function toPlaced(held: HeldSession, { name }: SourceFile, next?: Section): PlacedSession {
  const { session, index, tally, startByte } = held;
  const count = index + (next === undefined ? 1 : 2);
  const named = {
    name: sessionName(name, { index, count }),
    ...session,
    report: tally.toReport(),
  };
  const endByte = next?.startByte;
  const hasRange = startByte !== undefined && (next === undefined || endByte !== undefined);
  if (!hasRange) return { session: named };
  return { session: named, range: { startByte, ...(endByte !== undefined && { endByte }) } };
}

function otherVersion(file: SourceFile, { header: { version } }: Section): HarnessError {
  return expected(file, `to hold sessions of version ${VERSION}`, describeVersion(version));
}

function describeVersion(version: unknown): string {
  if (version === undefined || version === null) return 'none';
  const shown = `version ${describeValue(version)}`;
  return typeof version === 'number' && version > VERSION ? `${shown} of a newer release` : shown;
}

function expected({ name }: SourceFile, what: string, got: string): HarnessError {
  return new HarnessError('BAD_SESSION', `Expected ${quotedLong(name)} ${what}, got ${got}.`);
}
