import { RESULTS_FILE } from '../../sweep-files.ts';
import { join } from 'node:path';
import { quotedLong } from '../../names.ts';
import { countOf } from '../../report/numbers.ts';
import { checkFolder, describeOtherSweep } from './difference.ts';
import { readHeader, type SweepHeader, writeHeader } from './header.ts';
import { createPlaces, type Places } from './places.ts';
import { readBack } from './result-store.ts';
import { createRowIndex } from './row-index.ts';
import { describeMissing, nameShard, shardOf, WHOLE } from './shard.ts';
import { writeSorted } from './write-sorted.ts';

/** What became of shards that were to become one sweep. */
export type Merged =
  | { readonly state: 'merged'; readonly header: SweepHeader }
  | { readonly state: 'refused'; readonly reason: string };

/** A folder with what it says that it holds. */
interface Part {
  readonly folder: string;
  readonly header: SweepHeader;
}

/**
 * Puts the shards of a sweep together, as one machine would have written it. Throws `HarnessError` at a folder that is
 * none, and where another sweep would be written over.
 */
export function mergeShards(folders: readonly string[], out: string): Merged {
  const parts = folders.map((folder) => ({ folder, header: readHeader(folder) }));
  const [first] = parts;
  const reason = first === undefined ? 'there is none' : findMisfit(first, parts);
  if (first === undefined || reason !== undefined)
    return { state: 'refused', reason: reason ?? '' };
  const header = { ...first.header, shard: WHOLE };
  checkFolder(out, header, describeOtherSweep);
  const places = createPlaces(header);
  const index = createRowIndex(places.total);
  for (const [source, { folder, header: own }] of parts.entries()) {
    readBack(join(folder, RESULTS_FILE), { places: createPlaces(own), index, source });
  }
  const lack = findLack(parts, places, index.has);
  if (lack !== undefined) return { state: 'refused', reason: lack };
  const files = parts.map(({ folder }) => join(folder, RESULTS_FILE));
  // Rows without a header would stand in the way of whoever tries again.
  writeHeader(out, header);
  writeSorted(join(out, RESULTS_FILE), index, files);
  return { state: 'merged', header };
}

function findMisfit(first: Part, parts: readonly Part[]): string | undefined {
  const { count } = first.header.shard;
  for (const [position, { folder, header }] of parts.entries()) {
    const other = describeOtherSweep(header, first.header);
    if (other !== undefined)
      return `${quotedLong(folder)} has ${other} than ${quotedLong(first.folder)}`;
    if (header.shard.count !== count) {
      return `${quotedLong(folder)} is one of ${header.shard.count} shards, ${quotedLong(first.folder)} one of ${count}`;
    }
    const twin = parts
      .slice(0, position)
      .find((before) => before.header.shard.index === header.shard.index);
    if (twin) {
      return `${quotedLong(twin.folder)} and ${quotedLong(folder)} are both shard ${nameShard(header.shard)}`;
    }
  }
  return describeMissing(
    parts.map(({ header }) => header.shard.index),
    count,
  );
}

/** A shard that was interrupted lacks rows. */
function findLack(
  parts: readonly Part[],
  places: Places,
  has: (place: number) => boolean,
): string | undefined {
  const missing = new Map<number, number>();
  for (let place = 0; place < places.total; place++) {
    if (has(place)) continue;
    const { sessions, shard } = parts[0]?.header ?? { sessions: [], shard: WHOLE };
    const index = shardOf(sessions[places.sessionOf(place)]?.hash ?? '', shard.count);
    missing.set(index, (missing.get(index) ?? 0) + 1);
  }
  for (const { folder, header } of parts) {
    const rows = missing.get(header.shard.index);
    if (rows !== undefined)
      return `${quotedLong(folder)} lacks ${countOf(rows, 'row')}; run its shard again`;
  }
  return undefined;
}
