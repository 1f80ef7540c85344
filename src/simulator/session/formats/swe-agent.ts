import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readFound, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';
import { isChatMessage, ownCostOf, readCommandChat } from './openai-chat.ts';

/** Trajectories of SWE-agent. Only the history is read; the steps repeat it. */
export const sweAgent: SessionFormat = {
  label: 'SWE-agent trajectory (JSON)',
  ...readFound(findHistory, { empty: 'a trajectory without messages' }, readTrajectory),
};

const COMMAND_BLOCK = /```(?:bash|mswea_bash_command)[^\S\n]*\n([\s\S]*?)\n?```/g;
/** The end marks that the prompts of all releases ask the model to write. */
const SUBMIT = /COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|M(?:ICRO|INI)_SWE_AGENT_FINAL_OUTPUT/;
const OUTPUT_START = /^\s*(?:<exception>[\s\S]*?<\/exception>\s*)?<returncode>/;
const FORMAT_NAME = 'mini-swe-agent';
const PLAIN_ROLES = kit.wordsIn('assistant system user');

/** Runs of mini-swe-agent: a bare list of messages, or one beside the figures of the run. */
export const miniSweAgent: SessionFormat = {
  label: 'mini-swe-agent trajectory (JSON)',
  certainty: 'shape',
  ...readFound(findRun, { empty: 'a run without messages' }, readRun),
};

function findHistory(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (!isObject(document) || !Array.isArray(document['trajectory'])) return undefined;
  const { history, info } = document;
  return Array.isArray(history) && isObject(info) ? history : undefined;
}

function readTrajectory(
  recording: Recording,
  history: readonly unknown[],
  file: SourceFile,
): Facts {
  const main = history.map(agentOf).find((agent) => agent !== undefined);
  const own = history.filter((value) => (agentOf(value) ?? main) === main);
  recording.tally.drop('message of another agent', history.length - own.length);
  const messages = recording.readObjects(own, kit.NO_ROLE, isChatMessage);
  readCommandChat(recording, messages.map(toCommandMessage));
  return { ownCostUsd: ownCostOf(file.json()) };
}

function agentOf(value: unknown) {
  return isObject(value) ? kit.toText(value['agent']) : undefined;
}

function toCommandMessage(chat: kit.Fields) {
  const { role, is_demo: isDemo, thought, action, tool_call_ids: callIds } = chat;
  const text = kit.toText(thought);
  const command = role === 'assistant' ? kit.toId(action) : undefined;
  const thoughts = kit
    .objectsIn(chat['thinking_blocks'])
    .flatMap(({ thinking }) => kit.toText(thinking) ?? []);
  return {
    chat: thoughts.length > 0 ? { reasoning_content: thoughts.join('\n'), ...chat } : chat,
    isExample: isDemo === true,
    callIds: kit.toList(callIds),
    written: text !== undefined && command !== undefined ? { text, command } : undefined,
  };
}

function findRun(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isRun(document) ? document : undefined;
  if (!isObject(document) || !Array.isArray(document['messages'])) return undefined;
  const isNamed = kit.toText(document['trajectory_format'])?.startsWith(FORMAT_NAME);
  return isNamed ? document['messages'] : undefined;
}

function isRun(values: readonly unknown[]) {
  const [first] = values;
  if (!isObject(first) || first['role'] !== 'system') return false;
  const messages = values.filter(isChatMessage);
  const isSpoken = messages.every(
    ({ role, tool_calls: calls }) => PLAIN_ROLES.has(role) && kit.objectsIn(calls).length === 0,
  );
  return isSpoken && messages.some((each) => writtenIn(each)) && messages.some(isMark);
}

function writtenIn({ role, content }: kit.Fields) {
  const text = kit.textOf(content);
  const [block, another] = text.matchAll(COMMAND_BLOCK);
  if (role !== 'assistant' || block === undefined || another !== undefined) return undefined;
  const [whole, command = ''] = block;
  const around = text.slice(0, block.index) + text.slice(block.index + whole.length);
  return { text: around.trim(), command };
}

function isMark({ role, content }: kit.Fields) {
  const text = kit.textOf(content);
  if (role === 'assistant') return false;
  return SUBMIT.test(text) || (role === 'user' && OUTPUT_START.test(text));
}

function readRun(recording: Recording, run: readonly unknown[], file: SourceFile): Facts {
  // The note that a run ended was seen by no model.
  const values = run.filter((value) => kit.valueAt(value, 'role') !== 'exit');
  const messages = recording.readObjects(values, kit.NO_ROLE, isChatMessage).map((chat) => ({
    chat,
    time: kit.valueAt(chat, 'extra.timestamp'),
    written: writtenIn(chat),
    model: kit.toModel(kit.valueAt(chat, 'extra.response.model')),
    usage: splitCount(kit.valueAt(chat, 'extra.response.usage')),
  }));
  readCommandChat(recording, messages);
  return { ownCostUsd: ownCostOf(file.json()), isOutputFinal: recording.hasUsage() };
}
