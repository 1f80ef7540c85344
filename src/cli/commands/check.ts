import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { named } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import {
  type CheckFormat,
  type CheckReport,
  describeFirst,
  outcomeLines,
  stateOfCheck,
} from '../../simulator/report/check-report.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { untrusted } from '../../simulator/report/document.ts';
import { findConfig } from '../../simulator/scenario/read-config.ts';
import { type Tier, TIERS } from '../../simulator/scenario/scenario.ts';
import { openSummarizers } from '../../simulator/summarizer/open.ts';
import { toGateReport, toPartReport } from '../../simulator/sweep/gate/gate-report.ts';
import { openGate } from '../check-gate.ts';
import { findScenarios, namesFilesAlone, takeShard } from '../check-inputs.ts';
import { checkScenarios, modelsAskedBy } from '../check-scenarios.ts';
import { defineCommand, detailsOption, flag, option, reportOptions } from '../command.ts';
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
import { checkNotIn, EXIT, printNote } from '../process/io.ts';

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

const NEEDS_NO_MODEL: readonly Tier[] = ['deterministic', 'cassette'];

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
    const { only, onlyFailed, maxFailures, tier, dryRun, repeat } = options;
    const out = openReport<CheckFormat>(checkFormats, 'check format');
    const adapter = planAdapter(options);
    if (options.bless && dryRun) {
      throw badOption(
        "Expected '--bless' without '--dry-run', because no model answers in a dry run.",
      );
    }
    const found = await findConfig('.', options.config);
    const config = found?.config ?? {};
    const all = findScenarios(files.length > 0 ? files : (config.scenarios ?? []), options);
    const read = [options.catalog, found?.file].filter((one) => one !== undefined);
    out.checkInputs([...all.files, ...read]);
    checkNotIn(options.out, options.baseline ?? config.baseline, 'the baseline');

    const catalog = readCatalog(options.catalog);
    const suite = { ...options, out: '', format: '', shard: '', config, catalog: catalog.hash };
    const { inputs, shard, isHere } = takeShard(all, options.shard, suite);
    const isCut = [only, onlyFailed, maxFailures, tier].some((one) => one !== undefined);
    const isWhole = !isCut && (all.unread.length > 0 || !namesFilesAlone(files));
    const around = { catalogHash: catalog.hash, isHere, files: all.files, isWhole };
    const gate = dryRun ? undefined : openGate(options, found, around);
    const tiers = tiersOf(tier);
    const settings = parseModelOptions(options, io.env);
    const profiles = catalog.models;
    const registry = openSummarizers(settings, { environment: io.env, profiles });
    const names = adapter === undefined ? modelsAskedBy(inputs.files, tiers) : [];
    await reachModels({ registry, names }, io);
    // A document is the same on every terminal.
    const charted = out.format === checkFormats.table ? out.terminal : { colors: false };
    const checking = {
      catalog,
      tier: { tiers, findSummarizer: (name: string) => registry.find(name) },
      chartsFor: (options.chart ?? out.format.extension === '.html') ? charted : undefined,
      adapter,
      maxFailures: parseWholeIfGiven('--max-failures', maxFailures),
      repeat: parseRepeats('--repeat', repeat ?? '1'),
      onResult: gate?.add ?? (() => true),
    };
    const checked = await withSpent(registry, io, () => checkScenarios(inputs, checking, io));
    if (checked === undefined) return undefined;
    if (dryRun) return printEstimates(io, registry, tier ?? 'runs that ask no model');
    // A suite in which nothing runs proves nothing.
    if (shard === undefined && checked.scenarios.length === 0) throw nothingRun(checked);
    const part = gate?.end(checked);
    // Of a shard only what can be said without the others.
    const held = part && { gate: shard === undefined ? toGateReport(part) : toPartReport(part) };
    const own = shard && { shard: { ...shard, ...(part && { gate: part }) } };
    const report = { ...checked, ...held, ...own };
    const verdict = [...outcomeLines(report), ...describeFirst(report)].map(untrusted);
    const shown = out.format.render(report, out.terminal);
    const code = out.finish(shown, exitCodeOfCheck(report), verdict);
    if (adapter !== undefined) printNote(io, ADAPTER_NOTE);
    gate?.note?.(report, io);
    return code;
  },
});

/** 3 where nothing can be said, 1 where something is not as expected. */
export function exitCodeOfCheck(report: CheckReport): number {
  return CODES[stateOfCheck(report)];
}

function tiersOf(name: string | undefined): readonly Tier[] {
  const byName = Object.fromEntries(TIERS.map((one) => [one, [one]]));
  return name === undefined ? NEEDS_NO_MODEL : named('tier', byName, name);
}

function nothingRun({ unread }: CheckReport): HarnessError {
  if (unread.length > 0) return nothingRead(unread);
  return new HarnessError(
    'NO_INPUT',
    "Expected scenarios with runs of this tier, got none; '--tier' selects another.",
  );
}
