import type { Limits } from '../engine/index.ts';
import { readCatalog } from '../simulator/provider/catalog.ts';
import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import { scaleLimits } from '../simulator/sweep/whatif/scale-limits.ts';
import { type PlanOptions, planRun, type RunPlan } from './run-plan.ts';

/** Which windows and models are to be tried; the model's own window where none is named. */
export interface Variants {
  readonly windows: readonly number[];
  readonly models: readonly string[];
}

const LIMIT_NAMES = ['inputTokens', 'outputTokens'] as const;

/** A plan for each window of each model, in that order. */
export function planVariants(
  options: Omit<PlanOptions, 'model'>,
  { windows, models }: Variants,
  environment: Readonly<Record<string, string | undefined>>,
): readonly RunPlan[] {
  const given = options.set.find((pair) => keyOf(pair) === 'contextTokens');
  if (given !== undefined && windows.length > 0) {
    const message = `Expected '--window' alone to say the window, got ${quoted(given)} too.`;
    throw new HarnessError('BAD_OPTION', message);
  }
  const { models: known } = readCatalog(options.catalog);
  return models.flatMap((model) => {
    if (windows.length === 0) return [planRun({ ...options, model }, environment)];
    return windows.map((window) => {
      const set = [...options.set, ...limitPairs(options.set, known.get(model)?.limits, window)];
      return planRun({ ...options, model, set }, environment);
    });
  });
}

/** A window with the caps that go with it, but for those that somebody has set. */
function limitPairs(
  set: readonly string[],
  declared: Limits | undefined,
  window: number,
): readonly string[] {
  const scaled = scaleLimits(declared ?? { contextTokens: 0 }, window);
  const own = new Set(set.map(keyOf));
  const caps = LIMIT_NAMES.flatMap((name) => {
    const tokens = scaled[name];
    return tokens === undefined || own.has(name) ? [] : [`${name}=${tokens}`];
  });
  return [`contextTokens=${window}`, ...caps];
}

function keyOf(pair: string): string {
  return pair.split('=', 1).join('').trim();
}
