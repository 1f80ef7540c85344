import { badOption, HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { named } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import {
  type CheckFormat,
  type CheckReport,
  type CheckShard,
  describeFirst,
  type GatePart,
  outcomeLines,
  stateOfCheck,
} from '../../simulator/report/check-report.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { untrusted } from '../../simulator/report/document.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { findConfig } from '../../simulator/scenario/read-config.ts';
import { type Tier, tierOf, TIERS } from '../../simulator/scenario/scenario.ts';
import { openSummarizers } from '../../simulator/summarizer/open.ts';
import { toGateReport, toPartReport } from '../../simulator/sweep/gate/gate-report.ts';
import { openGate } from '../check-gate.ts';
import { findScenarios, namesFilesAlone, takeShard } from '../check-inputs.ts';
import { checkScenarios } from '../check-scenarios.ts';
import {
  defineCommand,
  detailsOption,
  flag,
  type OpenReport,
  option,
  type OptionsOf,
  reportOptions,
} from '../command.ts';
import { nothingRead } from '../inputs.ts';
import { ADAPTER_SPENDS, adapterOptions, planAdapter } from '../plan/adapter.ts';
import {
  modelOptions,
  parseModelOptions,
  printEstimates,
  reachModels,
  withSpent,
} from '../plan/models.ts';
import { catalogOption, parseRepeats, parseWholeIfGiven } from '../plan/options.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { checkNotIn, printNote } from '../process/output.ts';

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

/** The default tiers, and their words in an error. */
const NEEDS_NO_MODEL: readonly Tier[] = ['deterministic', 'cassette'];
const NO_MODEL = 'runs that ask no model';

const CODES = { good: EXIT.done, bad: EXIT.failed, inconclusive: EXIT.inconclusive };

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

/** Runs scenario files and compares each run with what its file expects. */
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
    const adapter = planAdapter(options);
    if (options.bless && options.dryRun) {
      throw badOption(
        "Expected '--bless' without '--dry-run', because no model answers in a dry run.",
      );
    }
    const found = await findConfig('.', options.config);
    const all = findScenarios(files.length > 0 ? files : (found?.config.scenarios ?? []), options);
    const read = [options.catalog, found?.file].filter((one) => one !== undefined);
    out.checkInputs([...all.files, ...read]);
    checkNotIn(options.out, options.baseline ?? found?.config.baseline, 'the baseline');

    const catalog = readCatalog(options.catalog);
    const suite = { ...options, out: '', format: '', shard: '', config: found?.config ?? {} };
    const part = takeShard(all, options.shard, { ...suite, catalog: catalog.hash });
    const { only, onlyFailed, maxFailures, tier } = options;
    const isCut = [only, onlyFailed, maxFailures, tier].some((one) => one !== undefined);
    const around = {
      catalogHash: catalog.hash,
      isHere: part.isHere,
      files: all.files,
      isWhole: !isCut && (all.unread.length > 0 || !namesFilesAlone(files)),
    };
    const gate = options.dryRun ? undefined : openGate(options, found, around);
    const tiers = tiersOf(options);
    const registry = openRegistry(options, catalog, io);
    const names = adapter === undefined ? modelsAskedBy(part.inputs.files, tiers) : [];
    await reachModels({ registry, names }, io);
    const checked = await withSpent(registry, io, () =>
      checkScenarios(
        part.inputs,
        {
          catalog,
          tier: { tiers, findSummarizer: (name) => registry.find(name) },
          chartsFor: chooseCharts(options, out),
          adapter,
          maxFailures: parseWholeIfGiven('--max-failures', maxFailures),
          repeat: parseRepeats('--repeat', options.repeat ?? '1'),
          ...(gate && { onResult: (result, source) => gate.add(result, source) }),
        },
        io,
      ),
    );
    if (checked === undefined) return undefined;
    if (options.dryRun) return printEstimates(io, registry, tier ?? NO_MODEL);
    // A suite in which nothing runs proves nothing.
    if (part.shard === undefined && checked.scenarios.length === 0) throw nothingRun(checked);
    const report = withGate(checked, gate?.end(checked), part.shard);
    const verdict = [...outcomeLines(report), ...describeFirst(report)].map(untrusted);
    const shown = out.format.render(report, out.terminal);
    const code = out.finish(shown, exitCodeOfCheck(report), verdict);
    if (adapter !== undefined) printNote(io, ADAPTER_NOTE);
    gate?.note?.(report, io);
    return code;
  },
});

/** The code with which a check ends: 3 where nothing can be said, 1 where something is not as expected. */
export function exitCodeOfCheck(report: CheckReport): number {
  return CODES[stateOfCheck(report)];
}

/** A report with what its baseline says; of a shard only what can be said without the others. */
function withGate(
  report: CheckReport,
  part: GatePart | undefined,
  shard: CheckShard | undefined,
): CheckReport {
  if (shard === undefined) return { ...report, ...(part && { gate: toGateReport(part) }) };
  const gate = part && { gate: part };
  return { ...report, ...(part && { gate: toPartReport(part) }), shard: { ...shard, ...gate } };
}

/** The terminal that charts are drawn for, if there are any: a document is the same on every terminal. */
function chooseCharts({ chart }: CheckOptions, { format, terminal }: OpenReport<CheckFormat>) {
  if (!(chart ?? format.extension === '.html')) return undefined;
  return format === checkFormats.table ? terminal : { colors: false };
}

function openRegistry(options: CheckOptions, { models }: Catalog, io: CliIo) {
  const settings = parseModelOptions(options, io.env);
  return openSummarizers(settings, { environment: io.env, profiles: models });
}

function tiersOf({ tier }: CheckOptions): readonly Tier[] {
  const byName = Object.fromEntries(TIERS.map((one) => [one, [one]]));
  return tier === undefined ? NEEDS_NO_MODEL : named('tier', byName, tier);
}

/** The real models that runs of these tiers ask; a file that cannot be read is told of later. */
function modelsAskedBy(files: readonly string[], tiers: readonly Tier[]): readonly string[] {
  if (!tiers.includes('live')) return [];
  return files.flatMap((file) => {
    const scenario = unlessWrongInput(() => readScenario(file));
    const runs = scenario instanceof HarnessError ? [] : scenario.runs;
    return runs.map((run) => run.summarizer.value).filter((name) => tierOf(name) === 'live');
  });
}

function nothingRun({ unread }: CheckReport): HarnessError {
  if (unread.length > 0) return nothingRead(unread);
  return new HarnessError(
    'NO_INPUT',
    "Expected scenarios with runs of this tier, got none; '--tier' selects another.",
  );
}
