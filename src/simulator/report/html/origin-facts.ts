import { describeOrigin, type Origin } from '../origin.ts';
import type { PageData } from './page-data.ts';

/** What runs were made with, beside what a page says of its own kind. */
interface MadeWith {
  readonly summarizer: string;
  readonly seed: number;
  readonly origin: Origin;
}

/** The facts of a page of runs that have one origin, the page's own ones behind who made them. */
export function originFacts(
  own: PageData['facts'],
  { summarizer, seed, origin }: MadeWith,
): PageData['facts'] {
  return [
    madeBy(origin),
    ...own,
    { label: 'Summarizer', value: summarizer },
    { label: 'Seed', value: String(seed) },
    restsOn(origin),
  ];
}

/** Who made what a page shows. */
export function madeBy({ version = '' }: Origin): PageData['facts'][number] {
  return { label: 'Made by', value: `compaction-bench ${version}`.trim() };
}

/** What was set, and by what it was measured. */
export function restsOn(origin: Origin): PageData['facts'][number] {
  return { label: 'Rests on', value: describeOrigin(origin) };
}
