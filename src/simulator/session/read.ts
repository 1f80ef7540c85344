import { expectText } from '../../engine/internal.ts';
import { HarnessError } from '../errors.ts';
import { quotedLong } from '../names.ts';
import { describeContent } from './files/describe-content.ts';
import type { PlacedSession, SessionFormat, SourceFile, Surroundings } from './format.ts';
import { type FormatName, sessionFormats } from './formats.ts';
import type { Session } from './session.ts';
import { createSourceFile, NO_SURROUNDINGS } from './files/source-file.ts';

/** A session of a file, and the format that claimed the file. */
export interface ReadSession extends PlacedSession {
  readonly format: FormatName;
}

const ALL_FORMATS = Object.keys(sessionFormats).filter(isFormatName);

/** The sessions of a recorded file, the main one first. Throws `HarnessError` when no format claims the content. */
export function readSessions(
  name: string,
  text: string,
  surroundings: Surroundings = NO_SURROUNDINGS,
): readonly Session[] {
  const file = createSourceFile(name, expectText('text', text), surroundings);
  return [...readSourceFile(file)].map(({ session }) => session);
}

/**
 * What a file holds, the main session first, read as that format where one is given. Throws `HarnessError` when it is
 * not of it, or of none.
 */
export function* readSourceFile(
  file: SourceFile,
  from?: FormatName,
): Generator<ReadSession, void, undefined> {
  const candidates = from === undefined ? ALL_FORMATS : [from];
  const name = detectFormat(file, candidates);
  if (name === undefined) throw unclaimed(file, candidates);
  for (const placed of readAs(formatOf(name), file)) yield { format: name, ...placed };
}

/** The format that claims a file, of all or of some; absent where none does. */
export function detectFormat(
  file: SourceFile,
  candidates: readonly FormatName[] = ALL_FORMATS,
): FormatName | undefined {
  return candidates.find((candidate) => formatOf(candidate).detect(file));
}

function* readAs(
  format: SessionFormat,
  file: SourceFile,
): Generator<PlacedSession, void, undefined> {
  if ('readEach' in format) yield* format.readEach(file);
  else for (const session of format.read(file)) yield { session };
}

function unclaimed(file: SourceFile, candidates: readonly FormatName[]): HarnessError {
  const [only = '', another] = candidates;
  const expected = another === undefined ? only : "'list session-formats' names the formats";
  return new HarnessError(
    'BAD_SESSION',
    `Expected ${quotedLong(file.name)} to be a recorded session (${expected}), got ${describeContent(file)}.`,
  );
}

function formatOf(name: FormatName): SessionFormat {
  return sessionFormats[name];
}

function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(sessionFormats, name);
}
