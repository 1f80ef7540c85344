import { basename, extname } from 'node:path';
import {
  instructions,
  policies as presets,
  type Policy,
  systemPrompts,
} from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { readTextFile } from '../../simulator/lib/files.ts';
import { badValue, named, quoted } from '../../simulator/lib/names.ts';
import { splitAtCommas } from '../../simulator/lib/text.ts';
import type { SummaryRow } from '../../simulator/report/arm-metrics.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import { untrusted } from '../../simulator/report/document.ts';
import { conclude } from '../../simulator/report/summarizers-verdict.ts';
import { summarizersFormats } from '../../simulator/report/summarizers.ts';
import { readFacts } from '../../simulator/session/facts-file.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { summarizers as table } from '../../simulator/summarizer/summarizers.ts';
import { buildSummarizersReport } from '../../simulator/sweep/summarizers/build-report.ts';
import {
  type SharedFields,
  whyIncomparable,
  whyNotShared,
  whySettingsDiffer,
} from '../../simulator/sweep/summarizers/comparable.ts';
import {
  type SummaryArm,
  summaryHash,
  type SummaryPrompt,
} from '../../simulator/sweep/summarizers/inputs.ts';
import { openRowsFile, type RowsFile } from '../../simulator/sweep/summarizers/rows-file.ts';
import {
  type ArmsContext,
  benchOf,
  settingsOf,
  sharedFields,
} from '../../simulator/sweep/summarizers/run-arms.ts';
import { tokenizerOf } from '../../simulator/tokens/encodings.ts';
import { findSessions, noInput, noteDropped } from '../inputs.ts';
import { printEstimates, reachModels, withSpent, modelOptions } from '../plan/models.ts';
import {
  parseNames,
  parseRepeats,
  parseWhole,
  settingOptions,
  seedOption,
  demoOption,
  MODEL_BY_DEFAULT,
  POLICY_BY_DEFAULT,
  SESSION_INPUTS,
} from '../plan/options.ts';
import { type Defaults, readDefaults, recordedIn } from '../plan/defaults.ts';
import { type OpenRegistry, openRegistry } from '../plan/live.ts';
import { makePlan, toRun } from '../plan/plan.ts';
import { type CliIo, EXIT, takeInTurn } from '../process/io.ts';
import {
  checkNoInput,
  checkOutPath,
  printNote,
  printNotes,
  settingFiles,
} from '../process/output.ts';
import {
  findReader,
  runSummarizers,
  type SummarizersFindings,
  toSummaryInputs,
} from '../summarizer-rows.ts';
import {
  repeated,
  option,
  reportOptions,
  type OptionsOf,
  defineCommand,
  detailsOption,
  type OpenReport,
} from '../command.ts';
import type { SummarizersReport } from '../../simulator/report/summarizers-report.ts';
import { originOf } from '../origin.ts';

/** The comparison, and the registry of its summarizers. */
interface SummarizersPlan {
  readonly context: Omit<ArmsContext, 'known' | 'signal' | 'reader'>;
  readonly origin: Origin;
  readonly registry: SummarizerRegistry;
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
}

/** How often and where sessions are compacted. */
interface PivotPlan {
  readonly pivots: number;
  /** Shares of the steps, in order; absent where the policy decides. */
  readonly compactAt?: readonly number[] | undefined;
}

/** Summarizers that need no model. */
const DEFAULT_SUMMARIZERS = ['extractive', 'lead', 'tail', 'random', 'textrank'].filter((name) =>
  Object.hasOwn(table, name),
);

const EXAMPLES = `
Examples:
  $ compaction-bench summarizers --repeat 3
  $ compaction-bench summarizers sessions/ --summarizers extractive,ai:openai/gpt-5-mini --dry-run
  $ compaction-bench summarizers --summarizers ai:openai/gpt-5-mini --prompts policy,mine.md --budget-usd 2
  $ compaction-bench summarizers --summarizers extractive,tail --rows rows.jsonl --format markdown
  $ compaction-bench summarizers sessions/ --summarizers extractive,ai:openai/gpt-5-mini --reader ai:anthropic/claude-sonnet-4-5 --budget-usd 5`;

