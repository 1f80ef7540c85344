import { createHash } from 'node:crypto';
import { canonicalJson } from '../engine/index.ts';

/** Enough of a hash to tell apart all that one room has. */
const SHORT_LENGTH = 16;

/** SHA-256 of plain data in hexadecimal digits, whatever the order of its keys. */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The first digits of that hash. */
export function shortHash(value: unknown, length: number = SHORT_LENGTH): string {
  return contentHash(value).slice(0, length);
}
