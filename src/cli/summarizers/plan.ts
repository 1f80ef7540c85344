import type { Environment } from '../../simulator/environment.ts';
import { policies as presets } from '../../engine/index.ts';
import { badOption } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import type { SummaryRow } from '../../simulator/report/summarizers/summary-row.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import type { SummaryArm } from '../../simulator/sweep/summarizers/arm.ts';
import { benchOf } from '../../simulator/sweep/summarizers/bench-of.ts';
import {
  type SharedFields,
  whyIncomparable,
  whyNotShared,
  whySettingsDiffer,
} from '../../simulator/sweep/summarizers/comparable.ts';
import type { RowsFile } from '../../simulator/sweep/summarizers/rows-file.ts';
import { type ArmsContext, settingsOf } from '../../simulator/sweep/summarizers/run-arms.ts';
import { tokenizerOf } from '../../simulator/tokens/tokenizer-of.ts';
import type { ModelOptions } from '../models/options.ts';
import { originOf } from '../run/origin.ts';
import { type PlanOptions, planLive } from '../run/plan.ts';
import { type ArmOptions, planArms } from './arms.ts';
import { parseRepeats } from '../options/parse-repeats.ts';
import { parsePivots } from './options.ts';

/** What is compared and how, as text from the command line. */
export interface ComparisonOptions
  extends Omit<PlanOptions, 'policy' | 'summarizer'>,
    ModelOptions,
    ArmOptions {
  readonly policy: string;
  readonly pivots?: string | undefined;
  readonly compactAt?: string | undefined;
  readonly repeat: string;
}

/** What is compared, and the registry of its summarizers. */
export interface SummarizersPlan {
  readonly context: Omit<ArmsContext, 'known' | 'signal' | 'panel'>;
  readonly origin: Origin;
  readonly registry: SummarizerRegistry;
  /** What somebody may not expect of it, one sentence each. */
  readonly notes: readonly string[];
}

/** Checks everything that a comparison is made of; throws at the first thing that is wrong. */
export function planSummarizers(
  options: ComparisonOptions,
  environment: Environment,
): SummarizersPlan {
  const {
    policy: name,
    summarizers: [first = ''],
  } = options;
  const { plan, registry } = planLive(
    { ...options, policy: [name], summarizer: first },
    environment,
  );
  const [policy] = plan.policies;
  if (policy === undefined || plan.policies.length > 1 || policy.cut.keep === 'everything') {
    const got = quoted(name);
    throw badOption(
      `Expected '--policy' to be one preset that compacts, got ${got}; ${quoted(presets.none.name)} never does.`,
    );
  }
  const { model, seed, notes, catalog, settings } = plan;
  const trial = { policy, model, seed, ...parsePivots(options.pivots, options.compactAt) };
  const bench = benchOf(trial, tokenizerOf(model.id).name);
  const arms = planArms(options, policy, registry);
  const context = {
    ...trial,
    arms,
    bench,
    repeats: parseRepeats('--repeat', options.repeat),
  };
  const origin = originOf(catalog, [model.id], settings.values);
  return { context, origin, registry, notes };
}

/** Known before anything is run; with several prompts an arm has both names. */
export function checkBase(
  base: string,
  arms: readonly SummaryArm[],
  rows: readonly SummaryRow[],
): void {
  const planned = arms.map(({ summarizer, prompt }) => [summarizer.name, prompt.name] as const);
  const earlier = rows.map(({ summarizer, prompt }) => [summarizer, prompt] as const);
  const names = [...planned, ...earlier].flatMap(([name, prompt]) => [
    name,
    `${name} with ${prompt}`,
  ]);
  named('arm', Object.fromEntries(names.map((name) => [name, name])), base);
}

/** Why rows that are kept cannot stand beside those that are to come; absent where they can. */
export function whyOthers(
  { rows, hasOtherVersion }: RowsFile,
  shared: SharedFields,
  arms: readonly SummaryArm[],
): string | undefined {
  if (hasOtherVersion) return 'the rows differ in their version of rows';
  const planned = arms.map(({ summarizer }) => ({
    summarizer: summarizer.name,
    settings: settingsOf(summarizer),
  }));
  return (
    whyNotShared(rows, shared) ?? whyIncomparable(rows) ?? whySettingsDiffer([...rows, ...planned])
  );
}
