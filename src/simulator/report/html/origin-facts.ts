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
    { label: 'Made by', value: `compaction-bench ${origin.version ?? ''}`.trim() },
    ...own,
    { label: 'Summarizer', value: summarizer },
    { label: 'Seed', value: String(seed) },
    { label: 'Rests on', value: describeOrigin(origin) },
  ];
}
