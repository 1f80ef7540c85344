import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { withMessages } from '../reading/no-conversation.ts';
import { countLineFaults } from '../reading/record-lines.ts';
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
  return withMessages(sessions, file.name, 'chats without messages');
}

/** What is lost of a file is told by its first session. */
function countLosses(file: SourceFile, chats: Chats, tally: Tally): void {
  tally.drop('run without messages', chats.filter((chat) => chat === undefined).length);
  countLineFaults(file.lines(), tally);
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
