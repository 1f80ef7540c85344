import { describeOrigin, type Origin } from '../origin.ts';
import { nameSessions, type NamedStory } from '../session-names.ts';
import type { TextTable } from '../text-table.ts';
import type { PageData, PageGroup, PageRun, PageTable } from './page-data.ts';

/** Summarizer, seed and origin of runs. */
interface MadeWith {
  readonly summarizer: string;
  readonly seed: number;
  readonly origin: Origin;
}

/** A cell that stands to the right, though it is words with a number. */
const IS_NUMBER = /^[-+]?\$?\d|^∞|^–$/;

/** A table for a terminal as one of a page, with its title as caption where none is given; nothing where it has no rows. */
export function pageTable(
  id: string,
  title: string,
  { columns, rows, caption = title }: TextTable & { readonly caption?: string | undefined },
): readonly PageTable[] {
  if (rows.length === 0) return [];
  const told = columns.map(({ title: name, holds }, index) => ({
    title: name,
    isNumber: index > 0 && rows.every((row) => IS_NUMBER.test(row[index] ?? '')),
    ...(holds === 'words' && { isWords: true }),
  }));
  return [{ id, title, caption, columns: told, rows }];
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

/** The settings and tokenizers of a page, as a fact. */
export function restsOn(origin: Origin): PageData['facts'][number] {
  return { label: 'Rests on', value: describeOrigin(origin) };
}

/** The names of sessions for people, in their order; one without a story has its own, for a page has room for it. */
export function namesOf(
  sessions: readonly string[],
  stories: readonly NamedStory[] = [],
): readonly string[] {
  const told = new Set(stories.map(({ session }) => session));
  const names = nameSessions(sessions, stories);
  return sessions.map((session) => (told.has(session) && names.get(session)) || session);
}

/** Which groups completed the same runs, of those that completed the most: no other sums can be held against each other. */
export function findPeers(
  groups: readonly Pick<PageGroup, 'completedRuns'>[],
  runs: readonly Pick<PageRun, 's' | 'g' | 'seed' | 'state'>[],
): readonly boolean[] {
  const most = Math.max(0, ...groups.map(({ completedRuns }) => completedRuns));
  const completed = groups.map((_, group) => describeCompleted(group, runs));
  const isFull = groups.map(({ completedRuns }) => most > 0 && completedRuns === most);
  const isOneSet = new Set(completed.filter((_, group) => isFull[group])).size === 1;
  return isFull.map((full) => full && isOneSet);
}

function describeCompleted(
  group: number,
  runs: readonly Pick<PageRun, 's' | 'g' | 'seed' | 'state'>[],
): string {
  const own = runs.filter(({ g, state }) => g === group && state === 'completed');
  return own
    .map(({ s, seed }) => `${s} ${seed}`)
    .toSorted()
    .join('\n');
}
