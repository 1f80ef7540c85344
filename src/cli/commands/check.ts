import type { Command } from '@commander-js/extra-typings';
import * as z from 'zod';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { readTextFile } from '../../simulator/lib/files.ts';
import { parseJson, placeOfIssue } from '../../simulator/lib/json.ts';
import { quotedLong } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import type { CheckFormat, CheckReport } from '../../simulator/report/check-report.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { findConfig } from '../../simulator/scenario/read-config.ts';
import { TIERS } from '../../simulator/scenario/scenario.ts';
import { type GateChoice, type GateRun, noteBlessing, openGate } from '../check-gate.ts';
import {
  type CheckInputs,
  checkScenarios,
  chooseTier,
  concludeCheck,
  exitCodeOfCheck,
  findScenarios,
  namesFilesAlone,
  NO_MODEL,
  noRunsOfTier,
  scenarioNameOf,
  takeShard,
  type TierOptions,
} from '../check-scenarios.ts';
import { nothingRead } from '../inputs.ts';
import { addModelOptions, type ModelOptions, printEstimates, withSpent } from '../plan/models.ts';
import {
  checkAdapter,
  chooseFormat,
  formatHelp,
  parseRepeats,
  parseWholeIfGiven,
} from '../plan/options.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import {
  checkNoInput,
  checkNotIn,
  checkOutPath,
  printNote,
  writeReport,
} from '../process/output.ts';

/** What the command line says, as text. */
interface CheckOptions extends GateChoice, ModelOptions {
  readonly shard?: string | undefined;
  readonly repeat?: string | undefined;
  readonly chart?: true | undefined;
  readonly catalog?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly config?: string | undefined;
  readonly adapter?: string | undefined;
}

/** What a check takes from around it. */
interface Surroundings {
  readonly catalog: Catalog;
  readonly tier: TierOptions;
  readonly gate: GateRun | undefined;
  readonly chartsFor: Terminal | undefined;
  readonly io: CliIo;
}

const EXAMPLES = `
Examples:
  $ compaction-bench check
  $ compaction-bench check --only floor --chart
  $ compaction-bench check my-scenarios/ 'more/**/*.yaml' --format json --out check.json
  $ compaction-bench check --baseline reports/baseline --bless --reason 'first baseline'
  $ compaction-bench check --baseline reports/baseline --format markdown --out comment.md
  $ compaction-bench check --only-failed check.json
  $ compaction-bench check --shard 1/4 --out check-1.json
  $ compaction-bench check --adapter 'python3 compact.py' --baseline compaction-baseline

Exit codes: 3 where nothing can be compared, 1 where something is not as expected, 0 otherwise.`;

const ADAPTER_NOTE =
  'The adapter stood in the place of all policies: a run passes that completes and keeps the laws; what files expect of presets was left out.';

const EarlierReport = z.looseObject({
  scenarios: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
  unread: z.array(z.looseObject({ file: z.string() })).default([]),
  gate: z
    .looseObject({ findings: z.array(z.looseObject({ scenario: z.string().optional() })) })
    .optional(),
});

/** Adds the command that runs scenario files and holds each run against what its file expects. */
export function addCheckCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  const command = program
    .command('check')
    .description('Run scenarios and say which expectations and gates are not met, and where.')
    .argument('[files...]', 'files, folders or patterns (default: the shipped scenarios)')
    .option('--only <text>', 'only scenarios whose name contains it')
    .option('--only-failed <report>', 'only scenarios that failed in an earlier report in JSON')
    .option('--shard <i/n>', 'only the i-th of n parts')
    .option('--tier <name>', `${listed(TIERS, 'or')} (default: those without a real model)`)
    .option('--repeat <n>', 'run each scenario this often, and fail where two runs differ')
    .option('--max-failures <n>', 'stop after this many scenarios that fail or differ')
    .option('--baseline <folder>', 'compare every run with what it was before')
    .option('--bless', 'write the baseline instead; needs --reason')
    .option('--reason <text>', 'why the baseline changes')
    .option(
      '--config <file>',
      'gates and more (default: compaction-bench.config.ts, json or yaml of the current folder)',
    )
    .option(
      '--adapter <command>',
      'run your own compaction in place of the policies; see docs/adapter.md',
    )
    .option('--chart', 'draw the size of the context over the steps of each run')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--format <name>', formatHelp(checkFormats))
    .option('--out <path>', 'write the report to a file');
  addModelOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (files, options) => onExit(await check(files, options, io)));
}

