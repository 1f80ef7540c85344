import { policies as presets } from '../../engine/index.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { checkEachOnce, quoted } from '../../simulator/lib/names.ts';
import { type Catalog, lookUpModel } from '../../simulator/provider/catalog.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import { type Arm, isArm, parseArm } from '../../simulator/scenario/arms.ts';
import { outsideOf, releaseIn } from '../../simulator/scenario/recording-agents.ts';
import {
  type Axis,
  type CellChoice,
  isChoice,
  parseAxes,
  toChoiceAxis,
} from '../../simulator/sweep/grid.ts';
import { parseNames } from './options.ts';
import { settingIn } from './settings.ts';

export interface AxisOptions {
  readonly policy?: string | readonly string[] | undefined;
  /** Else each session's own, that of the scenario, the configuration, or the default. */
  readonly model?: string | readonly string[] | undefined;
  readonly summarizer: string | readonly string[];
  readonly vary?: readonly string[];
  readonly set: readonly string[];
}

const MOST_CELLS = 100_000;
const CHOICES = ['policy', 'model', 'summarizer'] as const;

/** Several named policies, models or summarizers vary before everything else. */
export function readAxes(
  options: AxisOptions,
  arms: readonly Arm[],
  catalog: Catalog,
): readonly Axis[] {
  const varied = parseAxes(options.vary ?? []).map((axis) => withModels(axis, catalog));
  const chosen = CHOICES.flatMap((key) => {
    if (choicesOf(options, key).length > 0 && varied.some((axis) => axis.key === key))
      throw badOption(`Expected '--${key}' or '--vary ${key}', got both.`);
    const names =
      key === 'policy' ? arms.map(({ policy }) => policy.name) : choicesOf(options, key);
    return names.length > 1 ? [withModels(toChoiceAxis(key, names), catalog)] : [];
  });
  const axes = [...chosen, ...varied];
  for (const { key } of axes) checkNotSet(key, options.set, arms);
  const cells = axes.reduce((product, axis) => product * axis.values.length, 1);
  if (cells <= MOST_CELLS) return axes;
  throw badOption(`Expected at most ${MOST_CELLS} cells, got ${cells} of what is varied.`);
}

/** Today's axes, against which varied settings are held: the first names of each; none where no setting varies. */
export function withoutSettings(axes: readonly Axis[]): readonly Axis[] | undefined {
  const chosen = axes.filter(({ key }) => isChoice(key));
  if (chosen.length === axes.length) return undefined;
  return chosen.map(({ key, values }) => ({
    key,
    values: values.filter((value) => value !== presets.none.name).slice(0, 1),
  }));
}

/** The names that were given of a choice; what is no list has no commas. */
export function choicesOf(options: AxisOptions, key: (typeof CHOICES)[number]) {
  const { [key]: given = [] } = options;
  return typeof given === 'string'
    ? [given]
    : parseNames(`--${key}`, given, `names of ${key === 'policy' ? 'preset' : key}s`);
}

export function namesOf(choice: 'model' | 'summarizer', base: CellChoice, axes: readonly Axis[]) {
  const varied = axes.find(({ key }) => key === choice);
  return varied === undefined ? [base[choice]] : varied.values.map(String);
}

export function parsePolicies(lists: readonly string[]) {
  const texts = parseNames('--policy', lists, 'names of presets');
  checkEachOnce('--policy', texts, texts.map(nameOfPolicy));
  const simulated = texts.filter((text) => text !== RECORDED);
  return {
    arms: simulated.map(parseArm),
    isRecordedAsked: simulated.length < texts.length,
    notes: simulated.flatMap(describeOtherName),
  };
}

export function nameOfPolicy(text: string): string {
  if (text === RECORDED) return RECORDED;
  if (headOf(text) === RECORDED) {
    throw badOption(
      `Expected '${RECORDED}' without settings, got ${quoted(text)}: no setting changes what really happened.`,
    );
  }
  return parseArm(text).policy.name;
}

export function isPolicy(text: string) {
  return headOf(text) === RECORDED || isArm(text);
}

export function describeOutside(text: string): readonly string[] {
  const outside = outsideOf(parseArm(text).preset, releaseIn(headOf(text)));
  return outside === undefined
    ? []
    : [`${quoted(headOf(text))} lies outside of what was observed (${outside}).`];
}

function withModels(axis: Axis, catalog: Catalog) {
  if (axis.key !== 'model') return axis;
  const texts = axis.values.map(String);
  const values = texts.map((name) => lookUpModel(catalog, name)?.id ?? name);
  checkEachOnce('--model', texts, values);
  return { ...axis, values };
}

function checkNotSet(key: string, set: readonly string[], arms: readonly Arm[]) {
  const isOfArm = arms.some(({ settings }) => Object.hasOwn(settings, key));
  if (isOfArm || set.map(settingIn).includes(key))
    throw badOption(`Expected ${quoted(key)} to be either varied or set, got both.`);
}

function describeOtherName(text: string) {
  const { name } = parseArm(text).policy;
  return [
    ...(headOf(text) === headOf(name) ? [] : [`${quoted(text)} is ${quoted(name)} here.`]),
    ...describeOutside(text),
  ];
}

function headOf(text: string) {
  return text.trim().split(/\s+/, 1).join('');
}
