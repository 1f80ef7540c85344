import { isObject, parseJson } from '../../lib/json.ts';
import { isOutput } from './reading.ts';
import { type CodexPayload, type CodexRecord, textOf } from './record.ts';

const SPAWN_TOOL = 'spawn_agent';
const SPAWN_EVENT = 'collab_agent_spawn_end';

/** The threads of sub-agents by the id of the call that spawned them, as an event or the output tells. */
export function findSpawned(
  records: readonly CodexRecord[],
): ReadonlyMap<string, readonly string[]> {
  const spawned = new Map<string, readonly string[]>();
  const callIds = new Set<string>();
  for (const { type, payload } of records) {
    const { call_id: callId, name } = payload;
    if (callId === undefined) continue;
    if (type === 'response_item' && name === SPAWN_TOOL) callIds.add(callId);
    const isAnswer = type === 'response_item' && isOutput(payload) && callIds.has(callId);
    const isTold = type === 'event_msg' && payload.type === SPAWN_EVENT;
    const threadId = isTold ? payload.new_thread_id : isAnswer ? agentIdIn(payload) : undefined;
    if (threadId !== undefined && !spawned.has(callId)) spawned.set(callId, [threadId]);
  }
  return spawned;
}

function agentIdIn({ output }: CodexPayload): string | undefined {
  const result = parseJson(textOf(output));
  const id = isObject(result) ? result['agent_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
