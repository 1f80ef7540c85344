import { quote } from '../files/describe-content.ts';
import type { Tally } from './tally.ts';

const MAX_TYPES = 20;
const SHOWN_TYPE_CHARS = 40;

/** Counts records that no format knows by their types; where these are very many, the later ones together. */
export function dropUnknown(tally: Tally, types: readonly (string | undefined)[]): void {
  const named = new Set([...new Set(types)].slice(0, MAX_TYPES));
  for (const type of types) {
    const isNamed = type !== undefined && named.has(type);
    tally.drop(isNamed ? `unknown record ${quote(type, SHOWN_TYPE_CHARS)}` : 'unknown record');
  }
}
