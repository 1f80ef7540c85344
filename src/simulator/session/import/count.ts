/** Counts what sessions hold. */

import type { Part } from '../../../engine/index.ts';
import { recordedOutputOf } from '../call-texts.ts';
import type { ImportReport, Session } from '../session.ts';

/** What sessions hold, in numbers. */
export interface SessionCounts extends ImportReport {
  readonly sessions: number;
  readonly messages: number;
  /** What tools gave back, also where the call is not recorded. */
  readonly toolOutputs: number;
  readonly compactions: CompactionCounts;
}

/** Recorded compactions by kind: histories replaced by a summary, and clearings of old outputs. */
export interface CompactionCounts {
  readonly full: number;
  readonly micro: number;
}

/** Reasons that stand for an output each. */
const LOST_OUTPUT = 'tool result without a call';
const OUTPUT_AS_TEXT = 'tool result kept as a text';

/** The numbers of no session. */
export const NO_COUNTS: SessionCounts = {
  sessions: 0,
  messages: 0,
  toolOutputs: 0,
  compactions: { full: 0, micro: 0 },
  dropped: {},
  repaired: {},
};

/** The numbers of one session. */
export function countSession({ messages, recordedCompactions, report }: Session): SessionCounts {
  const { dropped, repaired } = report;
  const outputs = messages.flatMap(({ parts }) => parts).filter(hasOutput);
  const others = (dropped[LOST_OUTPUT] ?? 0) + (repaired[OUTPUT_AS_TEXT] ?? 0);
  const micro = recordedCompactions.filter(({ kind }) => kind === 'micro').length;
  return {
    sessions: 1,
    messages: messages.length,
    toolOutputs: outputs.length + others,
    compactions: { full: recordedCompactions.length - micro, micro },
    dropped,
    repaired,
  };
}

/** The numbers of both together. */
export function addCounts(a: SessionCounts, b: SessionCounts): SessionCounts {
  return {
    sessions: a.sessions + b.sessions,
    messages: a.messages + b.messages,
    toolOutputs: a.toolOutputs + b.toolOutputs,
    compactions: {
      full: a.compactions.full + b.compactions.full,
      micro: a.compactions.micro + b.compactions.micro,
    },
    dropped: addReasons(a.dropped, b.dropped),
    repaired: addReasons(a.repaired, b.repaired),
  };
}

function hasOutput(part: Part): boolean {
  return part.type === 'tool' && recordedOutputOf(part) !== undefined;
}

function addReasons(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(a));
  for (const [reason, count] of Object.entries(b)) {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}
