import { isToolCall, isToolResult } from './blocks.ts';
import { hasLostAncestor, type RecordIndex } from './parents.ts';
import { blocksOf, type ClaudeRecord, isBoundary, isConversation } from './record.ts';

/** Whether a conversation goes on from something that the file does not hold. */
export function isPartialStart(records: readonly ClaudeRecord[], index: RecordIndex): boolean {
  const first = records.find((record) => isConversation(record) || isBoundary(record));
  if (first === undefined) return false;
  if (isBoundary(first) || first.isCompactSummary || first.type === 'assistant') return true;
  return hasLostAncestor(first, index) || beginsWithLostCall(records);
}

/** Whether a tool result stands before all calls, and none of them is its own. */
function beginsWithLostCall(records: readonly ClaudeRecord[]): boolean {
  const blocks = records.flatMap(blocksOf);
  const first = blocks.find((block) => isToolCall(block) || isToolResult(block));
  if (first === undefined || isToolCall(first)) return false;
  return !blocks.some((block) => isToolCall(block) && block.id === first.tool_use_id);
}
