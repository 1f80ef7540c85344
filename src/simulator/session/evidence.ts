/** Evidence of the conditions under which a session was recorded, as plain data without texts. */

import { known } from '../lib/collections.ts';
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
  readonly windowTokens?: number;
  /** The largest input that was accepted; 0 where none was measured. */
  readonly largestTokens: number;
  readonly compaction?: {
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

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Reads the setup's traces off a session. */
export function evidenceOf(session: Session): Evidence {
  const { format, release, isSide, cacheTtlMs, ownCostUsd } = session;
  const stretches = stretchesOf(session);
  return {
    format,
    isSide,
    ...known({ release, cacheTtlMs, ownCostUsd }),
    hasUsage: !isUsageComputed(session) && stretches.some(({ largestTokens }) => largestTokens > 0),
    stretches,
  };
}

function stretchesOf(session: Session): readonly Stretch[] {
  const { messages, recordedCompactions } = session;
  const stretches: Mutable<Stretch>[] = [];
  let [isEnded, next] = [true, 0];
  const endBefore = (messageIndex: number) => {
    for (; (recordedCompactions[next]?.messageIndex ?? Infinity) <= messageIndex; next++)
      isEnded = endAt(stretches.at(-1), recordedCompactions[next], next) || isEnded;
  };
  for (const [messageIndex, message] of messages.entries()) {
    endBefore(messageIndex);
    if (message.role !== 'assistant') continue;
    const { model, windowTokens } = conditionsAt(session, messageIndex, message.model);
    const last = stretches.at(-1);
    const isSame = !isEnded && last?.model === model && last?.windowTokens === windowTokens;
    const begun = { messageId: message.id, messageIndex, steps: 0, largestTokens: 0 };
    const current =
      isSame && last !== undefined ? last : { ...begun, ...known({ model, windowTokens }) };
    if (current !== last) stretches.push(current);
    current.steps += 1;
    const tokens = message.usage === undefined ? 0 : contextTokensOf(message.usage);
    current.largestTokens = Math.max(current.largestTokens, tokens);
    isEnded = false;
  }
  endBefore(Number.MAX_VALUE);
  if (stretches.length > 0) return stretches;
  const without = { messageId: '', messageIndex: 0, steps: 0, largestTokens: 0 };
  return [{ ...without, ...known(conditionsAt(session, 0)) }];
}

function endAt(
  stretch: Mutable<Stretch> | undefined,
  compaction: RecordedCompaction | undefined,
  index: number,
): boolean {
  const { kind, trigger, tokensBefore } = compaction ?? {};
  if (kind !== 'full' || trigger === 'manual' || stretch === undefined) return false;
  if (stretch.compaction !== undefined) return true;
  const tokens = tokensBefore ?? (stretch.largestTokens || undefined);
  const isNoted = tokensBefore !== undefined && trigger === 'auto';
  stretch.compaction = { index, ...known({ tokens }), isNoted };
  return true;
}

function conditionsAt(session: Session, messageIndex: number, model = session.model) {
  const { recordedWindows = [] } = session;
  const stated = recordedWindows.findLast((window) => window.messageIndex <= messageIndex);
  // The first number holds for what was sent before it was written down.
  return { model, windowTokens: (stated ?? recordedWindows[0])?.contextTokens };
}
