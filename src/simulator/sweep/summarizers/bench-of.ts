import type { BenchConditions } from '../../report/summarizers/summary-row.ts';
import type { TrialContext } from './run-trial.ts';
import { summaryHash } from './scenario.ts';

/** What all rows of a comparison are made under. */
export interface Bench {
  /** Of all conditions. */
  readonly hash: string;
  readonly conditions: BenchConditions;
}

/** What rows have to share to be compared, besides their session. */
export function benchOf(
  { policy, model, seed, compactAt, pivots }: TrialContext,
  tokenizer: string,
): Bench {
  const { summary, ...rest } = policy;
  const { instruction: _, ...summaryRest } = summary;
  const limits = compactAt === undefined ? { ...model.limits, model: model.id } : 'none';
  const at = compactAt ?? 'policy';
  return {
    hash: hashPlain({ rest, summaryRest, seed, at, pivots, limits, tokenizer }),
    conditions: {
      policy: hashPlain({ rest, summaryRest }),
      ...(compactAt === undefined && { model: hashPlain(limits) }),
      pivots: String(pivots),
      places: String(at),
      tokenizer,
      seed: String(seed),
    },
  };
}

/** What is absent weighs nothing. */
function hashPlain(value: unknown): string {
  return summaryHash(JSON.parse(JSON.stringify(value)));
}
