import { named } from '../../simulator/names.ts';
import {
  charsEstimator,
  type Estimator,
  type EstimatorName,
} from '../../simulator/session/statistics/estimator.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';

/** What can weigh texts, by name, the default first; a tokenizer is loaded when it is asked for. */
const estimators = {
  chars4: async () => charsEstimator,
  o200k_base: async (counters) => ({
    name: 'o200k_base',
    tokensOf: await counters.ofEncoding('o200k_base'),
  }),
  cl100k_base: async (counters) => ({
    name: 'cl100k_base',
    tokensOf: await counters.ofEncoding('cl100k_base'),
  }),
} satisfies Record<EstimatorName, (counters: Counters) => Promise<Estimator>>;

/** The estimator of that name. */
export function loadEstimator(name: string, counters: Counters): Promise<Estimator> {
  return named('estimator', estimators, name)(counters);
}
