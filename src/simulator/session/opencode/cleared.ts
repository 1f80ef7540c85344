import { addToGroup } from '../../lib/collections.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';
import type { OpencodeMessage } from './record.ts';

/** A tool output that the recorder hid from the model. */
export interface ClearedOutput {
  readonly callId: string;
  /** When it was hidden, in ms. */
  readonly clearedAt: number;
  /** The step that holds it. */
  readonly step: DraftMessage;
}

/** The hidden outputs of a message. */
export function clearedIn(
  { parts }: OpencodeMessage,
  step: DraftMessage,
): readonly ClearedOutput[] {
  return parts.flatMap(({ callID: callId, state }) => {
    const clearedAt = state?.time?.compacted ?? 0;
    if (callId === undefined || clearedAt <= 0) return [];
    return [{ callId, clearedAt, step }];
  });
}

/** One `micro` compaction for all outputs that were hidden after the same message. */
export function groupCleared(
  cleared: readonly ClearedOutput[],
  drafts: readonly DraftMessage[],
): readonly RecordedCompaction[] {
  const times = drafts.map((draft) => draft.createdAt).toSorted((a, b) => a - b);
  const places = new Map(drafts.map((draft, index) => [draft, index + 1]));
  const callIds = new Map<number, string[]>();
  let earlier = 0;
  for (const output of cleared.toSorted((a, b) => a.clearedAt - b.clearedAt)) {
    while ((times[earlier] ?? Infinity) <= output.clearedAt) earlier++;
    const messageIndex = Math.max(earlier, places.get(output.step) ?? 0);
    addToGroup(callIds, messageIndex, output.callId);
  }
  return [...callIds].map(([messageIndex, clearedCallIds]) => ({
    kind: 'micro',
    trigger: 'auto',
    messageIndex,
    clearedCallIds,
  }));
}
