import type { RequestCheck, RequestMessage } from './check.ts';

/** What the messages so far end with; a message with calls is apart. */
type Ending = 'nothing' | 'user' | 'assistant' | 'calls' | 'tool';

const allowedAfter: Record<Ending, readonly RequestMessage['role'][]> = {
  nothing: ['user'],
  user: ['assistant'],
  assistant: ['user'],
  calls: ['tool'],
  tool: ['tool', 'assistant'],
};

const shownEndings: Record<Ending, string> = {
  nothing: 'at the start',
  user: 'after a user message',
  assistant: 'after an assistant message without calls',
  calls: 'after an assistant message with calls',
  tool: 'after a tool message',
};

/** User and assistant take turns, and results stand only between a call and what the assistant says to them. */
export const rolesAlternate: RequestCheck = {
  describes:
    'User and assistant alternate; tool messages follow calls, and the assistant follows them',
  source: 'hermes#74086, mistral-vibe#927: chat templates of Mistral',
  scope: 'request',
  start: () => {
    const endings: Ending[] = [];
    return {
      next: (message) => {
        if (message.role === 'system') return undefined;
        const before = endings.at(-1) ?? 'nothing';
        endings.push(endingOf(message, message.role));
        if (allowedAfter[before].includes(message.role)) return undefined;
        return `has the role ${message.role} ${shownEndings[before]}`;
      },
      back: ({ role }) => {
        if (role !== 'system') endings.pop();
      },
    };
  },
};

function endingOf({ content }: RequestMessage, role: 'user' | 'assistant' | 'tool'): Ending {
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  return hasCalls ? 'calls' : role;
}
