import { linearRegression } from 'simple-statistics';
import { groupBy } from '../../lib/collections.ts';
import type { EstimatorName } from './estimator.ts';
import type { GrowthSample, SessionSample, Weight } from './sample.ts';
import type { CharactersPerToken, CharactersPerTokenStatistics } from './workload.ts';

interface Output extends Weight {
  readonly tool: string;
}

/** Steps below which a line through them means nothing. */
const MIN_STEPS = 3;

/** How characters and tokens go together: on recorded growth where there is enough of it, else by the tokenizer. */
export function charactersPerToken(
  samples: readonly SessionSample[],
  estimator: EstimatorName,
): CharactersPerTokenStatistics {
  const growth = samples.flatMap((sample) => sample.growth);
  const outputs = estimator === 'chars4' ? [] : samples.flatMap(outputsOf);
  return {
    all: measure(growth) ?? estimate(outputs),
    byTool: Object.fromEntries(
      byKey(
        groupBy(growth, ({ tool }) => tool),
        groupBy(outputs, ({ tool }) => tool),
      ),
    ),
    byScript: Object.fromEntries(
      byKey(
        groupBy(growth, ({ script }) => script),
        groupBy(outputs, ({ script }) => script),
      ),
    ),
  };
}

function outputsOf({ calls }: SessionSample): readonly Output[] {
  return calls.flatMap(({ tool, output }) => (output === undefined ? [] : [{ tool, ...output }]));
}

function byKey<Key extends string>(
  growth: ReadonlyMap<Key, readonly GrowthSample[]>,
  outputs: ReadonlyMap<Key, readonly Weight[]>,
): readonly (readonly [Key, CharactersPerToken])[] {
  const keys = [...new Set([...growth.keys(), ...outputs.keys()])];
  return keys.flatMap((key) => {
    const found = measure(growth.get(key) ?? []) ?? estimate(outputs.get(key) ?? []);
    return found === null ? [] : [[key, found] as const];
  });
}

/** A line through tokens over characters; a slope that does not rise tells nothing. */
function measure(growth: readonly GrowthSample[]): CharactersPerToken | null {
  if (growth.length < MIN_STEPS) return null;
  const { m, b } = linearRegression(growth.map(({ characters, tokens }) => [characters, tokens]));
  if (!(m > 0)) return null;
  return { evidence: 'measured', n: growth.length, ratio: 1 / m, fixedTokens: b };
}

function estimate(weights: readonly Weight[]): CharactersPerToken | null {
  const characters = weights.reduce((sum, weight) => sum + weight.characters, 0);
  const tokens = weights.reduce((sum, weight) => sum + weight.tokens, 0);
  if (tokens === 0) return null;
  return {
    evidence: 'estimated',
    n: weights.length,
    ratio: characters / tokens,
    fixedTokens: null,
  };
}
