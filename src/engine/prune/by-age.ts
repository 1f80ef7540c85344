import { type Fold, foldOver, type List } from '../history.ts';
import type { Message } from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { ByAgeOptions } from '../prune-policy.ts';
import type { PrunePlan } from '../state.ts';
import { type Chosen, planOf, judgeByAge, placeOf, weigh } from './plan.ts';

/** One version of the prune: how its pass chooses, and whether it runs where nothing is configured. */
export interface PruneRule {
  readonly byAge: ByAgeOptions;
  readonly isOnByDefault: boolean;
}

/** The name of a prune rule. */
export type PruneRuleName = keyof typeof pruneRules;

/** The numbers of the released program, since the pass exists. */
export const DEFAULT_BY_AGE: ByAgeOptions = {
  protectTokens: 40_000,
  minimumTokens: 20_000,
  guardTurns: 2,
  protectedTools: ['skill'],
};

/** The options where nothing goes by age: no output is protected by it. */
export const ANY_AGE: ByAgeOptions = {
  protectTokens: 0,
  minimumTokens: 0,
  guardTurns: 0,
  protectedTools: [],
};

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

/**
 * Chooses old tool outputs to clear: those beyond the newest `protectTokens` of output, outside of the guarded turns,
 * back to the last summary or the last cleared output. The output that crosses the line is chosen whole. Source: design
 * documents 000, 002 and 003; OpenCode 1.0.190 to 1.14.18.
 */
export function planByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PrunePlan {
  const chosen: Chosen[] = [];
  if (foldOver(messages, outputFold(options, estimator)) <= options.protectTokens)
    return planOf([]);
  for (const judged of judgeByAge(messages, options, estimator)) {
    if (judged.type === 'end') {
      if (judged.givesUp) return planOf([]);
      break;
    }
    const { part, verdict, tokens = 0 } = judged;
    if (verdict === 'beyond-protect') chosen.push({ part, tokens });
  }
  return planOf(chosen, (tokens) => tokens > options.minimumTokens);
}

/** Tests if a release prunes, given its setting; `undefined` means that nothing is configured. */
export function isPruneOn(rule: PruneRuleName, configured: boolean | undefined): boolean {
  return configured ?? pruneRules[rule].isOnByDefault;
}

function outputFold(options: ByAgeOptions, estimator: EstimatorOptions): Fold<Message, number> {
  return {
    by: { name: 'outputs', rules: [options, estimator] },
    start: 0,
    add: (total, { parts }) =>
      parts.reduce(
        (sum, part) =>
          part.type === 'tool' && placeOf(part, options) === undefined
            ? sum + weigh(part, estimator)
            : sum,
        total,
      ),
  };
}
