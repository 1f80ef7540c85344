import { isObject } from '../../lib/json.ts';
import { isToolCall, isToolResult } from './blocks.ts';
import { blocksOf, type ClaudeRecord, isConversation } from './record.ts';
import type { Chain } from './sidechains.ts';

/** The tool that starts a sub-agent, by its names over time. */
const STARTERS = new Set<string | undefined>(['Agent', 'Task']);

/**
 * The sessions of sub-agents by the id of the call that they answered. Results tell it, or sub-agents that go by
 * the id of their call; of others the prompt does: of several calls with the same one, the first comes first.
 */
export function findSideSessions(chains: readonly Chain[]): ReadonlyMap<string, readonly string[]> {
  const records = chains.flatMap((chain) => chain.records);
  const sides = chains.filter(({ isSide }) => isSide);
  const main = chains.find(({ isSide }) => !isSide)?.records ?? [];
  const found = new Map([...idsInResults(records), ...idsOfCalls(records, sides)]);
  const toldIds = new Set(found.values());
  const open = openCallsByPrompt(main, found);
  for (const { agentId, records: own } of sides) {
    const calls = open.get(promptOf(own));
    const [callId] = calls ?? [];
    if (agentId === undefined || toldIds.has(agentId) || callId === undefined) continue;
    calls?.delete(callId);
    found.set(callId, agentId);
  }
  return new Map([...found].map(([callId, id]) => [callId, [id]]));
}

/** A record with several results does not say which of them its sub-agent gave. */
function idsInResults(records: readonly ClaudeRecord[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const record of records) {
    if (record.resultAgentId === undefined) continue;
    const [result, ...others] = blocksOf(record).filter(isToolResult);
    const callId = others.length === 0 ? result?.tool_use_id : undefined;
    if (callId !== undefined && !ids.has(callId)) ids.set(callId, record.resultAgentId);
  }
  return ids;
}

function idsOfCalls(
  records: readonly ClaudeRecord[],
  sides: readonly Chain[],
): ReadonlyMap<string, string> {
  const callIds = new Set(
    records
      .flatMap(blocksOf)
      .filter(isToolCall)
      .map(({ id }) => id),
  );
  return new Map(
    sides.flatMap(({ agentId: id }) => (id !== undefined && callIds.has(id) ? [[id, id]] : [])),
  );
}

function openCallsByPrompt(
  records: readonly ClaudeRecord[],
  found: ReadonlyMap<string, string>,
): ReadonlyMap<unknown, Set<string>> {
  const open = new Map<unknown, Set<string>>();
  for (const { id, name, input } of records.flatMap(blocksOf).filter(isToolCall)) {
    const prompt = STARTERS.has(name) && isObject(input) ? input['prompt'] : undefined;
    if (id === undefined || typeof prompt !== 'string' || found.has(id)) continue;
    const calls = open.get(prompt);
    if (calls === undefined) open.set(prompt, new Set([id]));
    else calls.add(id);
  }
  return open;
}

/** What a user, here the model that called, said first. */
function promptOf(records: readonly ClaudeRecord[]): string | undefined {
  const first = records.find((record) => record.type === 'user' && isConversation(record));
  return first && blocksOf(first).find(({ text }) => text !== undefined)?.text;
}
