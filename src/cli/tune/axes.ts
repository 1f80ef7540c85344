import { badOption } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import type { SettingValue } from '../../simulator/scenario/setting.ts';
import { type Axis, parseAxes, toChoice } from '../../simulator/sweep/grid/axes.ts';
import {
  type CellChoice,
  type CellSources,
  resolveCell,
} from '../../simulator/sweep/grid/resolve-cell.ts';
import { effectiveKey } from '../../simulator/sweep/run/effective-key.ts';
import { type Constraint, isWithin } from '../../simulator/sweep/tune/constraint.ts';
import { defaultAxes, type SettingAxis } from '../../simulator/sweep/tune/default-axes.ts';
import type { InUse } from '../../simulator/sweep/tune/today.ts';

/** The cell that settings start from, and what is in use there. */
export interface Today {
  readonly inUse: InUse;
  readonly base: CellChoice;
  readonly sources: CellSources;
}

/** Names that axes may have and that are no settings. */
const CHOICES: readonly string[] = ['policy', 'model', 'summarizer'];

/**
 * The settings that are tuned with the values that constraints leave of each: those that `--vary` names, else those
 * that make a difference. Throws where nothing is left, and where a constraint bounds what does not vary.
 */
export function planAxes(
  vary: readonly string[],
  constraints: readonly Constraint[],
  today: Today,
): readonly SettingAxis[] {
  const given = parseAxes(vary).map(toSettingAxis);
  const chosen = given.length === 0 ? chooseAxes(today) : given;
  const axes = chosen.map((axis) => narrow(axis, constraints));
  checkBounded(axes, constraints);
  return axes;
}

function toSettingAxis(axis: Axis): SettingAxis {
  if (isSettingAxis(axis)) return axis;
  throw badOption(
    `Expected '--vary' to name a setting, got ${quoted(axis.key)}: only 'sweep' and 'compare' vary it.`,
  );
}

function isSettingAxis(axis: Axis): axis is SettingAxis {
  return !CHOICES.includes(axis.key);
}

/** A default grid; throws where nothing of the policy would make a difference. */
function chooseAxes({ inUse, base, sources }: Today): readonly SettingAxis[] {
  const keyAt = (axis: SettingAxis, value: SettingValue) =>
    effectiveKey(resolveCell(toChoice(base, [axis], [value]), sources));
  const axes = defaultAxes(
    inUse,
    (axis) => new Set(axis.values.map((value) => keyAt(axis, value))).size > 1,
  );
  if (axes.length > 0) return axes;
  throw badOption(
    `Expected '--vary' to name what to tune, because ${quoted(base.policy.name)} has no number of its own that makes a difference on ${quoted(base.model)}.`,
  );
}

/** An axis without the values that a constraint on its setting forbids. */
function narrow(axis: SettingAxis, constraints: readonly Constraint[]): SettingAxis {
  const own = constraints.filter(({ of, name }) => of === 'setting' && name === axis.key);
  const values = axis.values.filter((value) =>
    own.every((constraint) => isWithin(value, constraint)),
  );
  if (values.length > 0) return { key: axis.key, values };
  throw badOption(
    `Expected '--within' to leave at least one value of '${axis.key}', got none of ${axis.values.join(', ')}.`,
  );
}

/** What does not vary has one value, which no range can choose. */
function checkBounded(axes: readonly SettingAxis[], constraints: readonly Constraint[]): void {
  const varied: readonly string[] = axes.map(({ key }) => key);
  const other = constraints.find(({ of, name }) => of === 'setting' && !varied.includes(name));
  if (other === undefined) return;
  throw badOption(
    `Expected '--within' to bound a metric or a setting that varies (${varied.join(', ')}), got ${quoted(other.name)}.`,
  );
}
