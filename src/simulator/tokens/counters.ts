import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashUnits } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import { makeFolder, writeWhole } from '../lib/files.ts';
import { copyOf } from '../lib/text.ts';
import { type EncodingName, tokenizerOf } from './encodings.ts';
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';

/** Token counters by model. All counting of one process should share one instance. */
export interface Counters {
  /** The count that holds for a model. */
  of(modelId: string): Promise<(text: string) => number>;
  /** The count of an encoding. */
  ofEncoding(name: EncodingName): Promise<(text: string) => number>;
  /** Saves the counts for the next process, if there is a folder. */
  save(): void;
}

/** Where counts are kept; plain data, so that a worker can have the same. */
interface CountersOptions {
  /** Folder of counts that other processes may use at the same time; none means that they are forgotten. */
  readonly cacheFolder?: string | undefined;
}

/** How much a count cache remembers, and where. */
interface CountCacheOptions {
  /** Counts that are kept in memory; the oldest makes room for the next. */
  readonly maxEntries?: number;
  /** Keeps the counts of longer texts for the next process. */
  readonly file?: CountFile | undefined;
}

/** Counts of texts by their digests, in a file that any number of processes read and append to. */
interface CountFile {
  get(digest: string): number | undefined;
  /** Keeps a count; it is written with others. */
  add(digest: string, tokens: number): void;
  /** Writes the counts added since the last time. */
  save(): void;
}

/** How large a file of counts becomes. */
interface CountFileOptions {
  /** Records that one process leaves in the file; when it is full, the next keeps the newer half. */
  readonly maxRecords?: number;
}

interface State {
  readonly path: string;
  readonly maxRecords: number;
  readonly counts: DigestCounts;
  pending: string[];
  /** True while counts may be added: false once the file is full or cannot be written. */
  isOpen: boolean;
}

/** Counts by the digest of their text. */
type DigestCounts = Map<string, number>;

const DEFAULT_MAX_ENTRIES = 100_000;

/** Shortest text that a file keeps and that is known by its digest: that of a shorter one could be guessed. */
const MIN_FILE_LENGTH = 200;

/** About as much as one session. */
const MOST_RECENT_CHARS = 4_000_000;

const DEFAULT_MAX_RECORDS = 100_000;
/** Counts that are written at once. */
const BATCH_RECORDS = 500;
/** Access for the owner only: the file reveals which texts were counted. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;

/** Characters of base64url in a digest: more than 128 bits. */
export const DIGEST_LENGTH = 22;

/** Bytes that a record takes at most, with its line break. */
export const RECORD_BYTES = 35;

const COUNT_DIGITS = 6;
const CHECK_DIGITS = 6;
const MAX_COUNT = 16 ** COUNT_DIGITS - 1;
const CHECK_RANGE = 16 ** CHECK_DIGITS;
const COUNT_END = DIGEST_LENGTH + COUNT_DIGITS;
const RECORD = /^[\w-]{22}[\da-f]{12}$/;

/** Counters that load each tokenizer when a model first needs it. */
export function createCounters({ cacheFolder }: CountersOptions = {}): Counters {
  const byName = new Map<EncodingName, Promise<(text: string) => number>>();
  const files: CountFile[] = [];

  async function load(name: EncodingName): Promise<(text: string) => number> {
    const tokenizer = await loadTokenizer(name);
    if (cacheFolder === undefined) return createCountCache(tokenizer).count;
    const file = createCountFile(join(cacheFolder, `${name}-${tokenizer.version}`));
    files.push(file);
    return createCountCache(tokenizer, { file }).count;
  }

  function ofEncoding(name: EncodingName): Promise<(text: string) => number> {
    return keepIn(byName, name, () => load(name));
  }

  return {
    of: (modelId) => ofEncoding(tokenizerOf(modelId).name),
    ofEncoding,
    save: () => {
      for (const file of files) file.save();
    },
  };
}

/** A tokenizer that counts a text once as long as it remembers it, in bounded memory. */
export function createCountCache(
  tokenizer: Tokenizer,
  { maxEntries = DEFAULT_MAX_ENTRIES, file }: CountCacheOptions = {},
): Tokenizer {
  const counts = new Map<string, number>();
  const recent = createRecent();

  return {
    name: tokenizer.name,
    version: tokenizer.version,
    count: (text) => recent(text, () => countAny(text)),
  };

  function countAny(text: string): number {
    const key = toKey(text);
    const longTexts = text.length < MIN_FILE_LENGTH ? undefined : file;
    const known = counts.get(key) ?? longTexts?.get(key);
    if (known !== undefined) return known;
    const tokens = tokenizer.count(text);
    longTexts?.add(key, tokens);
    counts.set(key === text ? copyOf(text) : key, tokens);
    if (counts.size > maxEntries) dropOldest(counts);
    return tokens;
  }
}

