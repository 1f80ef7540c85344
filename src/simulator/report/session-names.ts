import { basename, extname } from 'node:path';
import { groupBy } from '../lib/collections.ts';
import { withoutFolder } from '../lib/files.ts';
import { parseSessionName } from '../session/session.ts';
import type { SessionStory } from '../session/story.ts';
import { shownText } from './markup.ts';
import { namePaths } from './origin.ts';
import { cutEnd } from './layout.ts';

export interface NamedStory extends SessionStory {
  readonly session: string;
}

export const NAME_WIDTH = 44;
const PROJECT_WIDTH = 16;
const ID_WIDTH = 8;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Sessions without a story are left out. */
export function toStories(
  sessions: readonly { readonly session: string; readonly story?: SessionStory | undefined }[],
): readonly NamedStory[] {
  return sessions.flatMap(({ session, story }) =>
    story === undefined ? [] : [{ session, ...story }],
  );
}

/** Finds by the name without a folder where only that is known. */
export function createStoryFinder(stories: readonly NamedStory[]) {
  const known = groupBy(stories, ({ session }) => session);
  return (session: string) => {
    const found = known.get(session) ?? known.get(withoutFolder(session)) ?? [];
    return found.length === 1 ? found[0] : undefined;
  };
}

/** Names of that many columns at most; each session has one of its own. */
export function nameSessions(
  of: readonly { readonly session: string }[],
  stories: readonly NamedStory[] = [],
  width = NAME_WIDTH,
): (session: string) => string {
  const storyOf = createStoryFinder(stories);
  const sessions = new Set(of.map(({ session }) => session));
  const files = namePaths([...sessions], width);
  const named = [...sessions].map((session) => {
    const name = describeStory(storyOf(session), width);
    return { session, name: name === '' ? (files.get(session) ?? session) : name };
  });
  const alike = groupBy(named, ({ name }) => name);
  const names = new Map(
    named.map(({ session, name }) => [
      session,
      alike.get(name)?.length === 1 ? name : `${name} (${idOf(session)})`,
    ]),
  );
  return (session) => names.get(session) ?? session;
}

/** `shop, "migrate checkout", 3 Nov 2025`; empty where nothing is known. */
function describeStory(story: SessionStory | undefined, width: number) {
  if (story === undefined || (story.project === null && story.title === null)) return '';
  const project = cutEnd(shownText(story.project ?? ''), PROJECT_WIDTH);
  const [year = '', month = '', date = ''] = (story.date ?? '').split('-');
  const day = year === '' ? '' : `${Number(date)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
  const others = [project, day].filter((word) => word !== '');
  const room = width - others.join(', ').length - ', ""'.length;
  const title = story.title === null ? '' : `"${cutEnd(shownText(story.title), room)}"`;
  return [project, title, day].filter((word) => word !== '').join(', ');
}

function idOf(session: string) {
  const { path, index } = parseSessionName(session);
  const end = basename(path, extname(path)).slice(-ID_WIDTH);
  return index === undefined ? end : `${end}#${index}`;
}
