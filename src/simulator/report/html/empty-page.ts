import type { PageData } from './page-data.ts';

/** A page without runs, to be filled with what was compared in their place. */
export function emptyPage(
  unread: PageData['unread'],
): Omit<PageData, 'title' | 'notes' | 'facts' | 'evidence'> {
  return {
    groupTitles: [],
    groups: [],
    peers: [],
    metrics: [],
    sessions: [],
    runs: [],
    differences: [],
    unread,
  };
}
