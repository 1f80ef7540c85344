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
  /** Those of them that the recording read again because its own compaction had removed it, and that it went on from. */
  causedMisses: 0,
  usedMisses: 0,
  /** Content that the view did not show, and that is no loss: read again anyway, told by the recording's summary, or unknown. */
  habitNeeds: 0,
  carriedNeeds: 0,
  unknownNeeds: 0,
  /** The part of all losses that is an expected value: real summaries carry some of what they replace. */
  expectedMisses: 0,
  /** True if an agent that reacts may take another course. */
  mayReact: false,
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
  /** Recorded steps that were left out: they read again what the view still showed. */
  droppedSteps: 0,
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
        case 'step-dropped':
          counts.droppedSteps += 1;
          break;
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

function addReference(counts: typeof NO_REGRET, event: RunEvent & { readonly type: 'reference' }) {
  const { tokens, isRecoverable, missedBy, goneBy, use = 'used', chance = 1 } = event;
  const isMissed = missedBy !== undefined;
  if (isMissed && chance < 1) counts.expectedMisses += chance;
  if (!isRecoverable) {
    if (isMissed) counts.unrecoverableMisses += chance;
    return;
  }
  counts.references += 1;
  counts.referencedTokens += tokens;
  // What the recording read again, a view that still shows it need not.
  if (use === 'caused' ? !isMissed && goneBy === undefined : isMissed) counts.mayReact = true;
  if (goneBy !== undefined && use !== 'used' && use !== 'caused') counts[`${use}Needs`] += 1;
  if (!isMissed) return;
  counts.misses += chance;
  counts[use === 'caused' ? 'causedMisses' : 'usedMisses'] += chance;
  counts.missedTokens += Math.round(chance * tokens);
}
