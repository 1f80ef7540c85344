import { addToGroup } from '../../lib/collections.ts';
import { createRootFinder, type RecordIndex } from './parents.ts';
import { type ClaudeRecord, isConversation } from './record.ts';

/** The records of one conversation. */
export interface Chain {
  readonly records: readonly ClaudeRecord[];
  readonly isSide: boolean;
  /** The agent of a side conversation, or the uuid of the record that it begins with. */
  readonly agentId?: string | undefined;
}

/**
 * The main conversation of a file, then those of its sub-agents in the order in which they began.
 * A file that holds records of sub-agents only is one side conversation.
 */
export function splitSidechains(
  records: readonly ClaudeRecord[],
  index: RecordIndex,
): readonly Chain[] {
  const main = records.filter((record) => !record.isSidechain);
  if (main.some(isConversation)) {
    return [{ records: main, isSide: false }, ...splitSides(records, index)];
  }
  const agentId = records.find((record) => record.agentId !== undefined)?.agentId;
  return [{ records, isSide: true, agentId }];
}

function splitSides(records: readonly ClaudeRecord[], index: RecordIndex): readonly Chain[] {
  const findRoot = createRootFinder(index);
  const chains = new Map<string | undefined, ClaudeRecord[]>();
  for (const record of records.filter(({ isSidechain }) => isSidechain)) {
    addToGroup(chains, record.agentId ?? findRoot(record), record);
  }
  return [...chains].map(([agentId, chain]) => ({ records: chain, isSide: true, agentId }));
}
