import type { RunEvent } from '../events.ts';

/** Sums up what the events of a run tell of lost parts. */
interface RegretFold {
  add(event: RunEvent): void;
  end(): RegretTotals;
}

type Counts = { -readonly [Key in keyof RegretTotals]: RegretTotals[Key] };

/** A run on its way. */
interface Folding {
  readonly counts: Counts;
  /** How often an added step read each content again. */
  readonly reread: Map<number, number>;
  staleNow: number;
}

/** Sums over the needs that a run lost. */
export interface RegretTotals {
  /** Needs of content that an action of the agent brings back. */
  readonly references: number;
  /** Losses among them; content that is lost counts once until it is read again. */
  readonly misses: number;
  readonly referencedTokens: number;
  readonly missedTokens: number;
  /** Losses that no step of the session itself reads again. */
  readonly unreadMisses: number;
  /** Names, phrases and declared facts that steps wrote or needed, and that no action brings back. */
  readonly unrecoverableMisses: number;
  /** Parts of the session that steps can refer to, and that left the view. */
  readonly evictions: number;
  /** True if any of them left without a prune or a pivot: behind a window, or into a memory. */
  readonly hasSlid: boolean;
  /** The cost of the closed loop above that of the open one; absent where a price or one of the two is unknown. */
  readonly regretNanoUsd?: number;
  /** The same in time. */
  readonly regretMs?: number;
  readonly fileReads: number;
  /** Reads of files that give what an earlier read gave, with no write in between. */
  readonly fileRereads: number;
  /** Contents that were asked for at least three times by the same call, and rows of identical calls that gave anything else. */
  readonly loops: number;
  /** Steps that only reread lost content. */
  readonly rereadSteps: number;
  /** Sum over all steps of the tokens that a later write had made useless. */
  readonly staleTokens: number;
  /** Standing items that the run came by, and those that its last view does not name. */
  readonly constraints: number;
  readonly goneConstraints: number;
  readonly paths: number;
  readonly gonePaths: number;
}

/** Reads of the same content by added steps that make a loop. Source: evaluation design, section 9.3. */
const LOOP_REREADS = 3;

/** Nothing yet. */
export const NO_REGRET: RegretTotals = {
  references: 0,
  misses: 0,
  referencedTokens: 0,
  missedTokens: 0,
  unreadMisses: 0,
  unrecoverableMisses: 0,
  evictions: 0,
  hasSlid: false,
  fileReads: 0,
  fileRereads: 0,
  loops: 0,
  rereadSteps: 0,
  staleTokens: 0,
  constraints: 0,
  goneConstraints: 0,
  paths: 0,
  gonePaths: 0,
};

/** The fold of a run that has not begun. */
export function createRegretFold(): RegretFold {
  const folding: Folding = { counts: { ...NO_REGRET }, reread: new Map(), staleNow: 0 };
  return { add: (event) => addEvent(folding, event), end: () => folding.counts };
}

function addEvent(folding: Folding, event: RunEvent): void {
  const { counts } = folding;
  switch (event.type) {
    case 'reference':
      addReference(counts, event);
      break;
    case 'step-end':
      addStep(folding, event);
      break;
    case 'eviction':
      counts.evictions += event.parts;
      if (event.by !== 'prune' && event.by !== 'pivot') counts.hasSlid = true;
      break;
    case 'stale-kept':
      folding.staleNow = event.tokens;
      break;
    case 'standing':
      if (event.at === 'run-end') addStanding(counts, event);
      break;
    default:
  }
}

function addReference(counts: Counts, event: RunEvent & { readonly type: 'reference' }): void {
  const { kind, tokens, isRecoverable, isAgain = false } = event;
  const isMissed = event.missedBy !== undefined && !isAgain;
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

function addStep(
  { counts, reread: times, staleNow }: Folding,
  { reread, isFileReread = false }: RunEvent & { readonly type: 'step-end' },
): void {
  counts.staleTokens += staleNow;
  if (reread === undefined) return;
  counts.rereadSteps += 1;
  const rereads = (times.get(reread) ?? 0) + 1;
  times.set(reread, rereads);
  if (rereads === LOOP_REREADS) counts.loops += 1;
  if (!isFileReread) return;
  counts.fileReads += 1;
  counts.fileRereads += 1;
}

function addStanding(counts: Counts, event: RunEvent & { readonly type: 'standing' }): void {
  counts.constraints = event.constraints;
  counts.goneConstraints = event.goneConstraints.length;
  counts.paths = event.paths;
  counts.gonePaths = event.gonePaths.length;
  counts.fileReads += event.fileReads;
  counts.fileRereads += event.fileRereads;
  counts.loops += event.callLoops;
}
