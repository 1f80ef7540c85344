import type { Compactor } from 'compaction-bench/testing';

/** Messages whose tool outputs always stay. */
const KEPT_MESSAGES = 20;
/** Share of the window at which old outputs go. */
const FULL = 0.7;

/** Clears the outputs of all but the newest messages once the window is nearly full. */
export const compact: Compactor = ({ messages, limits, usage }) => {
  const used = usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite;
  if (used < FULL * limits.contextTokens) return messages;
  return messages.map((message, index) =>
    message.role !== 'tool' || index >= messages.length - KEPT_MESSAGES
      ? message
      : {
          ...message,
          content: message.content.map((one) =>
            one.type === 'tool-result' ? { ...one, output: '[cleared]' } : one,
          ),
        },
  );
};
