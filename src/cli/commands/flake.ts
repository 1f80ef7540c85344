import { setImmediate } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import type { FlakeReport } from '../../simulator/report/flake/flake-report.ts';
import { flakeFormats } from '../../simulator/report/flake/formats.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { runScenario } from '../../simulator/sweep/check/run-scenario.ts';
import { createFlake, reseed } from '../../simulator/sweep/gate/flake.ts';

import { findScenarios } from '../check-inputs.ts';
import { openCounters } from '../counters.ts';
import { type CliIo, EXIT } from '../io.ts';
import { checkOutPath, writeReport } from '../output.ts';
import { createProgress } from '../progress.ts';

/** What the command line says, as text. */
interface FlakeOptions {
  readonly runs: string;
  readonly only?: string | undefined;
  readonly format: string;
  readonly out?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench flake --runs 5
  $ compaction-bench flake my-scenarios/ --runs 20 --format json`;

/** Adds the command that tells how far runs stray by chance alone. */
export function addFlakeCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  program
    .command('flake')
    .description('Run scenarios with several seeds and tell how far they stray by chance alone.')
    .argument('[files...]', 'files, folders or patterns (default: the scenarios that are shipped)')
    .option('--runs <n>', 'seeds for each run', '5')
    .option('--only <text>', 'only scenarios whose name contains it')
    .option('--format <name>', 'table or json', 'table')
    .option('--out <path>', 'write the report to a file')
    .addHelpText('after', EXAMPLES)
    .action(async (files, options) => onExit(await flake(files, options, io)));
}

async function flake(files: readonly string[], options: FlakeOptions, io: CliIo): Promise<number> {
  const render = named('flake format', flakeFormats, options.format);
  if (options.out !== undefined) checkOutPath(options.out);
  const inputs = findScenarios(files, options.only);
  const report = await repeat(inputs.files, parseRuns(options.runs), io);
  if (report === undefined) return EXIT.interrupted;
  const isWritten = writeReport(io, render(report), options.out);
  const isStable = report.varying.every(({ isVerdictStable }) => isVerdictStable);
  return isWritten && isStable && inputs.unread.length === 0 ? EXIT.done : EXIT.failed;
}

/** `undefined` if the user wanted to stop. */
async function repeat(
  files: readonly string[],
  runs: number,
  io: CliIo,
): Promise<FlakeReport | undefined> {
  const counters = openCounters(io);
  const environment = { catalog: readCatalog(), countOf: (id: string) => counters.of(id) };
  const flaking = createFlake();
  const progress = createProgress(io);
  try {
    for (const [index, { file, scenario }] of reseeded(files, runs).entries()) {
      progress.start({ file, index, total: files.length * runs });
      flaking.add(await runScenario(scenario, environment));
      await setImmediate();
      if (io.signal.aborted) return undefined;
    }
  } finally {
    progress.stop();
  }
  return flaking.end();
}

/** Each scenario with as many seeds, those of one after another. */
function reseeded(files: readonly string[], runs: number) {
  return files.flatMap((file) => {
    const scenario = readScenario(file);
    return Array.from({ length: runs }, (_, by) => ({ file, scenario: reseed(scenario, by) }));
  });
}

function parseRuns(text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 2) return Number(text);
  const message = `Expected '--runs' to be a whole number from 2, got ${quoted(text)}.`;
  throw new HarnessError('BAD_OPTION', message);
}
