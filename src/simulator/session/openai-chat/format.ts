import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { sessionName } from '../session-name.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { readChat } from './conversation.ts';
import { type Chats, findChats } from './document.ts';

/** Messages of chat completions: one conversation, or a list of runs that hold one each, as a document or line by line. */
export const openaiChat: SessionFormat = {
  label: 'OpenAI chat messages (JSON or JSON lines)',
  detect: (file) => findChats(file) !== undefined,
  read: readChats,
};

function readChats(file: SourceFile): readonly Session[] {
  const chats = findChats(file) ?? [];
  const sessions = chats.map((values = [], index) => {
    const tally = createTally();
    if (index === 0) countLosses(file, chats, tally);
    const name = sessionName(file.name, { index, count: chats.length });
    return { name, ...toSession(values, tally) };
  });
  const withMessages = sessions.filter((session) => session.messages.length > 0);
  if (withMessages.length > 0) return withMessages;
  throw noConversation(file.name, 'chats without messages');
}

/** What is lost of a file is told by its first session. */
function countLosses(file: SourceFile, chats: Chats, tally: Tally): void {
  const { brokenLines, gluedRecords } = file.lines();
  tally.drop('run without messages', chats.filter((chat) => chat === undefined).length);
  tally.drop('broken line', brokenLines);
  tally.repair('record on the line of another', gluedRecords);
}

function toSession(values: readonly unknown[], tally: Tally): Omit<Session, 'name'> {
  const { drafts, system } = readChat(values, tally);
  return {
    format: 'openai-chat',
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: false,
    ...finishSession(drafts, tally),
  };
}
