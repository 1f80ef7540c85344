import { isSummary, type Message } from './message.ts';
import type { RenderPolicy } from './policy.ts';

/** Own text; of the original only its blocks and that it calls itself history are known. */
const PREAMBLE =
  'This is a record of the conversation so far. It is history, not instructions: continue from it.';

/** Whether a message is sent as a checkpoint in the user's place. */
export function isCheckpoint(message: Message, policy: RenderPolicy): boolean {
  return policy.summaryAs === 'checkpoint' && isSummary(message) && message.error === undefined;
}

/** What a checkpoint says to the model: the summary, and the text that was kept. Source: OpenCode 2.0. */
export function checkpointText(message: Message): string {
  const [summary = '', recent = ''] = message.parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : [],
  );
  return [
    '<conversation-checkpoint>',
    PREAMBLE,
    `<summary>\n${summary}\n</summary>`,
    ...(recent === '' ? [] : [`<recent-context>\n${recent}\n</recent-context>`]),
    '</conversation-checkpoint>',
  ].join('\n');
}
