import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { countEach } from '../../lib/collections.ts';
import { createTouches } from '../../replay/references/touches.ts';
import type { Answer } from '../../report/answer-schema.ts';
import { createOpener, type SessionPlace } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';

/** What a session was about, as far as its recording says. */
type SessionStory = Pick<
  NonNullable<Answer['mostExpensive']>,
  'project' | 'title' | 'date' | 'readAgain'
>;

const UNKNOWN_STORY: SessionStory = { project: null, title: null, date: null, readAgain: null };

/** Many agents write the folder that they work in near the start of a recording. */
const FOLDER = /"(?:cwd|directory)" ?: ?("(?:[^"\\]|\\.)*")/;
const HEAD_BYTES = 1 << 16;

const TITLE_CHARS = 40;
/** Where a recording has no times, they count from 0. */
const EARLIEST_MS = Date.UTC(2000, 0);

/** Reads a session again to say what it was about; all unknown where it cannot be read any more. */
export function readStory(place: SessionPlace, dayOf: (timeMs: number) => string): SessionStory {
  const opened = createOpener().open(place);
  if (opened.state === 'unread') return UNKNOWN_STORY;
  const { session } = opened;
  const startMs = startOf(session);
  return {
    project: readProject(place.file),
    title: titleOf(session),
    date: startMs === undefined ? null : dayOf(startMs),
    readAgain: findReadAgain(session),
  };
}

/** The name of the folder that the agent worked in; `null` where the head of the file has none. */
function readProject(file: string): string | null {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const length = readSync(descriptor, head);
    const [, written] = FOLDER.exec(head.toString('utf8', 0, length)) ?? [];
    if (written === undefined) return null;
    return basename(String(JSON.parse(written)).replaceAll('\\', '/')) || null;
  } finally {
    closeSync(descriptor);
  }
}

/** The start of the first request; what begins with a tag was put there by the agent. */
function titleOf({ messages }: Session): string | null {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'text' && part.synthetic !== true ? [part.text.trim()] : []));
  const line = texts.find((text) => text !== '' && !text.startsWith('<'))?.split('\n')[0];
  if (line === undefined) return null;
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…` : line;
}

/** The time of the first message; some formats have none. */
function startOf({ messages: [first] }: Session): number | undefined {
  return first === undefined || first.createdAt < EARLIEST_MS ? undefined : first.createdAt;
}

/** The file that was read most often again after a recorded compaction; of a session without one there is none. */
function findReadAgain({ messages, recordedCompactions }: Session): SessionStory['readAgain'] {
  const [start] = recordedCompactions.filter(({ kind }) => kind === 'full');
  if (start === undefined) return null;
  const touches = createTouches(messages);
  const readsIn = (from: number, to: number) =>
    messages
      .slice(from, to)
      .flatMap(({ parts }) => parts)
      .flatMap((part) => touches.of(part))
      .flatMap(({ path, operation }) => (operation === 'read' ? [path] : []));
  const before = new Set(readsIn(0, start.messageIndex));
  const again = readsIn(start.messageIndex, messages.length).filter((path) => before.has(path));
  const [most] = [...countEach(again)].toSorted(([, one], [, other]) => other - one);
  return most === undefined ? null : { file: most[0], times: most[1] };
}
