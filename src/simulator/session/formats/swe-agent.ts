import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, objectsIn, toId, toList, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { type CommandMessage, messagesIn, ownCostOf, readCommandChat } from './openai-chat.ts';

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

function findHistory(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (!isObject(document) || !Array.isArray(document['trajectory'])) return undefined;
  const { history, info } = document;
  return Array.isArray(history) && isObject(info) ? history : undefined;
}

function readTrajectory(recording: Recording, file: SourceFile): Facts {
  const history = findHistory(file) ?? [];
  const main = history.map(agentOf).find((agent) => agent !== undefined);
  const own = history.filter((value) => (agentOf(value) ?? main) === main);
  recording.tally.drop('message of another agent', history.length - own.length);
  readCommandChat(recording, messagesIn(recording, own).map(toCommandMessage));
  return { ownCostUsd: ownCostOf(file.json()) };
}

function agentOf(value: unknown): string | undefined {
  return isObject(value) ? toText(value['agent']) : undefined;
}

function toCommandMessage(chat: Fields): CommandMessage {
  const { role, is_demo: isDemo, thought, action, tool_call_ids: callIds } = chat;
  const text = toText(thought);
  const command = role === 'assistant' ? toId(action) : undefined;
  const thoughts = objectsIn(chat['thinking_blocks']).flatMap(
    ({ thinking }) => toText(thinking) ?? [],
  );
  return {
    chat: thoughts.length > 0 ? { reasoning_content: thoughts.join('\n'), ...chat } : chat,
    isExample: isDemo === true,
    callIds: toList(callIds),
    written: text !== undefined && command !== undefined ? { text, command } : undefined,
  };
}
