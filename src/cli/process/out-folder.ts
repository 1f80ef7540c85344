import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../../simulator/env.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import {
  HEADER_FILE,
  RESULTS_FILE,
  statOf,
  hasHeader,
  hasRows,
} from '../../simulator/lib/files.ts';
import { beforeEnd } from '../../simulator/lib/process-end.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { badOut, type CacheOptions, checkPlace } from './io.ts';

export interface OutFolder {
  readonly path: string;
  readonly hold: () => void;
  /** Removes what the command began, where no row came of it and no other process went on with it. */
  readonly takeBack: () => void;
  readonly close: () => void;
}

/** Of files that commands write: a new folder named so means a file. */
const FILE_ENDINGS = /\.(?:csv|html|json|jsonl|md|parquet|svg|txt|xml|yaml|yml)$/i;

export const CACHE_VARIABLE = 'COMPACTION_BENCH_CACHE';
const NAME = 'compaction-bench';
/** Unicode versions differ in what a letter is, and so in where words end. */
const COUNTS = `counts-unicode-${process.versions.unicode}`;

export function checkOutFolder(path: string, what = "'--out'") {
  const wanted = { what, kind: 'folder' } as const;
  checkPlace(path, wanted);
  if (!FILE_ENDINGS.test(path) || existsSync(path)) return;
  throw badOut(wanted, `${quoted(path)}, which is named like a file`);
}

export function openOutFolder(named: string | undefined): OutFolder {
  return named === undefined ? openOwnFolder() : openNamedFolder(named);
}

/** Makes something that goes with the process, however that ends. */
export function makeTemporary<Made>(make: () => Made, take: (made: Made) => void) {
  const all: Made[] = [];
  const takeAll = () => {
    for (const made of all.splice(0)) take(made);
  };
  const forget = beforeEnd(takeAll);
  const remove = () => {
    forget();
    takeAll();
  };
  try {
    // After that, for a signal may come at once.
    const made = make();
    all.push(made);
    return { made, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The folder of token counts, if any. Throws at a path that is no folder, or a named one that cannot be written. */
export function countsFolder({ cache }: CacheOptions, env: Environment): string | undefined {
  if (cache === false) return undefined;
  const given = typeof cache === 'string' ? cache : env[CACHE_VARIABLE] || undefined;
  if (given === undefined) return ownFolder(env);
  const kind = statOf(given);
  if (kind !== undefined && !kind.isDirectory())
    throw badOption(`Expected the cache to be a folder, got the file ${quoted(given)}.`);
  // One that the environment names may serve other machines; who names one here wants it used.
  if (typeof cache === 'string') checkOutFolder(given, "'--cache'");
  return join(resolve(given), COUNTS);
}

function openOwnFolder() {
  const { made, remove } = makeTemporary(
    () => mkdtempSync(join(tmpdir(), 'compaction-bench-')),
    (path) => rmSync(path, { recursive: true, force: true }),
  );
  return { path: made, hold: () => undefined, takeBack: () => undefined, close: remove };
}

function openNamedFolder(path: string) {
  const isBegun = hasHeader(path);
  const isNew = !existsSync(path);
  // A header that is written anew is another file.
  const fileOfHeader = () => statSync(join(path, HEADER_FILE), { throwIfNoEntry: false })?.ino;
  let own: number | undefined;
  const hold = () => void (own = fileOfHeader());
  const takeBack = () => {
    // Those of one sweep can share a folder: another process may have written rows, or the header anew.
    if (isBegun || hasRows(path)) return;
    if (own !== undefined && fileOfHeader() !== own) return;
    for (const name of [HEADER_FILE, RESULTS_FILE]) rmSync(join(path, name), { force: true });
    if (isNew && existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
  };
  return { path, hold, takeBack, close: () => undefined };
}

/** A relative path is invalid there and counts for nothing. */
function ownFolder(env: Environment) {
  const homes = [env['HOME'], env['USERPROFILE']].map((home) => home && join(home, '.cache'));
  const folder = [env['XDG_CACHE_HOME'], ...homes].find((path) => path && isAbsolute(path));
  return folder ? join(folder, NAME, COUNTS) : undefined;
}
