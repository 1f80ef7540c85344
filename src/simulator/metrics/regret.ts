import type { RunEvent } from '../events.ts';

/** Sums over the needs that a run lost. */
export interface RegretTotals extends Readonly<typeof NO_REGRET> {
  /** The cost of the closed loop above that of the open one; absent where a price or one of the two is unknown. */
  readonly regretNanoUsd?: number;
  /** The same in time. */
  readonly regretMs?: number;
}

/** Reads of the same content by added steps that make a loop. Source: evaluation design, section 9.3. */
const LOOP_REREADS = 3;

/** Nothing yet. */
export const NO_REGRET = {
  /** Needs of content that an action of the agent brings back. */
  references: 0,
  /** Losses among them; content that is lost counts once until it is read again. */
  misses: 0,
  referencedTokens: 0,
  missedTokens: 0,
  /** Losses that no step of the session itself reads again. */
  unreadMisses: 0,
  /** Names, phrases and declared facts that steps wrote or needed, and that no action brings back. */
  unrecoverableMisses: 0,
  /** Parts of the session that steps can refer to, and that left the view. */
  evictions: 0,
  /** True if any of them left without a prune or a pivot: behind a window, or into a memory. */
  hasSlid: false,
  fileReads: 0,
  /** Reads of files that give what an earlier read gave, with no write in between. */
  fileRereads: 0,
  /** Contents that were asked for at least three times by the same call, and rows of identical calls that gave anything else. */
  loops: 0,
  /** Steps that only reread lost content. */
  rereadSteps: 0,
  /** Sum over all steps of the tokens that a later write had made useless. */
  staleTokens: 0,
  /** Standing items that the run came by, and those that its last view does not name. */
  constraints: 0,
  goneConstraints: 0,
  paths: 0,
  gonePaths: 0,
};

/** Sums up what the events of a run tell of lost parts. */
export function createRegretFold() {
  const counts = { ...NO_REGRET };
  const timesReread = new Map<number, number>();
  let staleNow = 0;
  return {
    add: (event: RunEvent): void => {
      switch (event.type) {
        case 'reference':
          addReference(counts, event);
          break;
        case 'step-end': {
          counts.staleTokens += staleNow;
          const { reread, isFileReread = false } = event;
          if (reread === undefined) break;
          counts.rereadSteps += 1;
          const times = (timesReread.get(reread) ?? 0) + 1;
          timesReread.set(reread, times);
          if (times === LOOP_REREADS) counts.loops += 1;
          if (!isFileReread) break;
          counts.fileReads += 1;
          counts.fileRereads += 1;
          break;
        }
        case 'eviction':
          counts.evictions += event.parts;
          if (event.by !== 'prune' && event.by !== 'pivot') counts.hasSlid = true;
          break;
        case 'stale-kept':
          staleNow = event.tokens;
          break;
        case 'standing':
          if (event.at !== 'run-end') break;
          counts.constraints = event.constraints;
          counts.goneConstraints = event.goneConstraints.length;
          counts.paths = event.paths;
          counts.gonePaths = event.gonePaths.length;
          counts.fileReads += event.fileReads;
          counts.fileRereads += event.fileRereads;
          counts.loops += event.callLoops;
          break;
        default:
      }
    },
    end: (): RegretTotals => counts,
  };
}

function addReference(
  counts: typeof NO_REGRET,
  { kind, tokens, isRecoverable, missedBy, isAgain = false }: RunEvent & { type: 'reference' },
): void {
  const isMissed = missedBy !== undefined && !isAgain;
  if (!isRecoverable) {
    if (isMissed) counts.unrecoverableMisses += 1;
    return;
  }
  counts.references += 1;
  counts.referencedTokens += tokens;
  if (!isMissed) return;
  counts.misses += 1;
  counts.missedTokens += tokens;
  if (kind !== 'given-back') counts.unreadMisses += 1;
}
