import { type CallIds, createCallIds } from '../reading/call-ids.ts';
import type { Tally } from '../reading/tally.ts';
import type { Entry } from './branch.ts';
import { blocksOf, type PiBlock, type PiMessage } from './record.ts';

/** The entries, in which no two calls have one id unless they are one. */
export function withCallIds(branch: readonly Entry[], tally: Tally): readonly Entry[] {
  const ids = createCallIds(tally);
  return branch.map(({ record, index }) => {
    const { message } = record;
    const isSaid = record.type === 'message' && message !== undefined;
    return { record: isSaid ? { ...record, message: withIds(message, ids) } : record, index };
  });
}

function withIds(message: PiMessage, ids: CallIds): PiMessage {
  const { role, toolCallId, content } = message;
  if (role === 'toolResult' && toolCallId !== undefined) {
    return { ...message, toolCallId: ids.ofResult(toolCallId) };
  }
  if (role !== 'assistant') return message;
  return { ...message, content: blocksOf(content).map((block) => withId(block, ids)) };
}

function withId(block: PiBlock, ids: CallIds): PiBlock {
  const { type, id, name, arguments: input } = block;
  if (type !== 'toolCall' || id === undefined) return block;
  return { ...block, id: ids.ofCall(id, { name, input }) };
}
