import { type CallIds, createCallIds } from '../reading/call-ids.ts';
import type { Tally } from '../reading/tally.ts';
import type { ClaudeBlock } from './block.ts';
import { isToolCall, isToolResult } from './blocks.ts';
import { blocksOf, type ClaudeRecord } from './record.ts';

/** The records, in which no two calls have one id unless they are one. */
export function withCallIds(
  records: readonly ClaudeRecord[],
  tally: Tally,
): readonly ClaudeRecord[] {
  const ids = createCallIds(tally);
  return records.map((record) => {
    const { message } = record;
    const blocks = blocksOf(record).map((block) => withId(block, ids));
    const isChanged = blocks.some((block, index) => block !== blocksOf(record)[index]);
    return message !== undefined && isChanged
      ? { ...record, message: { ...message, blocks } }
      : record;
  });
}

function withId(block: ClaudeBlock, ids: CallIds): ClaudeBlock {
  const { id, tool_use_id: callId } = block;
  if (id !== undefined && isToolCall(block)) {
    const own = ids.ofCall(id, block);
    return own === id ? block : { ...block, id: own };
  }
  if (callId === undefined || !isToolResult(block)) return block;
  const own = ids.ofResult(callId);
  return own === callId ? block : { ...block, tool_use_id: own };
}
