import { policies, type Policy } from '../../engine/index.ts';
import type { RunMode } from '../events.ts';
import { known } from '../lib/collections.ts';
import { badOption } from '../lib/errors.ts';
import { shortHash } from '../lib/json.ts';
import { badValue, checkEachOnce, quoted } from '../lib/names.ts';
import { splitAtCommas } from '../lib/text.ts';
import { type Catalog, findModelWithWindow } from '../provider/catalog.ts';
import { type ModelProfile, overrideProfile } from '../provider/model-profile.ts';
import { type AdapterPlace, adapterPlace, OWN_SUMMARIES } from '../replay/foreign/compactor.ts';
import { RECORDED, recordedArm, type RecordedArm } from '../replay/recorded.ts';
import { type Arm, parseArm, settleArm } from '../scenario/arms.ts';
import {
  applySettings,
  namedSetting,
  parseSettingValue,
  type ProviderOverrides,
  type SettingName,
  settings,
  type SettingValue,
  type SettingValues,
} from '../scenario/settings.ts';
import type { Asked } from '../summarizer/cassette.ts';
import type { SummarizerRegistry } from '../summarizer/open.ts';
import type { AsyncSummarizer } from '../summarizer/summarizer.ts';
import { findSummarizer, makesWait } from '../summarizer/summarizers.ts';

export interface Axis {
  readonly key: SettingName | ChoiceKey;
  readonly values: readonly SettingValue[];
}

type ChoiceKey = 'policy' | 'model' | 'summarizer';
type Point = readonly SettingValue[];

/** A complete cell as plain data, so that it can go to another thread or machine. */
export interface CellContent {
  readonly settings: SettingValues;
  readonly policy: Policy | RecordedArm | AdapterPlace;
  readonly model: ModelProfile;
  /** True where each session keeps its recorded models and windows; `model` is then that of most. */
  readonly onSetup?: true;
  /** The model that writes summaries, where it is another one; its window is what counts. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly summarizer: string;
  /** Everything besides the name that decides a real model's answers; absent if nothing does. */
  readonly asked?: AsyncSummarizer['settings'];
  /** Absent where recorded steps are replayed as they are. */
  readonly mode?: 'closed-loop';
}

export interface Cell extends CellContent {
  /** Hash of its content; the same on every machine. */
  readonly id: string;
}

export type SimulatedCell = Cell & { readonly policy: Policy };

/** A cell in names, before anything is looked up or applied. */
export interface CellChoice {
  readonly arm: Arm;
  readonly model: string;
  readonly summarizer: string;
  readonly settings: SettingValues;
}

export interface CellSources {
  readonly catalog: Catalog;
  readonly usual?: ModelProfile | undefined;
  /** Models that stand in the place of the catalog's; absent outside of scenarios. */
  readonly own?:
    | {
        readonly model?: ModelProfile | undefined;
        readonly provider: ProviderOverrides;
        readonly summaryModel?: ModelProfile | undefined;
      }
    | undefined;
  readonly summaryModel?: string | undefined;
  readonly summaryPrompt?: string | undefined;
  /** Who knows real models; without it there are only summarizers that need none. */
  readonly registry?: Pick<SummarizerRegistry, 'identify' | 'summaryModelOf'> | undefined;
  readonly mode?: RunMode;
}

const choices = {
  policy: (name: string) => {
    if (name === RECORDED)
      throw badOption(`Expected '--policy ${RECORDED}', got it among values that are varied.`);
    return parseArm(name).policy.name;
  },
  model: (name: string) => name,
  summarizer: (name: string) => (makesWait(name) ? name : findSummarizer(name).name),
} satisfies Record<ChoiceKey, (name: string) => string>;

const axisKeys: Readonly<Record<string, unknown>> = { ...choices, ...settings };

export function buildGrid(
  base: CellChoice,
  axes: readonly Axis[],
  sources: CellSources,
): readonly SimulatedCell[] {
  return expandAxes(axes).map((point) => resolveCell(toChoice(base, axes, point), sources));
}

export function parseAxes(texts: readonly string[]) {
  const axes = new Map<string, Axis>();
  for (const text of texts) {
    const axis = parseAxis(text);
    if (axes.has(axis.key))
      throw badOption(`Expected ${quoted(axis.key)} to be varied once, got it twice.`);
    axes.set(axis.key, axis);
  }
  return [...axes.values()];
}

