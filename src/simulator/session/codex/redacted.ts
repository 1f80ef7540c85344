import { isObject } from '../../lib/json.ts';
import type { Tally } from '../reading/tally.ts';

/** Gives texts that were replaced by their lengths these lengths back. */
export interface Expander {
  /** The text, or a filler that is as long as it was; equal texts have equal fillers. */
  toText(text: string): string;
  /** The value with all its texts expanded. */
  toValue(value: unknown): unknown;
}

const MARKER = /^\[REDACTED_[A-Z_\d]+ len=(\d{1,9}) sha=([\da-f]{1,64})\]$/;
const FILLER =
  'the water in the kettle is still cold and nobody has found the lid; look for it below the sink, ' +
  'then fill it again, close the lid, switch it on and wait until it whistles before you pour. ';
/** No recorder keeps as much in one text, nor in one file. */
const MAX_CHARS = 30_000_000;
const MAX_CHARS_IN_ALL = 100_000_000;
const MAX_DEPTH = 8;

/** Whether a text was replaced by its length. */
export function isRedacted(text: string): boolean {
  return MARKER.test(text);
}

/** An expander for the texts of one file; what would be too long stays as it is. */
export function createExpander(tally: Tally): Expander {
  const known = new Map<string, string>();
  let charsInAll = 0;
  const toText = (text: string) => {
    const [, length, sha = ''] = MARKER.exec(text) ?? [];
    if (length === undefined) return text;
    const key = `${length} ${sha}`;
    const filler = known.get(key);
    if (filler !== undefined) return filler;
    const chars = Number(length);
    if (chars > MAX_CHARS || charsInAll + chars > MAX_CHARS_IN_ALL) {
      tally.drop('redacted text that is too long');
      return text;
    }
    charsInAll += chars;
    const made = fill(chars, sha);
    known.set(key, made);
    return made;
  };
  return { toText, toValue: (value) => expandValue(value, toText, MAX_DEPTH) };
}

/** Begins with the digest, and goes on at a place that the digest tells. */
function fill(chars: number, sha: string): string {
  const start = Number.parseInt(sha.slice(0, 8), 16) % FILLER.length;
  const rest = FILLER.repeat(Math.ceil((chars + start) / FILLER.length)).slice(start);
  return `${sha} ${rest}`.slice(0, chars);
}

function expandValue(value: unknown, toText: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return toText(value);
  if (depth === 0) return value;
  const expand = (each: unknown) => expandValue(each, toText, depth - 1);
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each)]));
}
