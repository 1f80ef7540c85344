/** Reads `--tier`: which runs are made, and what answers in them. */

import { HarnessError } from '../../simulator/errors.ts';
import { named } from '../../simulator/names.ts';
import type { Catalog } from '../../simulator/provider/catalog.ts';
import { type Tier, TIERS } from '../../simulator/scenario/tier.ts';
import { openSummarizers, type SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import type { CheckEnvironment } from '../../simulator/sweep/check/run-scenario.ts';
import type { CliIo } from '../process/io.ts';
import { type ModelOptions, parseModelOptions } from '../models/options.ts';

/** What a tier runs: recordings and real models need what answers for them. */
export type TierOptions = Pick<CheckEnvironment, 'findSummarizer' | 'tiers'>;

/** A tier with the registry of the models that answer in it. */
export interface ChosenTier extends TierOptions {
  readonly registry: SummarizerRegistry;
}

/** What runs where no tier was named, in the words of an error. */
export const NO_MODEL = 'runs that ask no model';

const NEEDS_NO_MODEL: readonly Tier[] = ['deterministic', 'cassette'];

/** The tiers that were asked for, those that need no model by default, and what answers in them. */
export function chooseTier(
  name: string | undefined,
  options: ModelOptions,
  { io, catalog }: { readonly io: CliIo; readonly catalog: Catalog },
): ChosenTier {
  const byName = Object.fromEntries(TIERS.map((tier) => [tier, [tier]]));
  const tiers = name === undefined ? NEEDS_NO_MODEL : named('tier', byName, name);
  const settings = parseModelOptions(options, io.env);
  const registry = openSummarizers(settings, { environment: io.env, profiles: catalog.models });
  return { tiers, findSummarizer: (summarizer) => registry.find(summarizer), registry };
}

/** What is thrown where no scenario has a run of the tier. */
export function noRunsOfTier(): HarnessError {
  return new HarnessError(
    'NO_INPUT',
    "Expected scenarios with runs of this tier, got none; '--tier' selects another.",
  );
}
