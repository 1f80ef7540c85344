import type { Command } from '@commander-js/extra-typings';
import { HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { listed } from '../../simulator/lib/text.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import { flakeFormats, type FlakeReport } from '../../simulator/report/flake.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { type Scenario, TIERS } from '../../simulator/scenario/scenario.ts';
import { createFlake, reseed } from '../../simulator/sweep/gate/flake.ts';
import { type CheckEnvironment, runScenario } from '../../simulator/sweep/gate/run-scenario.ts';
import { chooseTier, findScenarios, NO_MODEL, noRunsOfTier } from '../check-scenarios.ts';
import { nothingRead } from '../inputs.ts';
import { originOf } from '../package.ts';
import { addModelOptions, type ModelOptions, printEstimates, withSpent } from '../plan/models.ts';
import { chooseFormat, formatHelp, parseRepeats } from '../plan/options.ts';
import { type CliIo, EXIT, isStopped, terminalOf } from '../process/io.ts';
import { withCounters } from '../process/out-folder.ts';
import { checkNoInput, checkOutPath, printNote, writeReport } from '../process/output.ts';
import { inTurn } from '../process/progress.ts';

/** What the command line says, as text. */
interface FlakeOptions extends ModelOptions {
  readonly runs: string;
  readonly only?: string | undefined;
  readonly tier?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench flake --runs 5
  $ compaction-bench flake my-scenarios/ --runs 20 --format json
  $ compaction-bench flake my-scenarios/ --tier live --runs 10

Exit codes: 1 where a verdict depends on the seed or a file could not be read, 0 otherwise.`;

/** Adds the command that tells how far runs stray by chance alone. */
export function addFlakeCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  const command = program
    .command('flake')
    .description(
      'Run scenarios with several seeds, and measure how much they vary by chance alone.',
    )
    .argument('[files...]', 'files, folders or patterns (default: the shipped scenarios)')
    .option('--runs <n>', 'seeds per run', '5')
    .option('--only <text>', 'only scenarios whose name contains it')
    .option('--tier <name>', `${listed(TIERS, 'or')} (default: those without a real model)`)
    .option('--format <name>', formatHelp(flakeFormats))
    .option('--out <path>', 'write the report to a file');
  addModelOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (files, options) => onExit(await flake(files, options, io)));
}

async function flake(files: readonly string[], options: FlakeOptions, io: CliIo): Promise<number> {
  const { out, format, only } = options;
  const render = chooseFormat(flakeFormats, 'flake format', { format, out });
  const runs = parseRepeats('--runs', options.runs, 2);
  checkOutPath(out);
  const inputs = findScenarios(files, only);
  checkNoInput(out, inputs.files);
  const catalog = readCatalog();
  // One bad file among several does not stop the others.
  const read = inputs.files.map((file) => unlessWrongInput(() => readScenario(file)));
  const scenarios = read.flatMap((one) => (one instanceof HarnessError ? [] : [one]));
  const unread = [...inputs.unread, ...read.flatMap(unreadOf)];
  if (scenarios.length === 0) throw nothingRead(unread);
  const tier = chooseTier(options.tier, options, { io, catalog });
  const report = await withSpent(tier.registry, io, () =>
    withCounters(io, (counters) => {
      const countOf = (id: string) => counters.of(id);
      return repeat(reseeded(scenarios, runs), { catalog, countOf, ...tier }, io);
    }),
  );
  if (report === undefined) return EXIT.interrupted;
  if (options.dryRun) {
    printEstimates(io, tier.registry, options.tier ?? NO_MODEL);
    return EXIT.done;
  }
  if (report.runs === 0) throw noRunsOfTier();
  const isWritten = writeReport(io, render(report, terminalOf(io, out)), out);
  for (const { reason } of unread) printNote(io, reason);
  const isStable = report.varying.every(({ isVerdictStable }) => isVerdictStable);
  return isWritten && isStable && unread.length === 0 ? EXIT.done : EXIT.failed;
}

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
