import { Buffer } from 'node:buffer';
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, writeWhole } from '../lib/files.ts';
import { type DigestCounts, parseRecords, RECORD_BYTES, toRecord } from './count-records.ts';

/** Counts of texts by their digests, in a file that any number of processes read and append to. */
export interface CountFile {
  get(digest: string): number | undefined;
  /** Keeps a count; it is written with others. */
  add(digest: string, tokens: number): void;
  /** Writes what was added since the last time. */
  save(): void;
}

/** How large a file of counts becomes. */
export interface CountFileOptions {
  /** Records that one process leaves in the file; when it is full, the next keeps the newer half. */
  readonly maxRecords?: number;
}

interface State {
  readonly path: string;
  readonly maxRecords: number;
  readonly counts: DigestCounts;
  pending: string[];
  /** Whether counts may still be added: not when the file is full or cannot be written. */
  isOpen: boolean;
}

const DEFAULT_MAX_RECORDS = 100_000;
/** Counts that are written at once. */
const BATCH_RECORDS = 500;
/** Nobody else needs to know which texts somebody counted. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;

/** The counts of a file, which is read when one is first asked for. What is wrong with it costs time, never a result. */
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

/** The end of a file; all of it when it is shorter than that. */
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

/** What another process appends at the same moment may be lost; it is counted again. */
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

/** Does what the system may refuse; nothing is written any more after that. No file is a new one. */
function tolerate(state: State, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT') state.isOpen = false;
  }
}
