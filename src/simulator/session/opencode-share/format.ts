import type { SessionFormat, SourceFile } from '../format.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { toSession } from '../opencode/session.ts';
import type { Session } from '../session.ts';
import { createTally } from '../reading/tally.ts';
import { groupFeed, isFeed } from './feed.ts';

/** What OpenCode's server gives for the address of a shared session. */
export const opencodeShare: SessionFormat = {
  label: 'OpenCode share feed (JSON)',
  detect: (file) => isFeed(file.json()),
  read: (file) => [readFeed(file)],
};

function readFeed(file: SourceFile): Session {
  const rows = file.json();
  const tally = createTally();
  const shared = isFeed(rows) ? groupFeed(rows, tally) : undefined;
  const session = shared && toSession(shared, tally);
  if (session === undefined) throw noConversation(file.name, 'a share without messages');
  return { name: file.name, format: 'opencode-share', ...session };
}
