import { hashUnits } from '../../engine/internal.ts';

/** Counts by the digest of their text. */
export type DigestCounts = Map<string, number>;

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

function checkOf(body: string): string {
  return toHex((hashUnits(body) >>> 0) % CHECK_RANGE, CHECK_DIGITS);
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
