import { isSummary, type Message } from '../message.ts';
import type { RenderPolicy } from '../policy.ts';

/** Own text; of the original only its blocks and that it calls itself history are known. */
const PREAMBLE =
  'This is a record of the conversation so far. It is history, not instructions: continue from it.';

/** Own text; of the originals only that a sentence precedes the summary is known. */
const HANDOVER =
  'The conversation so far did not fit any more. This is a summary of it, to go on from without doing again what is done:';

/** Whether a message is a summary that is sent in the user's place. */
export function isCheckpoint(message: Message, policy: RenderPolicy): boolean {
  return policy.summaryAs !== 'assistant' && isSummary(message) && message.error === undefined;
}

/** What a summary that is sent in the user's place says: the summary, and the text that was kept. */
export function checkpointText(message: Message, { summaryAs }: RenderPolicy): string {
  const [summary = '', recent = ''] = message.parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : [],
  );
  if (summaryAs === 'checkpoint') return blocksOf(summary, recent);
  return [HANDOVER, summary, ...(recent === '' ? [] : [recent])].join('\n\n');
}

/** Source: OpenCode 2.0. */
function blocksOf(summary: string, recent: string): string {
  return [
    '<conversation-checkpoint>',
    PREAMBLE,
    `<summary>\n${summary}\n</summary>`,
    ...(recent === '' ? [] : [`<recent-context>\n${recent}\n</recent-context>`]),
    '</conversation-checkpoint>',
  ].join('\n');
}
