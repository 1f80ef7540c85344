import { HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { listed } from '../../simulator/lib/text.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import { flakeFormats, type FlakeReport } from '../../simulator/report/flake.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { type Scenario, TIERS } from '../../simulator/scenario/scenario.ts';
import { createFlake, reseed } from '../../simulator/sweep/gate/flake.ts';
import { type CheckEnvironment, runScenario } from '../../simulator/sweep/gate/run-scenario.ts';
import {
  chooseTier,
  findScenarios,
  modelsAskedBy,
  NO_MODEL,
  noRunsOfTier,
} from '../check-scenarios.ts';
import { nothingRead, withCounters } from '../inputs.ts';
import { printEstimates, reachModels, withSpent, modelOptions } from '../plan/models.ts';
import { parseRepeats } from '../plan/options.ts';
import { type CliIo, EXIT, isStopped } from '../process/io.ts';
import { printNote } from '../process/output.ts';
import { inTurn } from '../process/progress.ts';
import { defineCommand, option, reportOptions } from '../command.ts';
import { originOf } from '../origin.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench check flake --runs 5
  $ compaction-bench check flake my-scenarios/ --runs 20 --format json
  $ compaction-bench check flake my-scenarios/ --tier live --runs 10

Exit codes: 1 where a verdict depends on the seed or a file could not be read, 0 otherwise.`;

/** Tells how far runs stray by chance alone. */
export const flakeCommand = defineCommand({
  name: 'flake',
  describe: 'Run scenarios with several seeds, and measure how much they vary by chance alone.',
  arguments: { '[files...]': 'files, folders or patterns (default: the shipped scenarios)' },
  options: {
    runs: option('--runs <n>', 'seeds per run', '5'),
    only: option('--only <text>', 'only scenarios whose name contains it'),
    tier: option('--tier <name>', `${listed(TIERS, 'or')} (default: those without a real model)`),
    ...reportOptions(flakeFormats),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ files }, options, { io, openReport }) => {
    const out = openReport(flakeFormats, 'flake format');
    const runs = parseRepeats('--runs', options.runs, 2);
    const inputs = findScenarios(files, { only: options.only });
    out.checkInputs(inputs.files);
    const catalog = readCatalog();
    // One bad file among several does not stop the others.
    const read = inputs.files.map((file) => unlessWrongInput(() => readScenario(file)));
    const scenarios = read.flatMap((one) => (one instanceof HarnessError ? [] : [one]));
    const unread = [...inputs.unread, ...read.flatMap(unreadOf)];
    if (scenarios.length === 0) throw nothingRead(unread);
    const tier = chooseTier(options.tier, options, { io, catalog });
    const asking = { registry: tier.registry, names: modelsAskedBy(scenarios, tier) };
    await reachModels(asking, io);
    const report = await withSpent(tier.registry, io, () =>
      withCounters(io, (counters) => {
        const countOf = (id: string) => counters.of(id);
        return repeat(reseeded(scenarios, runs), { catalog, countOf, ...tier }, io);
      }),
    );
    if (report === undefined) return undefined;
    if (options.dryRun) return printEstimates(io, tier.registry, options.tier ?? NO_MODEL);
    if (report.runs === 0) throw noRunsOfTier();
    const isStable = report.varying.every(({ isVerdictStable }) => isVerdictStable);
    const isGood = isStable && unread.length === 0;
    const code = out.finish(out.format(report, out.terminal), isGood ? EXIT.done : EXIT.failed);
    for (const { reason } of unread) printNote(io, reason);
    return code;
  },
});

function unreadOf(read: Scenario | HarnessError) {
  return read instanceof HarnessError ? [{ file: '', reason: read.message }] : [];
}

/** `undefined` if the user wanted to stop. */
async function repeat(
  scenarios: readonly Scenario[],
  environment: CheckEnvironment & { readonly catalog: Catalog },
  io: CliIo,
): Promise<FlakeReport | undefined> {
  const flaking = createFlake();
  const models = new Set<string>();
  for (const scenario of inTurn(scenarios, ({ file }) => file, io)) {
    const result = await runScenario(scenario, environment);
    flaking.add(result);
    for (const { made } of result.runs) models.add(made.model);
    if (await isStopped(io)) return undefined;
  }
  return { origin: originOf(environment.catalog, [...models], {}), ...flaking.end() };
}

/** Each scenario with as many seeds, those of one after another. */
function reseeded(scenarios: readonly Scenario[], runs: number): readonly Scenario[] {
  return scenarios.flatMap((scenario) =>
    Array.from({ length: runs }, (_, by) => reseed(scenario, by)),
  );
}
