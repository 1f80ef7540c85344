import type { Session } from './session.ts';

/** A file's content in the ways formats need it; reading and parsing happen once, on first use. */
export interface SourceFile {
  /** The path as given. */
  readonly name: string;
  readonly text: string;
  /** The whole text as one JSON document, or `undefined` if it is none. */
  json(): unknown;
  /** The text as JSON lines: glued objects split, broken lines counted. */
  lines(): JsonLines;
  /** The lines of the text that have a part in them, in order, read no further than they are asked for. */
  linesWith(part: string): Iterable<SourceLine>;
  /** All lines for the last time: what was passed is not kept, and the file gives nothing else any more. */
  takeLines(): Iterable<SourceLine>;
  /** The folders around the file; empty where only its text is given. */
  readonly surroundings: Surroundings;
}

/** A line without its end. */
export interface SourceLine {
  readonly text: string;
  /** Where it begins in the bytes of its file; absent where it lies in none, or one of other bytes than UTF-8. */
  readonly startByte?: number;
}

/** A part of a file that is read as if it were all of it. */
export interface ByteRange {
  readonly startByte: number;
  /** Where what follows begins; the end of the file if absent. */
  readonly endByte?: number;
}

/** The folders around a file, for formats that spread a session over several files. */
export interface Surroundings {
  /** The files in a folder, sorted by name; none where there is no such folder, or a name is none. */
  filesIn(place: FolderPlace): readonly NearbyFile[];
}

/** A folder as seen from a file: so many folders above that of the file, then down by names. */
export interface FolderPlace {
  readonly up: number;
  readonly names: readonly string[];
}

/** A file that lies around another. */
export interface NearbyFile {
  readonly name: string;
  readText(): string;
}

/** Records of a JSON-lines file with what could not be read. */
export interface JsonLines {
  readonly records: readonly unknown[];
  /** Lines, or tails of lines, that are no JSON. */
  readonly brokenLines: number;
  /** Records that stood on the line of another. */
  readonly gluedRecords: number;
}

/** How much a match proves, surest first: marks that one recorder writes, a shape that few share, or roles and texts only. */
export const CERTAINTIES = ['mark', 'shape', 'guess'] as const;

/** Words of a recorder, separated by blanks, that redaction keeps where they stand for nothing private. */
export interface KeptWords {
  readonly tools?: string;
  /** Names of tool arguments. */
  readonly arguments?: string;
  /** Names of tool arguments whose short numbers are sizes, lines and times. */
  readonly sizes?: string;
  /** Names of errors. */
  readonly errors?: string;
  /** Words of the reasons in import reports that no other format has. */
  readonly reasons?: string;
}

/** How a format is recognized, and what is particular about its recordings. */
interface FormatClaim {
  readonly label: string;
  /** Of the formats that match a file, the surest one claims it. */
  readonly certainty: (typeof CERTAINTIES)[number];
  /** Matches by content, never by file name. */
  detect(file: SourceFile): boolean;
  readonly keeps?: KeptWords;
  /** Set where a copied message has the time of the copy. */
  readonly datesCopies?: true;
}

/** A format of which a file is understood as a whole. */
interface WholeFormat extends FormatClaim {
  /** The sessions of the file, the main one first. Throws `HarnessError` when there is none. */
  read(file: SourceFile): readonly Session[];
}

/** A format whose sessions stand one behind another, so that each is given before the rest of the file is read. */
export interface StreamedFormat extends FormatClaim {
  /** Takes the lines of the file. Throws `HarnessError` when there is no session, or where no more can be read. */
  readEach(file: SourceFile): Generator<PlacedSession, void, undefined>;
}

/** One recorded format: how to tell it by content, and how to read it. */
export type SessionFormat = WholeFormat | StreamedFormat;

/** A session with the part of its file that gives the same session by itself; absent where only the whole file does. */
export interface PlacedSession {
  readonly session: Session;
  readonly range?: ByteRange;
}
