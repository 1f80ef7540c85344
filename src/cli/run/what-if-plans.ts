import type { Environment } from '../../simulator/environment.ts';
import type { Limits } from '../../engine/index.ts';
import { badOption } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { scaleLimits } from '../../simulator/sweep/whatif/scale-limits.ts';
import type { ModelOptions } from '../models/options.ts';
import { type LivePlan, openRegistry, type PlanOptions, planLive } from './plan.ts';
import { settingIn } from './settings.ts';

/** Which windows and models are to be tried; the model's own window where none is named. */
export interface Variants {
  readonly windows: readonly number[];
  readonly models: readonly string[];
}

const LIMIT_NAMES = ['inputTokens', 'outputTokens'] as const;

/** A plan for each window of each model, in that order. */
export function planVariants(
  options: Omit<PlanOptions, 'model'> & ModelOptions,
  { windows, models }: Variants,
  environment: Environment,
): { readonly plans: readonly LivePlan[]; readonly registry: SummarizerRegistry } {
  const given = options.set.find((pair) => settingIn(pair) === 'contextTokens');
  if (given !== undefined && windows.length > 0) {
    throw badOption(`Expected only '--window' to set the window, got ${quoted(given)} too.`);
  }
  const opened = openRegistry(options, environment);
  const { models: known } = opened.catalog;
  const plan = (model: string, set: readonly string[]) =>
    planLive({ ...options, model, set }, environment, opened).plan;
  const plans = models.flatMap((model) => {
    if (windows.length === 0) return [plan(model, options.set)];
    return windows.map((window) =>
      plan(model, [...options.set, ...limitPairs(options.set, known.get(model)?.limits, window)]),
    );
  });
  return { plans, registry: opened.registry };
}

/** A window with the caps that go with it, but for those that somebody has set. */
function limitPairs(
  set: readonly string[],
  declared: Limits | undefined,
  window: number,
): readonly string[] {
  const scaled = scaleLimits(declared ?? { contextTokens: 0 }, window);
  const own = new Set(set.map(settingIn));
  const caps = LIMIT_NAMES.flatMap((name) => {
    const tokens = scaled[name];
    return tokens === undefined || own.has(name) ? [] : [`${name}=${tokens}`];
  });
  return [`contextTokens=${window}`, ...caps];
}
