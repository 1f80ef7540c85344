import { readCommandChat } from '../command-chat.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import type { Session } from '../session.ts';
import { createTally } from '../reading/tally.ts';
import { findRun } from './document.ts';
import { isExit, parseRunMessage } from './message.ts';

/** Runs of mini-swe-agent: a bare list of messages, or one with the run's figures beside it. */
export const miniSweAgent: SessionFormat = {
  label: 'mini-swe-agent trajectory (JSON)',
  detect: (file) => findRun(file) !== undefined,
  read: (file) => [readRun(file)],
};

function readRun(file: SourceFile): Session {
  const tally = createTally();
  const values = (findRun(file) ?? []).filter((value) => !isExit(value));
  const messages = values.flatMap((value) => parseRunMessage(value) ?? []);
  tally.drop('message without a role', values.length - messages.length);
  const { drafts, system } = readCommandChat(messages, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a run without messages');
  return {
    name: file.name,
    format: 'mini-swe-agent',
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: drafts.some(({ usage }) => usage !== undefined),
    ...finishSession(drafts, tally),
  };
}
