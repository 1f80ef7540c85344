import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import type { Session } from '../session.ts';
import { createTally } from '../reading/tally.ts';
import { readConversation } from './conversation.ts';
import { findMessages } from './document.ts';
import { parseMessage } from './message.ts';

/** Messages of the AI SDK, as an application shows and stores them or as it sends them to a model. */
export const aiSdk: SessionFormat = {
  label: 'AI SDK messages (JSON)',
  detect: (file) => findMessages(file) !== undefined,
  read: (file) => [readMessages(file)],
};

function readMessages(file: SourceFile): Session {
  const tally = createTally();
  const values = findMessages(file) ?? [];
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { drafts, system } = readConversation(recorded, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'messages of the system only');
  return {
    name: file.name,
    format: 'ai-sdk',
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: drafts.some(({ usage }) => usage !== undefined),
    ...finishSession(drafts, tally),
  };
}
