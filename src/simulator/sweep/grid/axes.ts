import { policies, type Policy } from '../../../engine/index.ts';
import { checkEachOnce } from '../../each-once.ts';
import { badValue } from '../../bad-value.ts';
import { badOption } from '../../errors.ts';
import { named, quoted } from '../../names.ts';
import { namedSetting, parseSettingValue } from '../../scenario/parse-settings.ts';
import type { SettingValue } from '../../scenario/setting.ts';
import { settings, type SettingName } from '../../scenario/settings.ts';
import { splitAtCommas } from '../../split-at-commas.ts';
import { findSummarizer, makesWait } from '../../summarizer/summarizers.ts';
import type { CellChoice } from './resolve-cell.ts';

/** What a sweep varies, and over which values. */
export interface Axis {
  readonly key: AxisKey;
  readonly values: readonly SettingValue[];
}

/** A setting, or one of the names that a cell is made of. */
export type AxisKey = SettingName | ChoiceKey;

type ChoiceKey = 'policy' | 'model' | 'summarizer';

/** One value for each axis, in their order. */
export type Point = readonly SettingValue[];

/** Looks names up, so that a wrong one is told at once; which models there are only others know. */
const choices = {
  policy: (name: string) => named<Record<string, Policy>>('policy', policies, name).name,
  model: (name: string) => name,
  summarizer: (name: string) => (makesWait(name) ? name : findSummarizer(name).name),
} satisfies Record<ChoiceKey, (name: string) => string>;

/** Everything that can be varied. */
const axisKeys: Readonly<Record<string, unknown>> = { ...choices, ...settings };

/** Axes given as `KEY=a,b,c`, each key at most once, and each of its values. */
export function parseAxes(texts: readonly string[]): readonly Axis[] {
  const axes = new Map<string, Axis>();
  for (const text of texts) {
    const axis = parseAxis(text);
    if (axes.has(axis.key)) {
      throw badOption(`Expected ${quoted(axis.key)} to be varied once, got it twice.`);
    }
    axes.set(axis.key, axis);
  }
  return [...axes.values()];
}

/** An axis of names that may be given without one: several policies, models or summarizers, each once. */
export function toChoiceAxis(key: ChoiceKey, names: readonly string[]): Axis {
  const values = names.map((name) => choices[key](name));
  checkEachOnce(`--${key}`, names, values);
  return { key, values };
}

/** All points of a grid; the last axis changes fastest. Without axes there is one, of nothing. */
export function expandAxes(axes: readonly Axis[]): readonly Point[] {
  return axes.reduce<readonly Point[]>(
    (points, { values }) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
}

/** The choice that a point makes of what is common to all. */
export function toChoice(base: CellChoice, axes: readonly Axis[], point: Point): CellChoice {
  return axes.reduce((choice, { key }, index) => {
    const value = point[index];
    return value === undefined ? choice : withValue(choice, key, value);
  }, base);
}

/** The value that a choice has on an axis. */
export function valueOn(
  { key }: Axis,
  cell: Omit<CellChoice, 'policy' | 'model'> & {
    readonly policy: { readonly name: string };
    readonly model: { readonly id: string };
  },
): SettingValue | undefined {
  if (key === 'policy') return cell.policy.name;
  if (key === 'model') return cell.model.id;
  return key === 'summarizer' ? cell.summarizer : cell.settings[key];
}

function withValue(choice: CellChoice, key: AxisKey, value: SettingValue): CellChoice {
  if (key === 'policy') return { ...choice, policy: named('policy', policies, String(value)) };
  if (key === 'model' || key === 'summarizer') return { ...choice, [key]: String(value) };
  return { ...choice, settings: { ...choice.settings, [key]: value } };
}

function parseAxis(text: string): Axis {
  const index = text.indexOf('=');
  if (index < 0) throw badValue('--vary', 'KEY=a,b,c', text);
  const key = text.slice(0, index).trim();
  namedSetting(axisKeys, key);
  const texts = splitAtCommas([text.slice(index + 1)]);
  const values = texts.map((value) =>
    isChoice(key) ? choices[key](value) : parseSettingValue(key, value),
  );
  checkEachOnce(key, texts, values);
  return { key: key as AxisKey, values };
}

function isChoice(key: string): key is ChoiceKey {
  return Object.hasOwn(choices, key);
}
