/** The header of a sweep's folder: what was swept, and of what. */

import { HEADER_FILE, hasHeader, RESULTS_FILE } from '../../sweep-files.ts';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import type { RunMode } from '../../events.ts';
import { isObject } from '../../is-object.ts';
import { ModeShape, SettingShape } from '../../report/saved/amount-shapes.ts';
import { CatalogShape } from '../../report/saved/origin-shape.ts';
import { SCHEMA_VERSION, type UnreadInput } from '../../report/report.ts';
import { describeFault } from '../../system-fault.ts';
import { writeWhole } from '../../write-whole.ts';
import { writing } from '../../writing.ts';
import type { Axis } from '../grid/axes.ts';
import { type Cell, isAsNamed } from '../grid/cell.ts';
import { placeOfIssue, TOP } from '../../schema-issue.ts';

/** Which part of a sweep a folder holds; 1 of 1 is all of it. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** What a sweep is, as its folder says: all that is needed to carry on with it, merge and report it. */
export interface SweepHeader {
  readonly schemaVersion: number;
  /** Which sweep it is; the same for all its shards. */
  readonly sweep: string;
  readonly version: string;
  readonly mode: RunMode;
  readonly shard: Shard;
  readonly catalog: { readonly source: string; readonly hash: string };
  readonly axes: readonly Axis[];
  readonly seeds: readonly number[];
  readonly cells: readonly Cell[];
  /** By name. */
  readonly sessions: readonly HeaderSession[];
  readonly unread: readonly UnreadInput[];
}

/** A session as the header names it. */
export interface HeaderSession {
  readonly name: string;
  readonly hash: string;
  /** Why it is not run; absent for one that is. */
  readonly skipped?: string;
  /** How many messages from its first another session holds as well; absent where none does. */
  readonly sharedMessages?: number;
  /** `provider/model` of its first step that names one; absent where none does. */
  readonly recordedModel?: string;
  /** The first by name of its family; absent where it stands alone. */
  readonly family?: string;
}

const INDENT = 1;

/** What a cell holds is told by its id. */
const OwnCell = z.custom<Cell>().refine((cell) => isObject(cell) && isAsNamed(cell));

const Header = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  sweep: z.string(),
  version: z.string(),
  mode: ModeShape,
  shard: z.strictObject({ index: z.int().positive(), count: z.int().positive() }),
  axes: z.array(z.strictObject({ key: z.string(), values: z.array(SettingShape).min(1) })),
  seeds: z.array(z.int()).min(1),
  catalog: CatalogShape,
  cells: z.array(OwnCell).min(1),
  sessions: z.array(
    z.strictObject({
      name: z.string(),
      hash: z.string(),
      skipped: z.string().exactOptional(),
      sharedMessages: z.int().positive().exactOptional(),
      recordedModel: z.string().exactOptional(),
      family: z.string().exactOptional(),
    }),
  ),
  unread: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
});

/** Writes what a folder is to hold, whole or not at all. */
export function writeHeader(folder: string, header: SweepHeader): void {
  const file = join(folder, HEADER_FILE);
  writing(file, () => writeWhole(file, `${JSON.stringify(header, null, INDENT)}\n`));
}

/** What the sweep of a file of results is; absent of a file that is not that of a sweep's folder. Throws as `readHeader` does. */
export function headerBeside(file: string): SweepHeader | undefined {
  const folder = dirname(file);
  return basename(file) === RESULTS_FILE && hasHeader(folder) ? readHeader(folder) : undefined;
}

/** What a folder holds. Throws `HarnessError` where that is no sweep. */
export function readHeader(folder: string): SweepHeader {
  const file = join(folder, HEADER_FILE);
  const shown = quotedLong(folder);
  try {
    const header: unknown = JSON.parse(readFileSync(file, 'utf8'));
    Header.parse(header);
    return header as SweepHeader;
  } catch (error) {
    const reason = describe(error);
    throw new HarnessError(
      'BAD_RESULTS',
      `Expected ${shown} to be a folder that 'sweep --out' wrote, but its ${HEADER_FILE} ${reason}.`,
      { cause: error },
    );
  }
}

function describe(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `is none of this version, at ${issue === undefined ? TOP : placeOfIssue(issue)}`;
  }
  if (error instanceof SyntaxError) return 'is not JSON';
  return `cannot be read: ${describeFault(error)}`;
}
