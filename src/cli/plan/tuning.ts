import { policies as presets } from '../../engine/index.ts';
import { badValue, checkEachOnce } from '../../simulator/lib/names.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import { resolveCell } from '../../simulator/sweep/grid.ts';
import { meetSetup } from '../../simulator/sweep/run/meet-setup.ts';
import { findObjective, parseConstraint } from '../../simulator/sweep/tune/constraint.ts';
import {
  type GridPlan,
  planPoints,
  type ScreenPlan,
  type Search,
} from '../../simulator/sweep/tune/points.ts';
import { DEFAULT_SUMMARIZER, parseNames } from './options.ts';
import { onlyPolicy, type Plan } from './plan.ts';

export type Tuning = Plan & Search;

export interface TuneSearchOptions {
  readonly objective: readonly string[];
  readonly vary: readonly string[];
  readonly within: readonly string[];
  readonly holdOut: string;
}

const SHARE = /^0?\.\d+$|^0$/;

/** The objectives and bounds of a search. Throws at the first thing that is wrong. */
export function parseSearch({ objective, within, holdOut }: TuneSearchOptions) {
  const names = parseNames('--objective', objective, 'names of metrics');
  const objectives = names.map(findObjective);
  const found = objectives.map(({ metric }) => metric);
  checkEachOnce('--objective', names, found);
  const constraints = within.map(parseConstraint);
  if (SHARE.test(holdOut)) return { objectives, constraints, heldOutShare: Number(holdOut) };
  throw badValue('--hold-out', 'a share of the sessions of at least 0 and below 1', holdOut);
}

/** The search of a plan of one policy. Without axes it is a screen. */
export function planTuning(
  plan: Plan,
  options: TuneSearchOptions,
): Tuning & (GridPlan | ScreenPlan) {
  const { arms, sources, setup, seeds } = plan;
  const recorded = plan.recorded.isAsked ? 'asked' : 'where-known';
  onlyPolicy({ policies: arms.map(({ policy }) => policy), recorded });
  const { settings: own, ...named } = plan.base.arm;
  // What the arm sets can be varied as well.
  const settings = { ...plan.base.settings, ...own };
  const base = { ...plan.base, arm: { ...named, settings: {} }, settings };
  const today = resolveCell(base, sources);
  // A trigger is tried also where the agent has none today.
  const { policy, model } = meetSetup(today, setup?.isRefusalOnly ? undefined : setup);
  // The control asks for no summary.
  const never = { ...base, arm: parseArm(presets.none.name), summarizer: DEFAULT_SUMMARIZER };
  const search = {
    ...parseSearch(options),
    seed: seeds[0] ?? 0,
    base,
    sources,
    today,
    control: resolveCell(never, sources),
    inUse: { policy, limits: model.limits },
    setup,
  };
  return { ...plan, ...search, ...planPoints(search, options.vary) };
}
