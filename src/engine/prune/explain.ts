import type { Message } from '../message.ts';
import { judgeAllOutputs } from './all-outputs.ts';
import { judgeByRank, type RankKnowledge, type RankRules } from './by-rank.ts';
import { type EvictionName } from '../policy.ts';
import { judgeByAge, type Judgement, type JudgedOutput } from './judge-by-age.ts';
import { judgeKeepLast, KEEP_ALL } from './keep-last.ts';
import { type PrunePlan } from '../state.ts';
import { planPrune } from './prune.ts';

/** What a prune decided, with all that it came by on the way. */
export interface PruneExplanation {
  readonly plan: PrunePlan;
  /** Every tool output of the history, newest first, and the place at which a scan by age ended. */
  readonly judgements: readonly Judgement[];
  /** What was weighed: chosen or within the protected tokens. */
  readonly weighedTokens: number;
  /** What a saving must be larger than; absent where any will do. */
  readonly minimumTokens?: number;
  /** How much is always kept; absent where nothing is. */
  readonly protectTokens?: number;
  /** How many newest outputs are always kept; absent where they are not counted. */
  readonly keptOutputs?: number;
  /** In whose order outputs went; absent where the pass chose them itself. */
  readonly evicts?: EvictionName;
}

/** Explains the prune of a policy over a history: the plan that is carried out, and by a scan of all outputs why each stays or goes. Pure. */
export function explainPrune(
  policy: RankRules,
  history: readonly Message[],
  knowledge: RankKnowledge = {},
): PruneExplanation {
  const { prune, estimator } = policy;
  const { plan } = planPrune(policy, history, knowledge);
  if (prune.evicts !== undefined) {
    const { pass, evicts, byAge } = prune;
    const minimum = pass === 'by-age' && { minimumTokens: byAge.minimumTokens };
    return { ...explained(plan, judgeByRank(history, policy, plan)), ...minimum, evicts };
  }
  if (prune.pass === 'all-outputs') {
    return explained(plan, judgeAllOutputs(history, estimator));
  }
  if (prune.pass === 'keep-last') {
    const { keepLast = KEEP_ALL } = prune;
    const keptOutputs = keepLast.outputs;
    return { ...explained(plan, judgeKeepLast(history, keepLast, estimator)), keptOutputs };
  }
  const { minimumTokens, protectTokens } = prune.byAge;
  const judgements = judgeByAge(history, prune.byAge, estimator);
  return { ...explained(plan, judgements), minimumTokens, protectTokens };
}

function explained(plan: PrunePlan, judgements: readonly Judgement[]): PruneExplanation {
  const outputs = judgements.filter((judged): judged is JudgedOutput => judged.type === 'output');
  const weighedTokens = outputs.reduce((total, { tokens = 0 }) => total + tokens, 0);
  return { plan, judgements, weighedTokens };
}
