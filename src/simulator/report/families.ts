import type { CountedFamilies } from '../metrics/statistics/verdict.ts';
import { countOf, formatCount } from './numbers.ts';

/** What a family is, for whoever reads of one. */
export const FAMILY_COUNTS_ONCE =
  'Sessions of a family share their beginning and count once, by their mean.';

/** How many sessions there are, and of how many families where they are not all independent. */
export function describeFamilies({ sessions, families }: CountedFamilies): string {
  const shown = countOf(sessions, 'session');
  if (families === sessions) return shown;
  return `${shown} in ${countFamilies(families)}`;
}

/** So many families. */
export function countFamilies(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'family' : 'families'}`;
}
