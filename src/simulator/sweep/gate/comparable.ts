import { quoted } from '../../names.ts';
import type { Baseline, BaselineHeader, ScenarioRecord } from './baseline.ts';
import type { CaseProvenance } from './case-record.ts';

/** What of a header two baselines must have in common, with the word for it. */
const HEADER_FACTS = {
  schemaVersion: 'schema version',
  scorerVersion: 'scorer version',
  catalog: 'catalog',
} as const satisfies Partial<Record<keyof BaselineHeader, string>>;

/** What of a run two sides must have in common; its policy is what a gate is about, and its prompts with it. */
const RUN_FACTS = {
  policy: 'preset',
  model: 'model',
  summarizer: 'summarizer',
  seed: 'seed',
  tokenizer: 'tokenizer',
} as const satisfies Partial<Record<keyof CaseProvenance, string>>;

/** Why a baseline as a whole cannot be compared with; empty where it can. */
export function baselineMismatches(
  { header, doubles = [] }: Baseline,
  now: BaselineHeader,
): readonly string[] {
  const mismatches = factMismatches(HEADER_FACTS, header, now);
  // By another schema nothing else can be read.
  const told = header.schemaVersion === now.schemaVersion ? mismatches : mismatches.slice(0, 1);
  return [...told.map((difference) => `The baseline has a different ${difference}.`), ...doubles];
}

/** Why a scenario cannot be compared with its baseline; empty where it can. */
export function scenarioMismatches(
  { scenario, source, runs }: ScenarioRecord,
  { scenarios }: Baseline,
): readonly string[] {
  const known = scenarios.get(scenario);
  if (known === undefined) return [`Scenario ${quoted(scenario)} is not in the baseline.`];
  const mismatch = sourceMismatch(known, source);
  if (mismatch !== undefined) return [mismatch];
  return runs.flatMap(({ run, made }) => {
    const base = known.runs.find((one) => one.run === run);
    const place = `Run ${quoted(run)} of scenario ${quoted(scenario)}`;
    if (base === undefined) return [`${place} is not in the baseline.`];
    return factMismatches(RUN_FACTS, base.made, made).map(
      (difference) => `${place} was made with a different ${difference}.`,
    );
  });
}

/** Why runs of a file with that hash are not those of a record; `undefined` where they are. */
export function sourceMismatch(
  { scenario, source }: ScenarioRecord,
  now: string,
): string | undefined {
  if (source === now) return undefined;
  return `Scenario ${quoted(scenario)} has changed since the baseline was written.`;
}

function factMismatches<Facts extends object>(
  names: { readonly [Name in keyof Facts]?: string },
  baseline: Facts,
  now: Facts,
): readonly string[] {
  const keys = Object.keys(names) as unknown as readonly (keyof Facts)[];
  return keys
    .filter((key) => baseline[key] !== now[key])
    .map((key) => `${names[key]}: ${String(baseline[key])}, now ${String(now[key])}`);
}
