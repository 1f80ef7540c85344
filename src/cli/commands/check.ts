import type { Command } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/errors.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import type { CheckReport } from '../../simulator/report/check/check-report.ts';
import { chooseCheckFormat } from '../check-format.ts';
import { findScenarios, nothingRead } from '../check-inputs.ts';
import { checkScenarios } from '../check-scenarios.ts';
import { type CheckSelection, selectScenarios } from '../check-selection.ts';
import { createGateRun, type GateRun } from '../gate.ts';
import { type CliIo, EXIT, hasColors } from '../io.ts';
import { addModelOptions, type ModelOptions } from '../model-options.ts';
import { checkNoInput, checkOutPath, printNote, writeReport } from '../output.ts';
import { chooseTier } from '../tier.ts';
import { findConfig, type FoundConfig } from '../../simulator/scenario/gate/read-config.ts';

/** What the command line says, as text. */
interface CheckOptions extends CheckSelection, ModelOptions {
  readonly tier?: string | undefined;
  readonly repeat?: string | undefined;
  readonly chart?: true | undefined;
  readonly catalog?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly baseline?: string | undefined;
  readonly config?: string | undefined;
  readonly bless?: true | undefined;
  readonly reason?: string | undefined;
  readonly maxFailures?: string | undefined;
  readonly adapter?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench check
  $ compaction-bench check --only floor --chart
  $ compaction-bench check my-scenarios/ 'more/**/*.yaml' --format json --out check.json
  $ compaction-bench check --baseline reports/baseline --bless --reason 'first baseline'
  $ compaction-bench check --baseline reports/baseline --format markdown --out comment.md
  $ compaction-bench check --only-failed check.json
  $ compaction-bench check --adapter 'python3 compact.py' --baseline compaction-baseline

Exit codes: 3 where nothing can be compared, 1 where something is not as expected, 0 otherwise.`;

const ADAPTER_NOTE =
  'The adapter stood in the place of all policies: a run passes that completes and keeps the laws; what files expect of presets was left out.';

/** Adds the command that runs scenario files and holds each run against what its file expects. */
export function addCheckCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  const command = program
    .command('check')
    .description('Run scenarios and say which expectations and gates are not met, and where.')
    .argument('[files...]', 'files, folders or patterns (default: the scenarios that are shipped)')
    .option('--only <text>', 'only scenarios whose name contains it')
    .option('--only-failed <report>', 'only scenarios that failed in an earlier report in JSON')
    .option('--shard <i/n>', 'only the i-th of n parts')
    .option('--tier <name>', 'deterministic, cassette or live (default: those that ask no model)')
    .option('--repeat <n>', 'run each scenario that often; it is to do the same every time')
    .option('--max-failures <n>', 'leave the rest alone after that many failed scenarios')
    .option('--baseline <folder>', 'hold every run against what it was')
    .option('--bless', 'write the baseline instead, with a reason')
    .option('--reason <text>', 'why the baseline is written')
    .option('--config <file>', 'gates and more (default: compaction-bench.config.ts, json or yaml)')
    .option(
      '--adapter <command>',
      'your own compaction in the place of the policies; docs/adapter.md',
    )
    .option('--chart', 'show the size of the context over the steps of each run')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option(
      '--format <name>',
      'table, json, junit, markdown, annotations or csv (default: by --out, else table)',
    )
    .option('--out <path>', 'write the report to a file');
  addModelOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (files, options) => onExit(await check(files, options, io)));
}

async function check(files: readonly string[], options: CheckOptions, io: CliIo): Promise<number> {
  const { chart = false, catalog: path, out } = options;
  const format = chooseCheckFormat(options.format, out);
  if (out !== undefined) checkOutPath(out);
  const found = await findConfig('.', options.config);
  const wanted = files.length > 0 ? files : (found?.config.scenarios ?? []);
  const inputs = selectScenarios(findScenarios(wanted, options.only), options);
  const read = path === undefined ? inputs.files : [...inputs.files, path];
  if (out !== undefined) checkNoInput(out, read);

  const catalog = readCatalog(path);
  const gate = gateOf(options, found, catalog.hash);
  const checked = await checkScenarios(
    inputs,
    {
      catalog,
      tier: chooseTier(options.tier, options, { io, catalog }),
      hasCharts: chart,
      adapter: options.adapter,
      maxFailures: parseWhole('--max-failures', options.maxFailures),
      repeat: parseWhole('--repeat', options.repeat),
      ...(gate && { onResult: (result, source) => gate.add(result, source) }),
    },
    io,
  );
  if (checked === undefined) return EXIT.interrupted;
  if (checked.scenarios.length === 0) throw nothingRead(checked.unread);
  const report = gate?.end(checked) ?? checked;

  const colors = out === undefined && hasColors(io);
  const isWritten = writeReport(io, format.render(report, { colors }), out);
  if (options.adapter !== undefined) printNote(io, ADAPTER_NOTE);
  noteBlessing(report, options, io);
  return isWritten ? exitOf(report) : EXIT.failed;
}

/** The baseline of the command line, else that of the configuration; without either there is no gate. */
function gateOf(
  options: CheckOptions,
  found: FoundConfig | undefined,
  catalogHash: string,
): GateRun | undefined {
  const { bless, reason } = options;
  const config = found?.config ?? {};
  const baseline = options.baseline ?? config.baseline;
  if (bless && (reason === undefined || reason.trim() === '')) {
    throw badOption("Expected '--bless' with '--reason TEXT', got no reason.");
  }
  if (baseline === undefined) {
    if (bless) throw badOption("Expected '--bless' with '--baseline FOLDER', got no folder.");
    return undefined;
  }
  return createGateRun({
    baseline,
    config,
    blessReason: bless && reason,
    isWhole: isWhole(options),
    catalogHash,
  });
}

function isWhole({ only, onlyFailed, shard, maxFailures, tier }: CheckOptions): boolean {
  return [only, onlyFailed, shard, maxFailures, tier].every((option) => option === undefined);
}

function noteBlessing(
  { failed, unread }: CheckReport,
  { bless, baseline }: CheckOptions,
  io: CliIo,
): void {
  if (!bless) return;
  const isWritten = failed === 0 && unread.length === 0;
  const where = baseline === undefined ? '' : `: ${baseline}`;
  const told = isWritten
    ? `Baseline written${where}`
    : 'No baseline was written: what does not hold is none.';
  printNote(io, told);
}

function exitOf({ failed, unread, gate }: CheckReport): number {
  if (gate !== undefined && gate.inconclusive.length > 0) return EXIT.inconclusive;
  const isBad = failed > 0 || unread.length > 0 || (gate?.findings.length ?? 0) > 0;
  return isBad ? EXIT.failed : EXIT.done;
}

function parseWhole(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw badOption(`Expected '${option}' to be a whole number from 1, got '${text}'.`);
}

function badOption(message: string): HarnessError {
  return new HarnessError('BAD_OPTION', message);
}
