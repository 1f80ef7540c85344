import type { RequestCheck } from './check.ts';

/** The system prompt is one message, and the first. */
export const systemFirst: RequestCheck = {
  describes: 'At most one system message, at the very start',
  source: 'zerostack#94: chat templates of local models',
  scope: 'request',
  start: () => {
    let messages = 0;
    return {
      next: ({ role }) => {
        const isLate = role === 'system' && messages > 0;
        messages += 1;
        return isLate ? 'is a system message, but not the first message' : undefined;
      },
      back: () => {
        messages -= 1;
      },
    };
  },
};
