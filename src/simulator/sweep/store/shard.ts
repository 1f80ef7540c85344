import { badValue } from '../../bad-value.ts';
import { listed } from '../../listed.ts';
import type { Shard } from './header.ts';

/** A sweep in one piece. */
export const WHOLE: Shard = { index: 1, count: 1 };

const FORM = /^(\d+)\/(\d+)$/;
const HEX = 16;
/** Hexadecimal digits that a number holds exactly. */
const DIGITS = 12;
const MOST_SHARDS = 100_000;
/** Missing ones that are named. */
const MOST_NAMED = 5;

/** The part of a sweep that `2/5` names. */
export function parseShard(text: string): Shard {
  const [match, first, second] = FORM.exec(text.trim()) ?? [];
  const [index, count] = [Number(first), Number(second)];
  const bound = match === undefined ? '' : describeBound(index, count);
  if (match !== undefined && bound === '') return { index, count };
  throw badValue('--shard', `like 1/4${bound}`, text);
}

/** A shard as `--shard` takes it: `2/5`. */
export function nameShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** Which of so many shards a thing of that SHA-256 belongs to, from 1: by its content, so that all machines agree. */
export function shardOf(hash: string, count: number): number {
  return (Number.parseInt(hash.slice(0, DIGITS), HEX) % count) + 1;
}

/** Whether a thing of that SHA-256 belongs to a shard. */
export function isInShard(hash: string, { index, count }: Shard): boolean {
  return shardOf(hash, count) === index;
}

/** Which of so many shards are not among those that are there; absent where all are. */
export function describeMissing(present: readonly number[], count: number): string | undefined {
  const indices = new Set(present.filter((index) => index >= 1 && index <= count));
  const missing = count - indices.size;
  if (missing === 0) return undefined;
  // A file may say that there are more shards than a list holds.
  const first: number[] = [];
  for (let index = 1; first.length < Math.min(missing, MOST_NAMED); index++) {
    if (!indices.has(index)) first.push(index);
  }
  const hidden = missing - first.length;
  const some = [...first, ...(hidden > 0 ? [`${hidden} more`] : [])];
  const names = listed(some.map(String), 'and');
  return missing === 1
    ? `shard ${names} of ${count} is missing`
    : `shards ${names} of ${count} are missing`;
}

/** Which bound a shard breaks; nothing where it breaks none. */
function describeBound(index: number, count: number): string {
  if (count < 1 || count > MOST_SHARDS) return `, its second number from 1 to ${MOST_SHARDS}`;
  return index < 1 || index > count ? `, its first number from 1 to ${count}` : '';
}
