import { noConversation } from '../no-conversation.ts';
import { toSession } from '../opencode/session.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import type { Session } from '../session.ts';
import { createTally } from '../tally.ts';
import { findExport } from './document.ts';

/** Sessions as `opencode export` prints them. */
export const opencodeExport: SessionFormat = {
  label: 'OpenCode export (JSON)',
  detect: (file) => findExport(file) !== undefined,
  read: (file) => [readExport(file)],
};

function readExport(file: SourceFile): Session {
  const document = findExport(file);
  const session = document && toSession(document, createTally());
  if (session === undefined) throw noConversation(file.name, 'an export without messages');
  return { name: file.name, format: 'opencode-export', ...session };
}