/** The counts of a file, which is read on first use. A damaged file costs time, never a result. */
export function createCountFile(
  path: string,
  { maxRecords = DEFAULT_MAX_RECORDS }: CountFileOptions = {},
): CountFile {
  let state: State | undefined;
  const opened = () => (state ??= openState(path, maxRecords));
  return {
    get: (digest) => opened().counts.get(digest),
    add: (digest, tokens) => addCount(opened(), digest, tokens),
    save: () => {
      if (state !== undefined) savePending(state);
    },
  };
}

/** The line that keeps a count; undefined for one that is too large. */
export function toRecord(digest: string, tokens: number): string | undefined {
  if (tokens > MAX_COUNT) return undefined;
  const body = digest + toHex(tokens, COUNT_DIGITS);
  return `${body}${checkOf(body)}\n`;
}

/** The counts of the lines that are whole; a torn, mixed or changed one says nothing. The last of a digest holds. */
export function parseRecords(text: string): DigestCounts {
  const counts: DigestCounts = new Map();
  for (const line of text.split('\n')) {
    const body = line.slice(0, COUNT_END);
    if (!RECORD.test(line) || line.slice(COUNT_END) !== checkOf(body)) continue;
    counts.set(body.slice(0, DIGEST_LENGTH), Number.parseInt(body.slice(DIGEST_LENGTH), 16));
  }
  return counts;
}

/** Remembers the counts of the long texts that came last, so that no digest is made of them again. */
function createRecent(): (text: string, count: () => number) => number {
  let known = new Map<string, number>();
  let chars = 0;
  return (text, count) => {
    if (text.length < MIN_FILE_LENGTH) return count();
    return keepIn(known, text, () => {
      chars += text.length;
      if (chars > MOST_RECENT_CHARS) {
        known = new Map();
        chars = text.length;
      }
      return count();
    });
  };
}

/** A short text itself, or the digest of a long one. No text is as long as a digest and its own key. */
function toKey(text: string): string {
  if (text.length < MIN_FILE_LENGTH && text.length !== DIGEST_LENGTH) return text;
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}

function dropOldest(counts: Map<string, number>): void {
  const oldest = counts.keys().next();
  if (!oldest.done) counts.delete(oldest.value);
}

function openState(path: string, maxRecords: number): State {
  const counts: DigestCounts = new Map();
  const state: State = { path, maxRecords, counts, pending: [], isOpen: true };
  tolerate(state, () => {
    const { text, isFull } = readEnd(path, maxRecords * RECORD_BYTES);
    for (const [digest, tokens] of parseRecords(text)) counts.set(digest, tokens);
    if (isFull) keepNewerHalf(state);
  });
  return state;
}

/** Does what the system may refuse; nothing is written any more after that. No file is a new one. */
function tolerate(state: State, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT') state.isOpen = false;
  }
}

function readEnd(path: string, maxBytes: number): { text: string; isFull: boolean } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return { text: bytes.toString('latin1', 0, read), isFull: size >= maxBytes };
  } finally {
    closeSync(file);
  }
}

/** Rewrites the file with the newer half of its counts. A count that another process appends meanwhile may be lost and is counted again. */
function keepNewerHalf({ path, counts, maxRecords }: State): void {
  const excess = Math.max(0, counts.size - Math.floor(maxRecords / 2));
  for (const digest of [...counts.keys()].slice(0, excess)) counts.delete(digest);
  const lines = [...counts].map(([digest, tokens]) => toRecord(digest, tokens) ?? '');
  writeWhole(path, lines.join(''), { mode: OWN_FILE });
}

function addCount(state: State, digest: string, tokens: number): void {
  const { counts, pending, maxRecords } = state;
  if (!state.isOpen || counts.size >= maxRecords) return;
  const record = toRecord(digest, tokens);
  if (record === undefined) return;
  counts.set(digest, tokens);
  pending.push(record);
  if (pending.length >= BATCH_RECORDS) savePending(state);
}

function savePending(state: State): void {
  const { path, pending } = state;
  if (pending.length === 0) return;
  state.pending = [];
  tolerate(state, () => {
    makeFolder(dirname(path), { mode: OWN_FOLDER });
    // The line break ends a record that somebody could not write to its end.
    appendFileSync(path, `\n${pending.join('')}`, { mode: OWN_FILE });
  });
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function checkOf(body: string): string {
  return toHex((hashUnits(body) >>> 0) % CHECK_RANGE, CHECK_DIGITS);
}
