import { groupBy } from '../../lib/collections.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, gatherMessages, type StoredMessage } from '../opencode/gather.ts';
import { toSession } from '../opencode/session.ts';
import { toText } from '../reading/lenient.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { countLineFaults } from '../reading/record-lines.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { withNames } from '../session-name.ts';
import type { Session } from '../session.ts';
import { isMessageEvent, type OpencodeEvent, parseEvent } from './event.ts';
import { type EventLog, readEvents } from './log.ts';
import { findParents } from './tasks.ts';

/** The messages of one session. */
interface Thread {
  readonly info: Fields;
  readonly messages: readonly StoredMessage[];
  /** Whether it goes on from something that was not told of. */
  readonly isPartial: boolean;
}

/** What an OpenCode server tells its listeners, one event a line; several sessions may be told of at once. */
export const opencodeEvents: SessionFormat = {
  label: 'OpenCode event stream (JSON lines)',
  detect: (file) => file.lines().records.some(isClaimed),
  read: readStream,
};

function isClaimed(line: unknown): boolean {
  const event = parseEvent(line);
  return event !== undefined && isMessageEvent(event);
}

/** What the stream as a whole has lost is told of its first session. */
function readStream(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const sessions: Omit<Session, 'name'>[] = [];
  for (const thread of splitThreads(readEvents(parseEvents(file, tally), tally), tally)) {
    const session = toSession(thread, sessions.length === 0 ? tally : createTally());
    if (session === undefined) continue;
    const isPartial = session.isPartial || thread.isPartial;
    sessions.push({ ...session, format: 'opencode-events', isPartial });
  }
  if (sessions.length === 0) throw noConversation(file.name, 'events without messages');
  return withNames(file.name, sessions);
}

function parseEvents(file: SourceFile, tally: Tally): readonly OpencodeEvent[] {
  const lines = file.lines();
  const events = lines.records.flatMap((record) => parseEvent(record) ?? []);
  countLineFaults(lines, tally);
  tally.drop('line that is no event', lines.records.length - events.length);
  return events;
}

/** Sessions in the order in which they began, those that are no task of another first. */
function splitThreads(log: EventLog, tally: Tally): readonly Thread[] {
  const messages = gatherMessages(log, tally);
  const parents = findParents(messages);
  const byId = groupBy(messages, ({ info }) => toText(info['sessionID']) ?? '');
  const threads = [...byId].map(([id, own]) => ({
    info: { parentID: parents.get(id), ...log.sessions.get(id), id },
    messages: own,
    isPartial: !log.startedIds.has(id),
  }));
  return threads.toSorted((a, b) => Number(isTask(a.info)) - Number(isTask(b.info)));
}

function isTask({ parentID }: Fields): boolean {
  return typeof parentID === 'string';
}