async function check(files: readonly string[], options: CheckOptions, io: CliIo): Promise<number> {
  const { out } = options;
  const format = chooseFormat<CheckFormat>(checkFormats, 'check format', options);
  checkOutPath(out);
  checkChoice(options);
  const found = await findConfig('.', options.config);
  const wanted = files.length > 0 ? files : (found?.config.scenarios ?? []);
  const all = selectScenarios(wanted, options);
  const read = [options.catalog, found?.file].filter((one) => one !== undefined);
  checkNoInput(out, [...all.files, ...read]);
  checkNotIn(out, options.baseline ?? found?.config.baseline, 'the baseline');

  const catalog = readCatalog(options.catalog);
  const suite = { ...options, out: '', format: '', shard: '', config: found?.config ?? {} };
  const part = takeShard(all, options.shard, { ...suite, catalog: catalog.hash });
  const around = {
    catalogHash: catalog.hash,
    isHere: part.isHere,
    files: all.files,
    hasNamedFiles: all.unread.length === 0 && namesFilesAlone(files),
  };
  const gate = options.dryRun ? undefined : openGate(options, found, around);
  const terminal = terminalOf(io, out);
  const chartsFor = chooseCharts(options, format, terminal);
  const tier = chooseTier(options.tier, options, { io, catalog });
  const checked = await withSpent(tier.registry, io, () =>
    runPart(part.inputs, options, { catalog, tier, gate, chartsFor, io }),
  );
  if (checked === undefined) return EXIT.interrupted;
  if (options.dryRun) {
    printEstimates(io, tier.registry, options.tier ?? NO_MODEL);
    return EXIT.done;
  }
  if (part.shard === undefined) checkNotEmpty(checked);
  const report = concludeCheck(checked, gate?.end(checked), part.shard);

  const isWritten = writeReport(io, format.render(report, terminal), out);
  if (options.adapter !== undefined) printNote(io, ADAPTER_NOTE);
  if (gate !== undefined) noteBlessing(gate, report, io);
  return isWritten ? exitCodeOfCheck(report) : EXIT.failed;
}

function checkChoice({ adapter, bless, dryRun }: CheckOptions): void {
  if (adapter !== undefined) checkAdapter(adapter);
  if (bless && dryRun) {
    throw badOption(
      "Expected '--bless' without '--dry-run', because no model answers in a dry run.",
    );
  }
}

function selectScenarios(
  wanted: readonly string[],
  { only, onlyFailed }: CheckOptions,
): CheckInputs {
  const found = findScenarios(wanted, only);
  return onlyFailed === undefined ? found : selectFailed(found, onlyFailed);
}

/** The scenarios that failed or were not read in an earlier report of a check. */
function selectFailed(inputs: CheckInputs, report: string): CheckInputs {
  const failed = failedIn(report);
  const files = inputs.files.filter((file) => failed.has(scenarioNameOf(file)));
  if (files.length > 0) return { ...inputs, files };
  const message = `Expected scenarios to check, got none of ${inputs.files.length}: none of them failed.`;
  throw new HarnessError('NO_INPUT', message);
}

function failedIn(path: string): ReadonlySet<string> {
  const { scenarios, unread, gate } = readReport(path);
  const failed = scenarios.filter(({ passed }) => !passed).map(({ name }) => name);
  return new Set([
    ...failed,
    ...unread.map(({ file }) => scenarioNameOf(file)),
    ...(gate?.findings ?? []).flatMap(({ scenario }) => scenario ?? []),
  ]);
}

function readReport(path: string): z.infer<typeof EarlierReport> {
  const unfit = (reason: string, cause?: unknown) => {
    const message = `Expected '--only-failed' to be a JSON report of 'check', got ${quotedLong(path)}, which ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  };
  const text = readTextFile(path, (reason, cause) => unfit(`cannot be read: ${reason}`, cause));
  const value = parseJson(text);
  if (value === undefined) throw unfit('is not JSON');
  const checked = EarlierReport.safeParse(value);
  if (checked.success) return checked.data;
  throw unfit(describePlace(checked.error), checked.error);
}

function describePlace({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined || issue.path.length === 0
    ? 'is none'
    : `is none, at ${placeOfIssue(issue)}`;
}

/** What charts are drawn for, where there are some: a document is the same on every terminal. */
function chooseCharts(
  { chart }: CheckOptions,
  format: CheckFormat,
  terminal: Terminal,
): Terminal | undefined {
  const hasCharts = chart ?? format.extension === '.html';
  if (!hasCharts) return undefined;
  return format === checkFormats.table ? terminal : { colors: false };
}

function runPart(
  inputs: CheckInputs,
  options: CheckOptions,
  { catalog, tier, gate, chartsFor, io }: Surroundings,
): Promise<CheckReport | undefined> {
  return checkScenarios(
    inputs,
    {
      catalog,
      tier,
      chartsFor,
      adapter: options.adapter,
      maxFailures: parseWholeIfGiven('--max-failures', options.maxFailures),
      repeat: options.repeat === undefined ? undefined : parseRepeats('--repeat', options.repeat),
      ...(gate && { onResult: (result, source) => gate.add(result, source) }),
    },
    io,
  );
}

/** A suite in which nothing runs proves nothing. */
function checkNotEmpty({ scenarios, unread }: CheckReport): void {
  if (scenarios.length > 0) return;
  if (unread.length > 0) throw nothingRead(unread);
  throw noRunsOfTier();
}
