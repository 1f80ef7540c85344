import { readCommandChat } from '../command-chat.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import type { Session } from '../session.ts';
import { createTally } from '../reading/tally.ts';
import { agentOf, findHistory, parseEntry } from './record.ts';

/** Trajectories of SWE-agent: the history is read, not the steps, which repeat it. */
export const sweAgent: SessionFormat = {
  label: 'SWE-agent trajectory (JSON)',
  detect: (file) => findHistory(file) !== undefined,
  read: (file) => [readTrajectory(file)],
};

function readTrajectory(file: SourceFile): Session {
  const tally = createTally();
  const history = findHistory(file) ?? [];
  const main = history.map(agentOf).find((agent) => agent !== undefined);
  const own = history.filter((value) => (agentOf(value) ?? main) === main);
  const messages = own.flatMap((value) => parseEntry(value) ?? []);
  tally.drop('message of another agent', history.length - own.length);
  tally.drop('message without a role', own.length - messages.length);
  const { drafts, system } = readCommandChat(messages, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a trajectory without messages');
  return {
    name: file.name,
    format: 'swe-agent',
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: false,
    ...finishSession(drafts, tally),
  };
}