export function toChoiceAxis(key: ChoiceKey, names: readonly string[]) {
  const values = names.map((name) => choices[key](name));
  checkEachOnce(`--${key}`, names, values);
  return { key, values };
}

/** All points of a grid; the last axis changes fastest. Without axes there is one, of nothing. */
export function expandAxes(axes: readonly Axis[]) {
  return axes.reduce<readonly Point[]>(
    (points, { values }) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
}

export function toChoice(base: CellChoice, axes: readonly Axis[], point: Point) {
  return axes.reduce((choice, { key }, index) => {
    const value = point[index];
    if (value === undefined) return choice;
    if (key === 'policy') return { ...choice, arm: parseArm(String(value)) };
    if (key === 'model' || key === 'summarizer') return { ...choice, [key]: String(value) };
    return { ...choice, settings: { ...choice.settings, [key]: value } };
  }, base);
}

export function toCell<Content extends CellContent>(content: Content) {
  return { ...content, id: shortHash(content) };
}

/** The cell of sessions as they were recorded, at the list prices of a model. */
export function recordedCell({ model, onSetup, mode }: CellContent): Cell {
  const content = { settings: {}, policy: recordedArm, model, summarizer: RECORDED };
  return toCell({ ...content, ...known({ onSetup, mode }) });
}

/** The cell of somebody's own compaction against a model: no setting of a policy changes it. */
export function adapterCell({ model, onSetup }: CellContent): Cell {
  const content = { settings: {}, policy: adapterPlace, model, summarizer: OWN_SUMMARIES };
  return toCell({ ...content, ...known({ onSetup }) });
}

export function isChoice(key: string): key is ChoiceKey {
  return Object.hasOwn(choices, key);
}

export function eachOnce<One extends Cell>(cells: readonly One[]): readonly One[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}

export function isPolicy(arm: Policy | RecordedArm | AdapterPlace): arm is Policy {
  return 'trigger' in arm;
}

export function isSimulated<Content extends Pick<CellContent, 'policy'>>(
  cell: Content,
): cell is Content & { readonly policy: Policy } {
  return isPolicy(cell.policy);
}

export function resolveCell(choice: CellChoice, sources: CellSources): SimulatedCell {
  const { settings } = choice;
  const { usual, own, mode } = sources;
  const model = findProfile(choice, sources);
  // The control keeps its own rules, but meets the same model.
  const { limits, provider } = applySettings(
    { policy: policies.none, limits: model.limits },
    settings,
  );
  const { summaryModel, ...answering } = resolveSummarizer(choice, sources);
  return toCell({
    settings,
    policy: settleArm(choice.arm, { ...sources, limits, shared: settings }),
    model: overrideProfile(model, limits, {
      ...(model === own?.model && own.provider),
      ...provider,
    }),
    ...(model === usual && { onSetup: true as const }),
    ...(summaryModel && { summaryModel }),
    ...answering,
    ...(mode === 'closed-loop' && { mode }),
  });
}

export function findProfile(
  { model: name, settings: { contextTokens } }: Pick<CellChoice, 'model' | 'settings'>,
  { catalog, usual, own }: Pick<CellSources, 'catalog' | 'usual' | 'own'>,
) {
  const given = [usual, own?.model].find((model) => model?.id === name);
  const windowTokens = typeof contextTokens === 'number' ? contextTokens : undefined;
  return given ?? findModelWithWindow(catalog, name, windowTokens);
}

function parseAxis(text: string) {
  const index = text.indexOf('=');
  if (index < 0) throw badValue('--vary', 'KEY=a,b,c', text);
  const key = text.slice(0, index).trim();
  namedSetting(axisKeys, key);
  const texts = splitAtCommas([text.slice(index + 1)]);
  const values = texts.map((value) =>
    isChoice(key) ? choices[key](value) : parseSettingValue(key, value),
  );
  checkEachOnce(key, texts, values);
  return { key: key as Axis['key'], values };
}

function resolveSummarizer(
  { summarizer }: CellChoice,
  { catalog, own, summaryModel: id, registry }: CellSources,
) {
  const { name, settings: asked }: Asked =
    registry === undefined
      ? { name: findSummarizer(summarizer).name }
      : registry.identify(summarizer);
  const given = own?.summaryModel;
  const lent = id === undefined || id === given?.id ? given : catalog.models.get(id);
  return {
    summarizer: name,
    summaryModel: registry === undefined ? lent : registry.summaryModelOf(summarizer, lent),
    ...(asked && Object.keys(asked).length > 0 && { asked }),
  };
}
