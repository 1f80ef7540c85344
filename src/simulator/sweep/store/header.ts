import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { HarnessError } from '../../lib/errors.ts';
import { describeFault, HEADER_FILE, RESULTS_FILE, hasHeader } from '../../lib/files.ts';
import { type Immutable, isObject, placeOfIssue, TOP } from '../../lib/json.ts';
import { badValue, quotedLong } from '../../lib/names.ts';
import { listed } from '../../lib/text.ts';
import { countRecordedModels, type Origin } from '../../report/origin.ts';
import { SCHEMA_VERSION } from '../../report/report.ts';
import { toStories } from '../../report/session-names.ts';
import { CatalogShape, ModeShape, SettingShape, StoryShape } from '../../report/saved/shapes.ts';
import type { Setup } from '../../setup/setup.ts';
import { tokenizersOf } from '../../tokens/encodings.ts';
import { type Axis, type Cell, toCell } from '../grid.ts';

export interface Shard {
  readonly index: number;
  readonly count: number;
}

const OwnCell = z.custom<Cell>().refine((cell) => isObject(cell) && isAsNamed(cell));

const Header = z.object({
  schemaVersion: z.literal(SCHEMA_VERSION),
  sweep: z.string(),
  version: z.string(),
  mode: ModeShape,
  shard: z.strictObject({ index: z.int().positive(), count: z.int().positive() }),
  axes: z.array(
    z.strictObject({
      key: z.custom<Axis['key']>((key) => typeof key === 'string'),
      values: z.array(SettingShape).min(1),
    }),
  ),
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
      /** Absent of sweeps that do not tell. */
      story: StoryShape.exactOptional(),
      family: z.string().exactOptional(),
      setup: z.custom<Setup>(isObject).exactOptional(),
    }),
  ),
  unread: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
});

export type SweepHeader = Immutable<Omit<z.infer<typeof Header>, 'cells'>> & {
  readonly cells: readonly Cell[];
};

export const WHOLE: Shard = { index: 1, count: 1 };

const FORM = /^(\d+)\/(\d+)$/;
const HEX = 16;
const DIGITS = 12;
const MOST_SHARDS = 100_000;
const MOST_NAMED = 5;

export function headerBeside(file: string) {
  const folder = dirname(file);
  return basename(file) === RESULTS_FILE && hasHeader(folder) ? readHeader(folder) : undefined;
}

export function readHeader(folder: string) {
  const file = join(folder, HEADER_FILE);
  const shown = quotedLong(folder);
  try {
    const header: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isHeader(header)) return header;
    throw Header.safeParse(header).error;
  } catch (error) {
    const message = `Expected ${shown} to be a folder that 'sweep --out' wrote, but its ${HEADER_FILE} ${describe(error)}.`;
    throw new HarnessError('BAD_RESULTS', message, { cause: error });
  }
}

export function parseShard(text: string) {
  const [match, first, second] = FORM.exec(text.trim()) ?? [];
  const [index, count] = [Number(first), Number(second)];
  const isCount = count >= 1 && count <= MOST_SHARDS;
  if (match !== undefined && isCount && index >= 1 && index <= count) return { index, count };
  const bound = isCount
    ? `first number from 1 to ${count}`
    : `second number from 1 to ${MOST_SHARDS}`;
  throw badValue('--shard', `like 1/4${match === undefined ? '' : `, its ${bound}`}`, text);
}

export function nameShard({ index, count }: Shard) {
  return `${index}/${count}`;
}

/** Which of so many shards a SHA-256 belongs to, from 1. */
export function shardOf(hash: string, count: number) {
  return (Number.parseInt(hash.slice(0, DIGITS), HEX) % count) + 1;
}

export function isInShard(hash: string, { index, count }: Shard) {
  return shardOf(hash, count) === index;
}

/** Why some shards are not those of one whole, each there once; `differ` says in what one is of another. */
export function describeMisfit<Part extends { readonly name: string; readonly shard: Shard }>(
  parts: readonly Part[],
  differ: (part: Part) => string | undefined,
): string | undefined {
  const [first] = parts;
  const { count } = first?.shard ?? WHOLE;
  for (const [position, part] of parts.entries()) {
    const [own, other] = [quotedLong(part.name), differ(part)];
    if (other !== undefined) return `${own} ${other}`;
    if (part.shard.count !== count)
      return `${own} is one of ${part.shard.count} shards, ${quotedLong(first?.name ?? '')} one of ${count}`;
    const before = parts.slice(0, position);
    const twin = before.find(({ shard }) => shard.index === part.shard.index);
    if (twin) return `${quotedLong(twin.name)} and ${own} are both shard ${nameShard(part.shard)}`;
  }
  return describeMissing(
    parts.map(({ shard }) => shard.index),
    count,
  );
}

/** Why parts are not put together. */
export function refused(reason: string) {
  return { state: 'refused' as const, reason };
}

/** Which of so many shards are not among those that are there; absent where all are. */
export function describeMissing(present: readonly number[], count: number) {
  const indices = new Set(present.filter((index) => index >= 1 && index <= count));
  const missing = count - indices.size;
  if (missing === 0) return undefined;
  // A file may say that there are more shards than a list holds.
  const first: number[] = [];
  for (let index = 1; first.length < Math.min(missing, MOST_NAMED); index++) {
    if (!indices.has(index)) first.push(index);
  }
  const hidden = missing - first.length;
  const some = [...first.map(String), ...(hidden > 0 ? [`${hidden} more`] : [])];
  const [shards, are] = missing === 1 ? ['shard', 'is'] : ['shards', 'are'];
  return `${shards} ${listed(some, 'and')} of ${count} ${are} missing`;
}

/** The stories of sessions that are run; copies are not, so that nobody looks for their names. */
export function storiesOf({ sessions, shard }: SweepHeader) {
  const run = sessions.filter((one) => one.skipped === undefined && isInShard(one.hash, shard));
  return toStories(run.map(({ name: session, story }) => ({ session, story })));
}

export function basisOf({
  shard,
  cells,
  sessions,
}: Pick<SweepHeader, 'shard' | 'cells' | 'sessions'>) {
  const own = sessions.filter(({ hash }) => isInShard(hash, shard));
  return {
    tokenizers: tokenizersOf(cells.map(({ model }) => model.id)),
    recorded: countRecordedModels(
      own,
      cells.every(({ onSetup }) => onSetup),
    ),
  } satisfies Partial<Origin>;
}

function isHeader(value: unknown): value is SweepHeader {
  return Header.safeParse(value).success;
}

function describe(error: unknown) {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `is none of this version, at ${issue === undefined ? TOP : placeOfIssue(issue)}`;
  }
  if (error instanceof SyntaxError) return 'is not JSON';
  return `cannot be read: ${describeFault(error)}`;
}

function isAsNamed({ id, ...content }: Cell) {
  return toCell(content).id === id;
}
