import { createHash } from 'node:crypto';
import { canonicalJson } from '../engine/index.ts';

/** SHA-256 of plain data in hexadecimal digits, whatever the order of its keys. */
export function contentHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
