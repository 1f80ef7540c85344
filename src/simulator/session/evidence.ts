/** Evidence of the conditions under which a session was recorded, as plain data without texts. */

import type { AssistantMessage, Message } from '../../engine/index.ts';
import {
  contextTokensOf,
  isUsageComputed,
  type RecordedCompaction,
  type Session,
} from './session.ts';

/** Steps in a row that one model answered, up to an automatic compaction at most. */
export interface Stretch {
  /** Id of its first step, and the number of the session's messages before that. */
  readonly messageId: string;
  readonly messageIndex: number;
  readonly steps: number;
  /** `provider/model`; absent where nobody noted it. */
  readonly model?: string;
  /** The window that the recording states. */
  readonly windowTokens?: number;
  /** The largest input that was accepted; 0 where none was measured. */
  readonly largestTokens: number;
  /** The automatic compaction that ends it. */
  readonly compaction?: {
    /** Its place among the recorded compactions of the session. */
    readonly index: number;
    /** Size before it; absent where it is not known. */
    readonly tokens?: number;
    /** The size is the one that the agent itself noted when it compacted. */
    readonly isNoted: boolean;
  };
}

/** Everything that a recording says of its setup. */
export interface Evidence extends Pick<Session, 'format' | 'release' | 'isSide' | 'ownCostUsd'> {
  /** In the order of their steps; one without steps where the session has none. */
  readonly stretches: readonly Stretch[];
  /** Lifetime of most written tokens of the prompt cache; absent where no write is recorded. */
  readonly cacheTtlMs?: number;
  /** A provider reported the usage of a step. */
  readonly hasUsage: boolean;
}

/** A stretch on its way. */
type Draft = { -readonly [Key in keyof Stretch]: Stretch[Key] };

/** Reads the setup's traces off a session. */
export function evidenceOf(session: Session): Evidence {
  const { format, release, isSide, cacheTtlMs, ownCostUsd } = session;
  const stretches = stretchesOf(session);
  return {
    format,
    isSide,
    ...(release && { release }),
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
    ...(ownCostUsd !== undefined && { ownCostUsd }),
    hasUsage: !isUsageComputed(session) && stretches.some(({ largestTokens }) => largestTokens > 0),
    stretches,
  };
}

function stretchesOf(session: Session): readonly Stretch[] {
  const { messages, recordedCompactions } = session;
  const upcoming = recordedCompactions.map((compaction, index) => ({ compaction, index }));
  const drafts: Draft[] = [];
  let isEnded = true;
  for (const [messageIndex, message] of messages.entries()) {
    while (upcoming[0] !== undefined && upcoming[0].compaction.messageIndex <= messageIndex) {
      const { compaction, index } = upcoming.shift() as (typeof upcoming)[number];
      isEnded = endAt(drafts.at(-1), compaction, index) || isEnded;
    }
    if (message.role !== 'assistant') continue;
    const own = conditionsAt(session, message, messageIndex);
    const last = drafts.at(-1);
    const isSame = !isEnded && last?.model === own.model && last?.windowTokens === own.windowTokens;
    if (!isSame) {
      drafts.push({ messageId: message.id, messageIndex, steps: 0, largestTokens: 0, ...own });
    }
    addStep(drafts.at(-1) as Draft, message);
    isEnded = false;
  }
  for (const { compaction, index } of upcoming) endAt(drafts.at(-1), compaction, index);
  return drafts.length > 0 ? drafts : [withoutSteps(session)];
}

/** Ends a stretch at an automatic compaction; returns true if it is one. One before any step ends nothing. */
function endAt(
  draft: Draft | undefined,
  { kind, trigger, tokensBefore }: RecordedCompaction,
  index: number,
): boolean {
  if (kind !== 'full' || trigger === 'manual' || draft === undefined) return false;
  if (draft.compaction !== undefined) return true;
  const tokens = tokensBefore ?? (draft.largestTokens > 0 ? draft.largestTokens : undefined);
  draft.compaction = {
    index,
    ...(tokens !== undefined && { tokens }),
    isNoted: tokensBefore !== undefined && trigger === 'auto',
  };
  return true;
}

function conditionsAt(
  { model: usual, recordedWindows = [] }: Session,
  { model = usual }: AssistantMessage,
  messageIndex: number,
): Pick<Stretch, 'model' | 'windowTokens'> {
  const stated = recordedWindows.findLast((window) => window.messageIndex <= messageIndex);
  // The first number holds for what was sent before it was written down.
  const windowTokens = (stated ?? recordedWindows[0])?.contextTokens;
  return {
    ...(model !== undefined && { model }),
    ...(windowTokens !== undefined && { windowTokens }),
  };
}

function addStep(draft: Draft, { usage }: Message & AssistantMessage): void {
  draft.steps += 1;
  if (usage !== undefined) {
    draft.largestTokens = Math.max(draft.largestTokens, contextTokensOf(usage));
  }
}

function withoutSteps({ model, recordedWindows = [] }: Session): Stretch {
  const windowTokens = recordedWindows[0]?.contextTokens;
  return {
    messageId: '',
    messageIndex: 0,
    steps: 0,
    largestTokens: 0,
    ...(model !== undefined && { model }),
    ...(windowTokens !== undefined && { windowTokens }),
  };
}
