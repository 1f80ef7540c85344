/** What a run lost of what its steps needed. */
export interface RegretTotals {
  readonly references: number;
  readonly misses: number;
  readonly referencedTokens: number;
  readonly missedTokens: number;
  /** Parts of the session that steps can refer to, and that left the view. */
  readonly evictions: number;
  /** Whether any of them left without a prune or a pivot: behind a window, or into a memory. */
  readonly hasSlid: boolean;
  /** What the misses would cost if all were read again; absent where a price is unknown. */
  readonly regretNanoUsd?: number;
  /** How long reading them again would take. */
  readonly regretMs: number;
  readonly fileReads: number;
  /** Reads of files that give what an earlier read gave, with no write in between. */
  readonly fileRereads: number;
  /** Contents that were asked for at least three times by the same call, and rows of identical calls that gave anything else. */
  readonly loops: number;
  /** Steps that only read again what was lost. */
  readonly rereadSteps: number;
  /** Sum over all steps of the tokens that a later write had made useless. */
  readonly staleTokens: number;
  /** Standing items that the run came by, and those that its last view does not name. */
  readonly constraints: number;
  readonly goneConstraints: number;
  readonly paths: number;
  readonly gonePaths: number;
}

/** Nothing yet. */
export const NO_REGRET: RegretTotals = {
  references: 0,
  misses: 0,
  referencedTokens: 0,
  missedTokens: 0,
  evictions: 0,
  hasSlid: false,
  regretMs: 0,
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
