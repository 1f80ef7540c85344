import { HEADER_FILE, RESULTS_FILE } from '../../sweep-files.ts';
import { badOption } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { hasHeader } from '../../sweep-files.ts';
import { hasRows } from '../../sweep-files.ts';
import { readHeader, type SweepHeader } from './header.ts';
import { nameShard } from './shard.ts';

/** In what one sweep differs from another, in words; nothing where it does not. */
type Describe = (one: SweepHeader, other: SweepHeader) => string | undefined;

/**
 * Throws `HarnessError` where a folder holds a sweep that differs, or results that nobody can tell of what; nothing is
 * wrong where it holds none.
 */
export function checkFolder(folder: string, header: SweepHeader, describe: Describe): void {
  const difference = hasHeader(folder)
    ? describe(readHeader(folder), header)
    : describeStray(folder);
  if (difference === undefined) return;
  throw badOption(
    `Expected '--out' to be a new folder or that of the same sweep, got ${quotedLong(folder)}, which has ${difference}.`,
  );
}

/** In what one sweep differs from another, in words; nothing where they are the same and hold the same part. */
export function describeDifference(one: SweepHeader, other: SweepHeader): string | undefined {
  const difference = describeOtherSweep(one, other);
  if (difference !== undefined) return difference;
  const [shard, wanted] = [one.shard, other.shard];
  const isSame = shard.index === wanted.index && shard.count === wanted.count;
  return isSame ? undefined : `shard ${nameShard(shard)}`;
}

/** In what two headers differ that may be of different parts of one sweep; nothing where they are of one. The same cells may be said by other axes, which reports show. */
export function describeOtherSweep(one: SweepHeader, other: SweepHeader): string | undefined {
  const differences: readonly (readonly [what: string, of: (header: SweepHeader) => unknown])[] = [
    [`another version (${one.version})`, ({ version }) => version],
    [`another mode (${one.mode})`, ({ mode }) => mode],
    ['other cells', ({ cells }) => cells.map(({ id }) => id)],
    ['other seeds', ({ seeds }) => seeds],
    ['other sessions', ({ sessions }) => sessions],
    ['other axes', ({ axes }) => axes],
    [`another catalog (${one.catalog.source})`, ({ catalog }) => catalog],
    ['other unread files', ({ unread }) => unread],
  ];
  const found = differences.find(([, of]) => JSON.stringify(of(one)) !== JSON.stringify(of(other)));
  return found?.[0];
}

function describeStray(folder: string): string | undefined {
  return hasRows(folder) ? `${RESULTS_FILE} without ${HEADER_FILE}` : undefined;
}
