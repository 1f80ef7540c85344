import * as z from 'zod';
import { badOption, HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { readTextFile } from '../../simulator/lib/files.ts';
import { parseJson, placeOfIssue } from '../../simulator/lib/json.ts';
import { quotedLong } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import {
  type CheckFormat,
  type CheckReport,
  describeFirst,
  outcomeLines,
} from '../../simulator/report/check-report.ts';
import { untrusted } from '../../simulator/report/document.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { findConfig } from '../../simulator/scenario/read-config.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { TIERS } from '../../simulator/scenario/scenario.ts';
import { type GateRun, noteBlessing, openGate } from '../check-gate.ts';
import {
  type CheckInputs,
  checkScenarios,
  chooseTier,
  concludeCheck,
  exitCodeOfCheck,
  findScenarios,
  modelsAskedBy,
  namesFilesAlone,
  NO_MODEL,
  noRunsOfTier,
  takeShard,
  type TierOptions,
} from '../check-scenarios.ts';
import { scenarioNameOf } from '../check-sessions.ts';
import { nothingRead } from '../inputs.ts';
import { printEstimates, reachModels, withSpent, modelOptions } from '../plan/models.ts';
import { ADAPTER_SPENDS, adapterOptions, planAdapter } from '../plan/adapter.ts';
import { parseRepeats, parseWholeIfGiven, catalogOption } from '../plan/options.ts';
import type { CliIo } from '../process/io.ts';
import { checkNotIn, printNote } from '../process/output.ts';
import {
  option,
  flag,
  reportOptions,
  type OptionsOf,
  defineCommand,
  detailsOption,
  type OpenReport,
} from '../command.ts';

/** The surroundings of a check. */
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
  $ compaction-bench check session.jsonl --adapter 'python3 compact.py'
  $ compaction-bench check --adapter 'python3 compact.py' --baseline compaction-baseline

Exit codes: 3 where nothing can be compared, 1 where something is not as expected, 0 otherwise.`;

const ADAPTER_NOTE = `The adapter stood in the place of all policies: a run passes that completes and keeps the laws; what files expect of presets was left out. ${ADAPTER_SPENDS}`;

const EarlierReport = z.looseObject({
  scenarios: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
  unread: z.array(z.looseObject({ file: z.string() })).default([]),
  gate: z
    .looseObject({ findings: z.array(z.looseObject({ scenario: z.string().optional() })) })
    .optional(),
});

const OPTIONS = {
  only: option('--only <text>', 'only scenarios whose name contains it'),
  onlyFailed: option(
    '--only-failed <report>',
    'only scenarios that failed in an earlier report in JSON',
  ),
  shard: option('--shard <i/n>', 'only the i-th of n parts'),
  tier: option('--tier <name>', `${listed(TIERS, 'or')} (default: those without a real model)`),
  repeat: option('--repeat <n>', 'run each scenario this often, and fail where two runs differ'),
  maxFailures: option('--max-failures <n>', 'stop after this many scenarios that fail or differ'),
  baseline: option('--baseline <folder>', 'compare every run with what it was before'),
  bless: flag('--bless', 'write the baseline instead; needs --reason'),
  reason: option('--reason <text>', 'why the baseline changes'),
  config: option(
    '--config <file>',
    'gates and more (default: compaction-bench.config.ts, json or yaml of the current folder)',
  ),
  ...adapterOptions,
  chart: flag('--chart', 'draw the size of the context over the steps of each run'),
  catalog: catalogOption,
  ...detailsOption(),
  ...reportOptions(checkFormats),
  ...modelOptions,
};

type CheckOptions = OptionsOf<typeof OPTIONS>;

/** Runs scenario files and holds each run against what its file expects. */
export const checkCommand = defineCommand({
  name: 'check',
  describe: 'Run scenarios and say which expectations and gates are not met, and where.',
  arguments: {
    '[files...]':
      'files, folders or patterns (default: the shipped scenarios); with --adapter also recorded sessions',
  },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ files }, options, { io, openReport }) => {
    const out = openReport<CheckFormat>(checkFormats, 'check format');
    checkChoice(options);
    const found = await findConfig('.', options.config);
    const wanted = files.length > 0 ? files : (found?.config.scenarios ?? []);
    const all = selectScenarios(wanted, options);
    const read = [options.catalog, found?.file].filter((one) => one !== undefined);
    out.checkInputs([...all.files, ...read]);
    checkNotIn(options.out, options.baseline ?? found?.config.baseline, 'the baseline');

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
    const chartsFor = chooseCharts(options, out);
    const tier = chooseTier(options.tier, options, { io, catalog });
    const asking = { registry: tier.registry, names: namesAsked(part.inputs, tier, options) };
    await reachModels(asking, io);
    const checked = await withSpent(tier.registry, io, () =>
      runPart(part.inputs, options, { catalog, tier, gate, chartsFor, io }),
    );
    if (checked === undefined) return undefined;
    if (options.dryRun) return printEstimates(io, tier.registry, options.tier ?? NO_MODEL);
    if (part.shard === undefined) checkNotEmpty(checked);
    const report = concludeCheck(checked, gate?.end(checked), part.shard);

    const verdict = [...outcomeLines(report), ...describeFirst(report)].map(untrusted);
    const shown = out.format.render(report, out.terminal);
    const code = out.finish(shown, exitCodeOfCheck(report), verdict);
    if (options.adapter !== undefined) printNote(io, ADAPTER_NOTE);
    if (gate !== undefined) noteBlessing(gate, report, io);
    return code;
  },
});

/** The terminal that charts are drawn for, if there are any: a document is the same on every terminal. */
function chooseCharts(
  { chart }: CheckOptions,
  { format, terminal }: OpenReport<CheckFormat>,
): Terminal | undefined {
  const hasCharts = chart ?? format.extension === '.html';
  if (!hasCharts) return undefined;
  return format === checkFormats.table ? terminal : { colors: false };
}

/** Throws before anything is read. */
function checkChoice(options: CheckOptions): void {
  const { bless, dryRun } = options;
  planAdapter(options);
  if (bless && dryRun) {
    throw badOption(
      "Expected '--bless' without '--dry-run', because no model answers in a dry run.",
    );
  }
}

function selectScenarios(
  wanted: readonly string[],
  { only, onlyFailed, adapter }: CheckOptions,
): CheckInputs {
  const found = findScenarios(wanted, { only, adapter });
  return onlyFailed === undefined ? found : selectFailed(found, onlyFailed);
}

/** An adapter stands in the place of whoever asks; a file that cannot be read is told of later. */
function namesAsked(
  { files }: CheckInputs,
  tier: TierOptions,
  { adapter }: CheckOptions,
): readonly string[] {
  if (adapter !== undefined || !tier.tiers?.includes('live')) return [];
  const scenarios = files.flatMap((file) => {
    const read = unlessWrongInput(() => readScenario(file));
    return read instanceof HarnessError ? [] : [read];
  });
  return modelsAskedBy(scenarios, tier);
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
      adapter: planAdapter(options),
      maxFailures: parseWholeIfGiven('--max-failures', options.maxFailures),
      repeat: options.repeat === undefined ? undefined : parseRepeats('--repeat', options.repeat),
      ...(gate && { onResult: (result, source) => gate.add(result, source) }),
    },
    io,
  );
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

/** A suite in which nothing runs proves nothing. */
function checkNotEmpty({ scenarios, unread }: CheckReport): void {
  if (scenarios.length > 0) return;
  if (unread.length > 0) throw nothingRead(unread);
  throw noRunsOfTier();
}
