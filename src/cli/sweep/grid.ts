import type { Environment } from '../../simulator/environment.ts';
import { policies } from '../../engine/index.ts';
import { badOption } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import type { Catalog } from '../../simulator/provider/catalog.ts';
import type { RunMode } from '../../simulator/events.ts';
import { type Axis, parseAxes, toChoiceAxis } from '../../simulator/sweep/grid/axes.ts';
import { buildGrid, type Grid } from '../../simulator/sweep/grid/build-grid.ts';
import { splitAtCommas } from '../../simulator/split-at-commas.ts';
import { findGridModels, type GridModels } from '../models/live-cells.ts';
import type { ModelOptions } from '../models/options.ts';
import { describeUnasked } from '../models/unasked.ts';
import { parseNames } from '../options/parse-names.ts';
import { parseRepeats } from '../options/parse-repeats.ts';
import {
  DEFAULT_MODEL,
  DEFAULT_POLICY,
  DEFAULT_SUMMARIZER,
  readMode,
} from '../options/plan-options.ts';
import { openRegistry, parseSeed } from '../run/plan.ts';
import { describeGiven } from '../run/notes.ts';
import { readSettings, settingIn, type SettingSources } from '../run/settings.ts';

/** What the command line says of a grid, as text. */
export interface GridOptions extends SettingSources, ModelOptions {
  /** `KEY=a,b,c` each. */
  readonly vary: readonly string[];
  /** Names, each possibly several with commas between; several are varied. */
  readonly policy?: readonly string[] | undefined;
  readonly model?: readonly string[] | undefined;
  readonly summarizer?: readonly string[] | undefined;
  readonly trials: string;
  readonly seed: string;
  readonly catalog?: string | undefined;
  readonly closedLoop?: true | undefined;
}

/** A grid with what its runs need besides. */
export interface SweepGrid extends Grid {
  readonly seeds: readonly number[];
  readonly catalog: Catalog;
  readonly mode: RunMode;
  /** Absent where nobody makes others wait. */
  readonly models?: GridModels | undefined;
  /** What somebody may not expect of it, one sentence each. */
  readonly notes: readonly string[];
}

const MOST_CELLS = 100_000;

const CHOICES = ['policy', 'model', 'summarizer'] as const;
type Choice = (typeof CHOICES)[number];

/** What several names of each are, in the words of an error. */
const NAMES_OF: Readonly<Record<Choice, string>> = {
  policy: 'names of presets',
  model: 'names of models',
  summarizer: 'names of summarizers',
};

/** Checks everything that a grid is made of; throws at the first thing that is wrong. */
export function planGrid(options: GridOptions, environment: Environment): SweepGrid {
  const axes = readAxes(options);
  const settings = readSettings(options, environment);
  const { values, config, summaryPrompt } = settings;
  for (const { key } of axes) checkNotSet(key, options.set);
  const seeds = readSeeds(options);
  const cells = axes.reduce((product, axis) => product * axis.values.length, 1);
  if (cells > MOST_CELLS) {
    throw badOption(`Expected at most ${MOST_CELLS} cells, got ${cells} of what is varied.`);
  }
  const opened = openRegistry(options, environment);
  const { catalog, registry } = opened;
  const policy = first(options.policy, DEFAULT_POLICY);
  const model = first(options.model, DEFAULT_MODEL);
  const summarizer = first(options.summarizer, DEFAULT_SUMMARIZER);
  const base = { policy: named('policy', policies, policy), model, summarizer, settings: values };
  const mode = readMode(options);
  const own = { catalog, registry, mode };
  const grid = buildGrid(base, axes, { ...own, summaryModel: config?.summaryModel, summaryPrompt });
  const summarizers = namesOf('summarizer', summarizer, axes);
  const models = findGridModels(summarizers, seeds[0] ?? 0, opened);
  const notes = [
    ...describeGiven({ settings, models: namesOf('model', model, axes), catalog }),
    ...describeUnasked(options, summarizers),
  ];
  return { ...grid, seeds, catalog, mode, models, notes };
}

/** Names as they were asked for. */
function namesOf(choice: Choice, base: string, axes: readonly Axis[]): readonly string[] {
  const varied = axes.find(({ key }) => key === choice);
  return varied === undefined ? [base] : varied.values.map(String);
}

/** Where several policies, models or summarizers are named, they are varied before everything else. */
function readAxes(options: GridOptions): readonly Axis[] {
  const varied = parseAxes(options.vary);
  const chosen = CHOICES.flatMap((key) => {
    const names = parseNames(`--${key}`, options[key] ?? [], NAMES_OF[key]);
    if (names.length > 0 && varied.some((axis) => axis.key === key)) {
      throw badOption(`Expected '--${key}' or '--vary ${key}', got both.`);
    }
    return names.length > 1 ? [toChoiceAxis(key, names)] : [];
  });
  return [...chosen, ...varied];
}

function first(lists: readonly string[] | undefined, byDefault: string): string {
  return lists === undefined ? byDefault : (splitAtCommas(lists)[0] ?? '');
}

function checkNotSet(key: string, set: readonly string[]): void {
  if (set.map(settingIn).includes(key)) {
    throw badOption(`Expected ${quoted(key)} to be either varied or set, got both.`);
  }
}

function readSeeds({ trials, seed }: GridOptions): readonly number[] {
  const count = parseRepeats('--trials', trials);
  const start = parseSeed(seed);
  return Array.from({ length: count }, (_, index) => parseSeed(String(start + index)));
}
