import type { RequestCheck } from './check.ts';

/** The conversation begins with the user. */
export const userFirst: RequestCheck = {
  describes: 'The first message after the system prompt is a user message',
  source: 'hermes#58331: chat templates of Qwen; Bedrock, Converse; Google, multi-turn requests',
  scope: 'opening',
  start: () => {
    let messages = 0;
    return {
      next: ({ role }) => {
        if (role === 'system') return undefined;
        messages += 1;
        return role === 'user' || messages > 1
          ? undefined
          : `has the role ${role}, but no user message is before it`;
      },
      end: () => (messages > 0 ? undefined : 'ends without a user message'),
      back: ({ role }) => {
        if (role !== 'system') messages -= 1;
      },
    };
  },
};
