import { noConversation } from '../reading/no-conversation.ts';
import { parseInfo } from '../opencode/record.ts';
import { type StoredSession, toSession } from '../opencode/session.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { withNames } from '../session-name.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { findExports, hasExport } from './document.ts';

/** Sessions as `opencode export` prints them, one or several after another. */
export const opencodeExport: SessionFormat = {
  label: 'OpenCode export (JSON)',
  detect: hasExport,
  read: readExports,
};

/** What the file as a whole has lost is told of its first session. */
function readExports(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const { exports, otherLines } = findExports(file);
  tally.drop('line that is no export', otherLines);
  const sessions: Omit<Session, 'name'>[] = [];
  for (const each of inOrder(withoutEarlier(exports, tally))) {
    const session = toSession(each, sessions.length === 0 ? tally : createTally());
    if (session !== undefined) sessions.push({ format: 'opencode-export', ...session });
  }
  if (sessions.length === 0) throw noConversation(file.name, 'an export without messages');
  return withNames(file.name, sessions);
}

/** Of several exports of one session the last one, which tells how it went on. */
function withoutEarlier(exports: readonly StoredSession[], tally: Tally): readonly StoredSession[] {
  const last = new Map(exports.map((each) => [parseInfo(each.info).id, each]));
  const kept = exports.filter((each) => {
    const { id } = parseInfo(each.info);
    return id === undefined || last.get(id) === each;
  });
  tally.drop('earlier export of a session', exports.length - kept.length);
  return kept;
}

/** Sessions that are no task of another come first. */
function inOrder(exports: readonly StoredSession[]): readonly StoredSession[] {
  return exports.toSorted((a, b) => Number(isTask(a)) - Number(isTask(b)));
}

function isTask({ info }: StoredSession): boolean {
  return parseInfo(info).parentID !== undefined;
}
