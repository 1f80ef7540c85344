import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import type { Session } from '../session.ts';
import { createTally } from '../reading/tally.ts';
import { readConversation } from './conversation.ts';
import { findSession } from './document.ts';
import { parseMessage } from './message.ts';

/** Sessions of Cline: messages with their session, also after a compaction, and the older bare history. */
export const cline: SessionFormat = {
  label: 'Cline session (JSON)',
  detect: (file) => findSession(file) !== undefined,
  read: (file) => [readSession(file)],
};

function readSession(file: SourceFile): Session {
  const tally = createTally();
  const { messages: values = [], sessionId, system } = findSession(file) ?? {};
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { drafts, compactions, isPartial } = readConversation(recorded, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a Cline session without messages');
  return {
    name: file.name,
    format: 'cline',
    ...(sessionId !== undefined && { sessionId }),
    isSide: false,
    isPartial,
    ...(system !== undefined && { system }),
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}
