/** The story of a session: its project, first request and date, by which people know it. */

import { basename } from 'node:path';
import { parseJson } from '../lib/json.ts';
import type { SourceFile } from './format.ts';
import type { Session } from './session.ts';

/** The words that people call a session by; each is `null` where the recording does not have it. */
export interface SessionStory {
  readonly project: string | null;
  readonly title: string | null;
  /** Day of the first message, as `YYYY-MM-DD`. */
  readonly date: string | null;
  /** The recorder's id; absent where it has none, and of a redacted session. */
  readonly sessionId?: string;
}

/** Of a session of which nothing is known. */
export const NO_STORY: SessionStory = { project: null, title: null, date: null };

const TITLE_CHARS = 40;
const BLANKS = 8;
const DAY_CHARS = 'YYYY-MM-DD'.length;
/** Where a recording has no times, they count from 0. */
const EARLIEST_MS = Date.UTC(2000, 0);
const FOLDER = /"(?:cwd|directory)" ?: ?("(?:[^"\\]|\\.)*")/;
const HEAD_CHARS = 65_536;
const CUT_WORD = /\s+\S*$/;

/** The story of a session; of a redacted one, nothing is known. */
export function storyOf(session: Session): SessionStory {
  const { folder, isRedacted } = session;
  if (isRedacted) return NO_STORY;
  const project = folder === undefined ? '.' : basename(folder.replaceAll('\\', '/'));
  return {
    project: project === '.' ? null : project || null,
    title: titleOf(session),
    date: dateOf(session),
  };
}

/** The same with the recorder's id, by which other data know the session. */
export function identifiedStoryOf(session: Session): SessionStory {
  const { isRedacted } = session;
  // One that was cut out of a text keeps the whole text in memory; a clone does not.
  const sessionId = structuredClone(session.sessionId);
  return { ...storyOf(session), ...(sessionId !== undefined && !isRedacted && { sessionId }) };
}

/** The folder that an agent worked in, from the start of its recording. */
export function findFolder(file: SourceFile): string | undefined {
  let left = HEAD_CHARS;
  for (const { text } of file.linesWith('')) {
    const [, written] = FOLDER.exec(text.slice(0, left)) ?? [];
    const folder = written === undefined ? undefined : parseJson(written);
    if (typeof folder === 'string') return folder;
    left -= text.length;
    if (left <= 0) return undefined;
  }
  return undefined;
}

/** The start of the first request; what begins with a tag was put there by the agent. */
function titleOf({ messages }: Session): string | null {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'text' && part.synthetic !== true ? [part.text.trim()] : []));
  const first = texts.find((text) => text !== '' && !text.startsWith('<'));
  if (first === undefined) return null;
  const words = first.slice(0, TITLE_CHARS * BLANKS).replaceAll(/\s+/g, ' ');
  // A piece of a text keeps the whole text in memory.
  return structuredClone(words.length > TITLE_CHARS ? cutAtWord(words) : words);
}

function cutAtWord(words: string): string {
  const start = words.slice(0, TITLE_CHARS - 1);
  const whole = words[start.length] === ' ' ? start : start.replace(CUT_WORD, '');
  return `${whole.length < TITLE_CHARS / 2 ? start : whole}…`;
}

function dateOf({ messages: [first] }: Session): string | null {
  if (first === undefined || first.createdAt < EARLIEST_MS) return null;
  return new Date(first.createdAt).toISOString().slice(0, DAY_CHARS);
}