const NOTHING_KEPT: RowsFile = { rows: [], hasOtherVersion: false, append: () => undefined };

const POLICY_PROMPT = 'policy';

const MOST_PIVOTS = 50;

const USUAL_PIVOTS = 2;

const SHARE = /^(?:\d+\.?\d*|\.\d+)$/;

const BY_POLICY = 'policy';

const OPTIONS = {
  demo: demoOption,
  summarizers: repeated(
    '--summarizers <name,...>',
    `summarizers to compare (default: ${DEFAULT_SUMMARIZERS.join(',')})`,
    DEFAULT_SUMMARIZERS,
  ),
  prompts: repeated('--prompts <file,...>', "instructions to compare; 'policy' is its own"),
  context: option(
    '--context <file>',
    'file whose text is added to every instruction, as a plugin would',
  ),
  policy: option('--policy <name>', `preset that compacts (default: ${POLICY_BY_DEFAULT})`),
  model: option(
    '--model <provider/id>',
    `model whose tokenizer counts (default: ${MODEL_BY_DEFAULT})`,
  ),
  pivots: option('--pivots <number>', 'compactions of each session (default: 2)'),
  compactAt: option(
    '--compact-at <shares>',
    "where to compact, as shares of the steps such as 0.5,1, or 'policy' (default: evenly)",
  ),
  repeat: option('--repeat <number>', 'runs of each session', '1'),
  base: option('--base <arm>', 'what the others are compared with (default: the first)'),
  rows: option('--rows <file>', 'keep rows there, and resume from those already there'),
  reader: option(
    '--reader <name>',
    'real model that is asked what later steps needed: with the whole session, after the compaction, with nothing',
  ),
  facts: option('--facts <file>', 'facts of your own that summaries should keep, as JSON or YAML'),
  ...settingOptions(),
  seed: seedOption(),
  ...detailsOption(),
  ...reportOptions(summarizersFormats),
  ...modelOptions,
};

type SummarizersOptions = OptionsOf<typeof OPTIONS>;

type ArmOptions = Pick<SummarizersOptions, 'summarizers' | 'prompts' | 'context'>;

/** Compares summarizers and prompts by what a reader can still answer after their summaries. */
export const summarizersCommand = defineCommand({
  name: 'summarizers',
  describe: 'Compare summarizers and prompts by what a reader can answer after a compaction.',
  arguments: {
    '[inputs...]': SESSION_INPUTS,
  },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ inputs }, given, { io, openReport }) => {
    const options = { ...given, ...parseLists(given) };
    const { rows: rowsFile } = options;
    const out = openReport(summarizersFormats, 'format of summarizers');
    const all = findSessions(inputs, options, io);
    // Those of the package are known with their facts.
    const found = all.isShipped ? undefined : all;
    checkPaths(found?.files ?? [], options, out);
    const isDryRun = options.dryRun === true;
    const { summarizers } = options;
    const named = options.reader === undefined ? summarizers : [...summarizers, options.reader];
    const opened = openRegistry(options, io.env, { needsWords: true });
    await reachModels({ registry: opened.registry, names: named }, io);
    const defaults = readDefaults(
      options,
      await takeInTurn(recordedIn(found?.files ?? []), io),
      io.env,
    );
    const start = { defaults, opened };
    const { context, origin, registry, notes } = planSummarizers(options, io.env, start);
    const reader = options.reader === undefined ? undefined : findReader(options.reader, registry);
    const facts = options.facts === undefined ? undefined : readFacts(options.facts);
    const kept = rowsFile === undefined ? NOTHING_KEPT : openRowsFile(rowsFile);
    const shared = sharedFields({ ...context, reader });
    const why = whyOthers(kept, shared, context.arms);
    if (why !== undefined) return refuse(io, why, rowsFile);
    if (options.base !== undefined) checkBase(options.base, context.arms, kept.rows);
    printNotes(io, notes);
    const onRow = (row: SummaryRow) => {
      if (!isDryRun && isLasting(row)) kept.append(row);
    };
    const asked = { context, origin, reader, facts, inputs: await toSummaryInputs(found) };
    const spentOn = reader && 'summaries and answers';
    const findings = await withSpent({ ...registry, spentOn }, io, () =>
      runSummarizers({ ...asked, rows: kept.rows, isDryRun, onRow }, io),
    );
    if (findings === undefined) return undefined;
    if ('incomparable' in findings) return refuse(io, findings.incomparable, rowsFile);
    noteDropped(io, findings.dropped);
    if (findings.rows.length === 0) throw noInput(findings.unread);
    if (isDryRun) return printEstimates(io, registry, named.join(', '));
    const report = buildSummarizersReport(findings, options.base);
    const verdict = conclude(report).map(untrusted);
    return out.finish(out.format(report, out.terminal), exitCodeOf(report, findings), verdict);
  },
});

