import type { RecordedCompaction } from '../session.ts';
import { type ClaudeRecord, isBoundary } from './record.ts';

/** The compaction that a boundary record tells of, or `undefined` if the record is none. */
export function toCompaction(
  record: ClaudeRecord,
  messageIndex: number,
): RecordedCompaction | undefined {
  if (isBoundary(record)) return { ...toFull(record), messageIndex };
  if (record.subtype === 'microcompact_boundary') return { ...toMicro(record), messageIndex };
  return undefined;
}

function toFull({ compactMetadata }: ClaudeRecord): Omit<RecordedCompaction, 'messageIndex'> {
  const { trigger, preTokens, postTokens } = compactMetadata ?? {};
  return {
    kind: 'full',
    ...toTrigger(trigger),
    ...(preTokens !== undefined && { tokensBefore: preTokens }),
    ...(postTokens !== undefined && { tokensAfter: postTokens }),
  };
}

function toMicro({ microcompactMetadata }: ClaudeRecord): Omit<RecordedCompaction, 'messageIndex'> {
  const { trigger, preTokens, tokensSaved, compactedToolIds = [] } = microcompactMetadata ?? {};
  const hasBoth = preTokens !== undefined && tokensSaved !== undefined;
  return {
    kind: 'micro',
    ...toTrigger(trigger),
    ...(preTokens !== undefined && { tokensBefore: preTokens }),
    ...(hasBoth && { tokensAfter: preTokens - tokensSaved }),
    clearedCallIds: compactedToolIds.filter((id) => typeof id === 'string'),
  };
}

function toTrigger(trigger: string | undefined): Pick<RecordedCompaction, 'trigger'> {
  return trigger === 'auto' || trigger === 'manual' ? { trigger } : {};
}
