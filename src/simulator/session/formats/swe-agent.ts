import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { flag, list, maybeText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { type CommandMessage, ownCostOf, parseMessage, readCommandChat } from './chat.ts';

/** The fields of a history message besides those of the chat. */
type HistoryEntry = z.infer<typeof entrySchema>;

const entrySchema = z.object({
  agent: maybeText,
  is_demo: flag,
  thought: maybeText,
  action: maybeText,
  tool_call_ids: list,
  thinking_blocks: list,
});

const thinkingSchema = z.object({ thinking: z.string() });

/** Trajectories of SWE-agent. Only the history is read; the steps repeat it. */
export const sweAgent: SessionFormat = {
  label: 'SWE-agent trajectory (JSON)',
  certainty: 'mark',
  detect: (file) => findHistory(file) !== undefined,
  read: readRecording(
    { format: 'swe-agent', empty: 'a trajectory without messages' },
    readTrajectory,
  ),
  keeps: {
    tools: 'find_file submit str_replace_editor',
    sizes: 'insert_line view_range',
    reasons: 'agent',
  },
};

/** The history of a trajectory, or `undefined` if the document is none. */
function findHistory(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (!isObject(document) || !Array.isArray(document['trajectory'])) return undefined;
  const { history, info } = document;
  return Array.isArray(history) && isObject(info) ? history : undefined;
}

function readTrajectory(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const history = findHistory(file) ?? [];
  const main = history.map(agentOf).find((agent) => agent !== undefined);
  const own = history.filter((value) => (agentOf(value) ?? main) === main);
  const messages = own.flatMap((value) => parseEntry(value) ?? []);
  tally.drop('message of another agent', history.length - own.length);
  tally.drop('message without a role', own.length - messages.length);
  readCommandChat(recording, messages);
  return { ownCostUsd: ownCostOf(file.json()) };
}

function agentOf(value: unknown): string | undefined {
  return entrySchema.safeParse(value).data?.agent;
}

/** A message of a history, or `undefined` if it is none of a chat. */
function parseEntry(value: unknown): CommandMessage | undefined {
  const chat = parseMessage(value);
  const entry = entrySchema.safeParse(value).data;
  if (chat === undefined || entry === undefined) return undefined;
  const { action = '', thought, is_demo: isExample } = entry;
  const callIds = entry.tool_call_ids.filter((id) => typeof id === 'string');
  const reasoning = chat.reasoning_content ?? thinkingOf(entry);
  const isRun = chat.role === 'assistant' && action !== '' && thought !== undefined;
  return {
    chat: { ...chat, reasoning_content: reasoning },
    isExample,
    ...(callIds.length > 0 && { callIds }),
    ...(isRun && { written: { text: thought, command: action } }),
  };
}

function thinkingOf({ thinking_blocks: blocks }: HistoryEntry): string | undefined {
  const texts = blocks.flatMap((block) => thinkingSchema.safeParse(block).data?.thinking ?? []);
  return texts.length === 0 ? undefined : texts.join('\n');
}
