import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { badOption, HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { named } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import {
  type CheckedScenario,
  type CheckFormat,
  type CheckReport,
  describeFirst,
  outcomeLines,
  type ScenarioResult,
  stateOfCheck,
  toCheckReport,
} from '../../simulator/report/check-report.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { untrusted } from '../../simulator/report/document.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { renderSawtooth } from '../../simulator/report/sawtooth.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { findConfig } from '../../simulator/scenario/read-config.ts';
import { type Tier, tierOf, TIERS } from '../../simulator/scenario/scenario.ts';
import { openSummarizers } from '../../simulator/summarizer/open.ts';
import { runOnAdapter } from '../../simulator/sweep/gate/run-scenario.ts';
import { mergeRepeat } from '../../simulator/sweep/gate/case-record.ts';
import { toGateReport, toPartReport } from '../../simulator/sweep/gate/gate-report.ts';
import { type CheckEnvironment, runScenario } from '../../simulator/sweep/gate/run-scenario.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
import {
  type CheckInputs,
  checkIsScenario,
  findScenarios,
  openGate,
  readChecked,
  takeShard,
} from '../check-gate.ts';
import { defineCommand, detailsOption, flag, option, reportOptions } from '../command.ts';
import { nothingRead } from '../inputs.ts';
import { originOf } from '../package.ts';
import { ADAPTER_SPENDS, type OpenAdapter, planAdapter } from '../plan/live.ts';
import { usualModelIn } from '../plan/defaults.ts';
import { parseModelOptions, printEstimates, reachModels, withSpent } from '../plan/models.ts';
import {
  catalogOption,
  DEFAULT_MODEL,
  parseRepeats,
  parseWholeIfGiven,
  adapterOptions,
  modelOptions,
} from '../plan/options.ts';
import { checkNotIn, type CliIo, EXIT, isStopped, printNote } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';
import type { Terminal } from '../../simulator/report/layout.ts';
import { kindOf } from '../../simulator/session/files/folder.ts';

interface CheckScenariosOptions {
  readonly catalog: Catalog;
  readonly tier: Pick<CheckEnvironment, 'findSummarizer' | 'tiers'>;
  /** Absent if the report has no charts. */
  readonly chartsFor: Terminal | undefined;
  /** Scenarios that fail or differ from a baseline until the rest is left alone. */
  readonly maxFailures?: number | undefined;
  readonly repeat: number;
  readonly adapter: OpenAdapter | undefined;
  /** Gets the hash of the scenario's file as well; says whether it is as before. */
  readonly onResult: (result: ScenarioResult, source: string) => boolean;
}

const HASH_LENGTH = 16;

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
  ...detailsOption,
  ...reportOptions(checkFormats),
  ...modelOptions,
};

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
    await reachModels(registry, names, io);
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

async function checkScenarios(inputs: CheckInputs, options: CheckScenariosOptions, io: CliIo) {
  const { catalog, chartsFor, maxFailures = Number.POSITIVE_INFINITY, onResult } = options;
  const scenarios: CheckedScenario[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const models = new Set<string>();
  let failures = 0;
  const files = inputs.files.map((path) => ({ path, file: inputs.nameOf(path) }));
  const counters = createCounters();
  const countOf = (id: string) => counters.of(id);
  const environment = { catalog, countOf, hasBills: true, ...options.tier };
  for (const { path, file } of inTurn(files, (one) => one.file, io)) {
    const result = await tryScenario(path, options, { environment, io });
    if (result instanceof HarnessError) unread.push({ file, reason: result.message });
    else {
      const isAsBefore = onResult(result, hashOf(path));
      if (!result.passed || !isAsBefore) failures++;
      if (result.runs.length > 0) scenarios.push({ ...toChecked(result, chartsFor), file });
      for (const { made } of result.runs) models.add(made.model);
    }
    if (failures >= maxFailures) break;
    if (await isStopped(io)) return undefined;
  }
  return toCheckReport({ origin: originOf(catalog, [...models], {}), scenarios, unread });
}

function modelsAskedBy(files: readonly string[], tiers: readonly Tier[]): readonly string[] {
  if (!tiers.includes('live')) return [];
  return files.flatMap((file) => {
    const scenario = unlessWrongInput(() => readScenario(file));
    const runs = scenario instanceof HarnessError ? [] : scenario.runs;
    return runs.map((run) => run.summarizer.value).filter((name) => tierOf(name) === 'live');
  });
}

async function tryScenario(
  path: string,
  { adapter, catalog, repeat }: CheckScenariosOptions,
  { environment, io }: { environment: CheckEnvironment; io: CliIo },
): Promise<ScenarioResult | HarnessError> {
  try {
    if (adapter === undefined) checkIsScenario(path);
    const scenario = readChecked(path, () => usualModelIn(path, catalog) ?? DEFAULT_MODEL);
    const run = () =>
      adapter === undefined
        ? runScenario(scenario, environment)
        : runOnAdapter(scenario, environment, () => adapter(io.signal));
    let result = await run();
    for (let made = 1; made < repeat; made++) result = mergeRepeat(result, await run());
    return result;
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}

/** Line ends are not what a scenario is about. */
function hashOf(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

function toChecked({ runs, ...rest }: ScenarioResult, chartsFor: Terminal | undefined) {
  return {
    ...rest,
    runs: runs.map(({ events, made: { policy }, ...run }) => ({
      ...run,
      policy,
      ...(chartsFor && { chart: renderSawtooth(events, chartsFor) }),
    })),
  };
}

/** True if only files were named: folders and patterns stand for everything. */
function namesFilesAlone(inputs: readonly string[]): boolean {
  return inputs.length > 0 && inputs.every((input) => kindOf(input) === 'file');
}