/** Every summarizer with every prompt, in that order. */
export function planArms(
  options: ArmOptions,
  policy: Policy,
  registry: SummarizerRegistry,
): readonly SummaryArm[] {
  const prompts = planPrompts(options, policy);
  return options.summarizers.flatMap((name) => {
    const summarizer = registry.find(name);
    const summaryModel = registry.profileOf(name);
    return prompts.map((prompt) => ({ summarizer, summaryModel, prompt }));
  });
}

/** How often and where sessions are compacted; by default twice, and evenly over the steps. */
export function parsePivots(
  pivotsText: string | undefined,
  compactAtText: string | undefined,
): PivotPlan {
  const pivots =
    pivotsText === undefined
      ? undefined
      : parseWhole('--pivots', pivotsText, { most: MOST_PIVOTS });
  if (compactAtText === BY_POLICY) return { pivots: pivots ?? USUAL_PIVOTS };
  if (compactAtText === undefined) return evenly(pivots ?? USUAL_PIVOTS);
  const compactAt = parseShares(compactAtText);
  if (pivots !== undefined && pivots !== compactAt.length) {
    throw badOption(
      `Expected '--compact-at' to have ${pivots} shares, as many as '--pivots', got ${compactAt.length}.`,
    );
  }
  return { pivots: compactAt.length, compactAt };
}

/** Options that name several. */
function parseLists({ summarizers, prompts }: Pick<SummarizersOptions, 'summarizers' | 'prompts'>) {
  return {
    summarizers: parseNames('--summarizers', summarizers, 'names of summarizers'),
    prompts: parseNames('--prompts', prompts, 'files'),
  };
}

/** How far the report can be trusted. */
function exitCodeOf({ unread, arms }: SummarizersReport, { rows }: SummarizersFindings): number {
  if (unread.length > 0) return EXIT.failed;
  if (arms.some(({ failures }) => failures.pivots === 0)) return EXIT.inconclusive;
  return rows.some(({ missing }) => missing?.state === 'broken') ? EXIT.failed : EXIT.done;
}

function checkPaths(
  sessions: readonly string[],
  options: SummarizersOptions,
  out: OpenReport<unknown>,
): void {
  const { rows, prompts, context, facts } = options;
  checkOutPath(rows, '--rows');
  const texts = [...prompts, ...[context, facts].filter((file) => file !== undefined)];
  const read = [...sessions, ...texts, ...settingFiles(options)];
  checkNoInput(rows, read, { what: "'--rows'" });
  out.checkInputs([...read, ...(rows === undefined ? [] : [rows])]);
}

/** Checks everything that a comparison is made of; throws at the first thing that is wrong. */
function planSummarizers(
  options: SummarizersOptions,
  environment: Environment,
  start: { readonly defaults: Defaults; readonly opened: OpenRegistry },
): SummarizersPlan {
  const whole = makePlan({ ...options, summarizer: options.summarizers }, environment, start);
  const { registry } = whole.sources;
  const plan = toRun(whole);
  const [policy] = plan.policies;
  if (policy === undefined || whole.arms.length > 1 || policy.cut.keep === 'everything') {
    const got = quoted(options.policy ?? start.defaults.policy);
    throw badOption(
      `Expected '--policy' to be one preset that compacts, got ${got}; ${quoted(presets.none.name)} never does.`,
    );
  }
  const { model, seed, notes, catalog, settings } = plan;
  const trial = { policy, model, seed, ...parsePivots(options.pivots, options.compactAt) };
  const bench = benchOf(trial, tokenizerOf(model.id).name);
  const arms = planArms(options, policy, registry);
  const context = {
    ...trial,
    arms,
    bench,
    repeats: parseRepeats('--repeat', options.repeat),
  };
  const origin = originOf(catalog, [model.id], settings.values);
  return { context, origin, registry, notes };
}

