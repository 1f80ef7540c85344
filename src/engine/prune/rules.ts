import { type ByAgeOptions } from '../policy.ts';
import { DEFAULT_BY_AGE } from './by-age.ts';

/** One version of the prune: how its pass chooses, and whether it runs where nothing is configured. */
export interface PruneRule {
  readonly byAge: ByAgeOptions;
  readonly isOnByDefault: boolean;
}

const withoutProtectedTools: ByAgeOptions = { ...DEFAULT_BY_AGE, protectedTools: [] };
const fromSecondNewestMessage: ByAgeOptions = {
  ...withoutProtectedTools,
  guardTurns: 0,
  skipNewestMessages: 1,
  atSummary: 'abort',
};

/** Prune rules by the release from which each holds. Source: OpenCode release history (P1–P4). */
export const pruneRules = {
  /** P1: a scan of all but the newest message, which a summary anywhere in its way gives up. */
  'v0.9.5': { byAge: fromSecondNewestMessage, isOnByDefault: true },
  /** P2: the two newest user turns are guarded, and a summary only ends the scan. */
  'v0.9.9': { byAge: withoutProtectedTools, isOnByDefault: true },
  /** P3: skills are skipped; design documents 000, 002 and 003. */
  'v1.0.190': { byAge: DEFAULT_BY_AGE, isOnByDefault: true },
  /** P4: the same pass, which must be asked for. */
  'v1.14.19': { byAge: DEFAULT_BY_AGE, isOnByDefault: false },
} satisfies Record<string, PruneRule>;

/** The name of a prune rule. */
export type PruneRuleName = keyof typeof pruneRules;

/** Whether a release prunes, given what is configured; `undefined` means that nothing is. */
export function isPruneOn(rule: PruneRuleName, configured: boolean | undefined): boolean {
  return configured ?? pruneRules[rule].isOnByDefault;
}
