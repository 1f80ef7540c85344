import type { HarnessError } from '../lib/errors.ts';
import type { Session } from './session.ts';

/** A file's content in the forms that formats need, read and parsed on first use. */
export interface SourceFile {
  readonly name: string;
  readonly text: string;
  /** The whole text as one JSON document, or `undefined` if it is none. */
  json(): unknown;
  /** The text as JSON lines: glued objects split, broken lines counted. */
  lines(): JsonLines;
  /** Lines that contain `part`, in order, read on demand. */
  linesWith(part: string): Iterable<SourceLine>;
  /** All lines for the last time: they are not kept, and the file gives nothing afterwards. */
  takeLines(): Iterable<SourceLine>;
  readonly database?: Database;
  readonly archive?: Archive;
  readonly table?: Table;
  /** The folders around the file; empty where only its text is given. */
  readonly surroundings: Surroundings;
}

/** Content that is decoded as it is read. */
interface Packed {
  /** Parts that cannot be decoded and are left out; more come while the file is read. */
  readonly faults?: readonly HarnessError[];
}

/** Rows with named columns, whose values may be nested. */
export interface Table extends Packed {
  readonly columns: readonly string[];
  /** Columns of short values. */
  readonly labels: readonly string[];
  /** The column of conversations, where the user names it. */
  readonly chosen?: string;
  readonly rowCount: number;
  /** Rows in order with the named columns; only those of its range, where one was given. */
  rows(columns: readonly string[]): Iterable<TableRow>;
}

export interface TableRow {
  readonly index: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Files in one file, packed. */
export interface Archive extends Packed {
  readonly names: readonly string[];
  /** The text of a file; empty where there is none, or where it cannot be unpacked. */
  readText(name: string): string;
}

/** Something open, which its caller closes. */
export interface Closing {
  readonly close: () => void;
}

/** A row of a table, by its columns. */
export type DatabaseRow = Readonly<
  Record<string, string | number | bigint | Uint8Array | null | undefined>
>;

/** Tables with rows, of which only stored columns are read. */
export interface Database extends Packed {
  readonly tables: ReadonlySet<string>;
  /** Rows up to the first that cannot be read. */
  rows(
    table: string,
    where?: { readonly column: string; readonly value: string },
  ): readonly DatabaseRow[];
}

/** A line without its end. */
export interface SourceLine {
  readonly text: string;
  /** Its offset in the file; absent without a file, or where the encoding is not UTF-8. */
  readonly startByte?: number;
}

/** A part of a file that is read like a whole one; of a table, rows are counted and not bytes. */
export interface ByteRange {
  readonly startByte: number;
  /** The offset behind its last byte; the end of the file if absent. */
  readonly endByte?: number;
}

/** The folders around a file, for formats that spread a session over several files. */
export interface Surroundings {
  /** Files of a folder, sorted by name; none where the folder is missing or a name is invalid. */
  filesIn(place: FolderPlace): readonly NearbyFile[];
}

/** A folder relative to a file: levels up, then names down. */
export interface FolderPlace {
  readonly up: number;
  readonly names: readonly string[];
}

/** A file near another. */
export interface NearbyFile {
  readonly name: string;
  readText(): string;
}

/** Records of a JSON-lines file with what could not be read. */
export interface JsonLines {
  readonly records: readonly unknown[];
  readonly brokenLines: number;
  readonly gluedRecords: number;
}

/** Kinds of evidence, surest first: marks of one recorder, a shape that few share, or only roles and texts. */
export const CERTAINTIES = ['mark', 'shape', 'guess'] as const;

/** How a format is recognized, and what is particular about its recordings. */
interface FormatClaim {
  readonly label: string;
  /** The surest of the matching formats claims a file; a mark unless it is said. */
  readonly certainty?: (typeof CERTAINTIES)[number];
  /** Matches by content, never by file name. */
  detect(file: SourceFile): boolean;
  /** Set if a copied message carries the time of the copy. */
  readonly datesCopies?: true;
  /** Set if a session may lie in files around its own. */
  readonly readsAround?: true;
}

interface WholeFormat extends FormatClaim {
  /** The sessions of the file, the main one first. Throws `HarnessError` when there is none. */
  read(file: SourceFile): readonly FormatSession[];
}

/** A format with sessions one behind another, each read before the next. */
export interface StreamedFormat extends FormatClaim {
  /** Takes the lines of the file. Throws `HarnessError` where there is no session. */
  readEach(file: SourceFile): PlacedSessions;
}

/** One recorded format: how to tell it by content, and how to read it. */
export type SessionFormat = WholeFormat | StreamedFormat;

/** A session as its format reads it; it is of that format unless it names another. */
export type FormatSession = Omit<Session, 'format'> & { readonly format?: string };

/** The sessions of a file, one behind another. */
export type PlacedSessions = Generator<PlacedSession<FormatSession>, void, undefined>;

/** A session with the range of its file that gives it alone, where one does. */
export interface PlacedSession<Read = Session> {
  readonly session: Read;
  readonly range?: ByteRange;
}