/** Why rows that are kept cannot stand beside those that are to come; absent where they can. */
function whyOthers(
  { rows, hasOtherVersion }: RowsFile,
  shared: SharedFields,
  arms: readonly SummaryArm[],
): string | undefined {
  if (hasOtherVersion) return 'the rows differ in their version of rows';
  const planned = arms.map(({ summarizer }) => ({
    summarizer: summarizer.name,
    settings: settingsOf(summarizer),
  }));
  return (
    whyNotShared(rows, shared) ?? whyIncomparable(rows) ?? whySettingsDiffer([...rows, ...planned])
  );
}

function refuse(io: CliIo, reason: string, rowsFile: string | undefined): number {
  const wayOut =
    rowsFile === undefined
      ? ''
      : ` Rows made otherwise need another file than ${quoted(rowsFile)} for '--rows'.`;
  printNote(io, `Not comparable: ${reason}.${wayOut}`);
  return EXIT.inconclusive;
}

/** Known before anything is run; with several prompts an arm has both names. */
function checkBase(base: string, arms: readonly SummaryArm[], rows: readonly SummaryRow[]): void {
  const planned = arms.map(({ summarizer, prompt }) => [summarizer.name, prompt.name] as const);
  const earlier = rows.map(({ summarizer, prompt }) => [summarizer, prompt] as const);
  const names = [...planned, ...earlier].flatMap(([name, prompt]) => [
    name,
    `${name} with ${prompt}`,
  ]);
  named('arm', Object.fromEntries(names.map((name) => [name, name])), base);
}

/** Rows that broke or got no answer are asked again next time. */
function isLasting({ missing }: SummaryRow): boolean {
  return missing?.state !== 'broken' && missing?.isUnanswered !== true;
}

function planPrompts(
  { prompts: files, context: contextFile }: ArmOptions,
  { summary }: Policy,
): readonly SummaryPrompt[] {
  const system = summary.systemText ?? systemPrompts[summary.systemPrompt];
  const context = contextFile === undefined ? undefined : readText(contextFile);
  const toPrompt = (name: string, instruction?: string): SummaryPrompt => ({
    name,
    hash: summaryHash({
      system,
      instruction: instruction ?? instructions[summary.instruction],
      context: context ?? '',
    }),
    instruction,
    context,
  });
  if (files.length === 0) return [toPrompt(POLICY_PROMPT)];
  const names = [...files.filter((file) => file === POLICY_PROMPT), ...files.map(shortName)];
  const isUnique = (name: string) => names.filter((other) => other === name).length === 1;
  return files.map((file) => {
    if (file === POLICY_PROMPT) return toPrompt(POLICY_PROMPT);
    const name = shortName(file);
    return toPrompt(isUnique(name) ? name : file, readText(file));
  });
}

function readText(file: string): string {
  const unreadable = (got: string, cause?: unknown) =>
    new HarnessError('UNREADABLE', `Expected a prompt in ${quoted(file)}, got ${got}.`, { cause });
  const text = readTextFile(file, unreadable).trim();
  if (text === '') throw unreadable('an empty file');
  return text;
}

/** Without folder and extension; of the policy's own there is none. */
function shortName(file: string): string {
  return file === POLICY_PROMPT ? '' : basename(file, extname(file));
}

function evenly(pivots: number): PivotPlan {
  return { pivots, compactAt: Array.from({ length: pivots }, (_, index) => (index + 1) / pivots) };
}

function parseShares(text: string): readonly number[] {
  const shares = splitAtCommas([text]).map((share) => (SHARE.test(share) ? Number(share) : -1));
  const isRising = shares.every((share, index) => share > (shares[index - 1] ?? 0) && share <= 1);
  if (isRising && shares.length <= MOST_PIVOTS) return shares;
  throw badValue(
    '--compact-at',
    "increasing shares of the steps, such as '0.5,1', or 'policy'",
    text,
  );
}
