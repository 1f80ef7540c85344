import { named, quoted } from '../../simulator/lib/names.ts';
import { untrusted } from '../../simulator/report/document.ts';
import {
  isUndecided,
  type SummarizersReport,
  type SummaryRow,
  type SummarizersProvenance,
} from '../../simulator/report/summarizers-report.ts';
import { conclude } from '../../simulator/report/summarizers-verdict.ts';
import { summarizersFormats } from '../../simulator/report/summarizers.ts';
import { readFacts } from '../../simulator/session/facts-file.ts';
import { buildSummarizersReport } from '../../simulator/sweep/summarizers/build-report.ts';
import {
  type SummaryArm,
  prepareScenario,
  SHIPPED_SCENARIOS,
  shippedScenarios,
} from '../../simulator/sweep/summarizers/inputs.ts';
import {
  openRowsFile,
  armKey,
  countRepeats,
  orderRows,
  rowKey,
  type RowsFile,
  whyModelsDiffer,
  whyScenariosDiffer,
} from '../../simulator/sweep/summarizers/rows-file.ts';
import {
  whyRefused,
  type ArmsContext,
  runArms,
} from '../../simulator/sweep/summarizers/run-arms.ts';
import { defineCommand, detailsOption, option, repeated, reportOptions } from '../command.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { readDefaults, recordedIn } from '../plan/defaults.ts';
import { openRegistry } from '../plan/live.ts';
import { printEstimates, reachModels, withSpent } from '../plan/models.ts';
import {
  demoOption,
  MODEL_BY_DEFAULT,
  parseNames,
  POLICY_BY_DEFAULT,
  seedOption,
  SESSION_INPUTS,
  settingOptions,
  modelOptions,
} from '../plan/options.ts';
import { findDeciders, JUDGE_DESCRIBED, planSummarizers } from '../summarizer-rows.ts';
import {
  checkNoInput,
  checkOutPath,
  type CliIo,
  EXIT,
  printNote,
  printNotes,
  settingFiles,
  takeInTurn,
} from '../process/io.ts';
import { setImmediate } from 'node:timers/promises';
import { known } from '../../simulator/lib/collections.ts';
import { messageOf } from '../../simulator/lib/errors.ts';
import { SCORER_VERSION } from '../../simulator/metrics/quality/score-text.ts';
import type { CompileOptions } from '../../simulator/replay/compile.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import type { PlantedFact } from '../../simulator/session/facts.ts';
import { familiesWithCopies, findFileRepeats } from '../../simulator/session/find-copies.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import type { ImportReport, Session } from '../../simulator/session/session.ts';
import { joinFamilies } from '../../simulator/sweep/compare/pair-sides.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
import { type ShowProgress, withProgress } from '../process/progress.ts';

interface SummarizersRun {
  readonly context: ArmsContext;
  readonly origin: Origin;
  /** Absent: those of the package. */
  readonly found: RunInputs | undefined;
  /** Of a user's file; absent where sessions have their own. */
  readonly facts: readonly PlantedFact[] | undefined;
  readonly kept: RowsFile;
  /** No model is asked, so that none can have changed. */
  readonly isDryRun: boolean;
}

const DEFAULT_SUMMARIZERS = ['extractive', 'lead', 'tail', 'random', 'textrank'];

const EXAMPLES = `
Examples:
  $ compaction-bench summarizers sessions/ --summarizers extractive,ai:openai/gpt-5-mini --dry-run
  $ compaction-bench summarizers --summarizers ai:openai/gpt-5-mini --prompts policy,mine.md --budget-usd 2
  $ compaction-bench summarizers --summarizers extractive,tail --rows rows.jsonl --format markdown
  $ compaction-bench summarizers sessions/ --summarizers extractive,ai:openai/gpt-5-mini --reader ai:anthropic/claude-sonnet-4-5 --budget-usd 5`;

const NOTHING_KEPT = { rows: [], hasOtherVersion: false, append: () => undefined };

export const summarizersCommand = defineCommand({
  name: 'summarizers',
  describe: 'Compare summarizers and prompts by what a reader can answer after a compaction.',
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: {
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
    judge: option('--judge <name>', JUDGE_DESCRIBED),
    facts: option(
      '--facts <file>',
      'facts of your own that summaries should keep, as JSON or YAML',
    ),
    ...settingOptions(),
    seed: seedOption(),
    ...detailsOption,
    ...reportOptions(summarizersFormats),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ inputs }, given, { io, openReport }) => {
    const summarizers = parseNames('--summarizers', given.summarizers, 'names of summarizers');
    const prompts = parseNames('--prompts', given.prompts, 'files');
    const options = { ...given, summarizers, prompts };
    const { rows: rowsFile, base } = options;
    const out = openReport(summarizersFormats, 'format of summarizers');
    const all = findSessions(inputs, options, io);
    const found = all.isShipped ? undefined : all;
    const files = found?.files ?? [];
    checkOutPath(rowsFile, '--rows');
    const texts = [...prompts, options.context, options.facts].filter((file) => file !== undefined);
    const read = [...files, ...texts, ...settingFiles(options)];
    checkNoInput(rowsFile, read, { what: "'--rows'" });
    out.checkInputs(rowsFile === undefined ? read : [...read, rowsFile]);
    const asked = [options.reader, options.judge].filter((name) => name !== undefined);
    const names = [...summarizers, ...asked];
    const opened = openRegistry(options, io.env, { needsWords: true });
    await reachModels(opened.registry, names, io);
    const defaults = readDefaults(options, await takeInTurn(recordedIn(files), io), io.env);
    const plan = planSummarizers(options, io.env, { defaults, opened });
    const { origin, registry, notes } = plan;
    const context = { ...plan.context, ...findDeciders(options, registry) };
    const facts = options.facts === undefined ? undefined : readFacts(options.facts);
    const kept = rowsFile === undefined ? NOTHING_KEPT : openRowsFile(rowsFile);
    const refuse = (reason: string) => refuseRows(io, reason, rowsFile);
    const why = whyRefused(kept, context);
    if (why !== undefined) return refuse(why);
    if (base !== undefined) checkBase(base, context.arms, kept.rows);
    printNotes(io, notes);
    const isDryRun = options.dryRun === true;
    const spentOn = asked.length > 0 ? 'summaries and answers' : undefined;
    const findings = await withSpent({ ...registry, spentOn }, io, () =>
      runSummarizers({ context, origin, found, facts, kept, isDryRun }, io),
    );
    if (findings === undefined) return undefined;
    if ('incomparable' in findings) return refuse(findings.incomparable);
    noteDropped(io, findings.dropped);
    if (findings.rows.length === 0) throw noInput(findings.unread);
    if (isDryRun) return printEstimates(io, registry, names.join(', '));
    const report = buildSummarizersReport(findings, base);
    const verdict = conclude(report).map(untrusted);
    return out.finish(out.format(report, out.terminal), exitCodeOf(report), verdict);
  },
});

function exitCodeOf({ unread, arms, probes }: SummarizersReport): number {
  if (unread.length > 0) return EXIT.failed;
  const isMute = arms.some(({ failures }) => failures.pivots === 0);
  if (isMute || (probes !== undefined && isUndecided(probes))) return EXIT.inconclusive;
  const reasons = arms.flatMap(({ failures }) => failures.reasons);
  return reasons.some(({ state }) => state === 'broken') ? EXIT.failed : EXIT.done;
}

function refuseRows(io: CliIo, reason: string, rowsFile = ''): number {
  const wayOut = ` Rows made otherwise need another file than ${quoted(rowsFile)} for '--rows'.`;
  printNote(io, `Not comparable: ${reason}.${rowsFile && wayOut}`);
  return EXIT.inconclusive;
}

function checkBase(base: string, arms: readonly SummaryArm[], rows: readonly SummaryRow[]): void {
  const planned = arms.map(({ summarizer, prompt }) => [summarizer.name, prompt.name] as const);
  const all = [...planned, ...rows.map(({ summarizer, prompt }) => [summarizer, prompt] as const)];
  const names = all.flatMap(([name, prompt]) => [name, `${name} with ${prompt}`]);
  named('arm', Object.fromEntries(names.map((name) => [name, name])), base);
}

/** Runs every arm on every session, until rows cannot be compared; `undefined` if stopped. */
async function runSummarizers(run: SummarizersRun, io: CliIo) {
  const { id } = run.context.model;
  try {
    const counters = createCounters();
    const compile = compileOptionsFor(id, await counters.of(id));
    return await withProgress(io, (show) => gather(run, { compile, show, signal: io.signal }));
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  }
}

/** Requests on their way at a stop are waited for: they may be done. */
async function gather(
  { context, origin, found, facts, kept, isDryRun }: SummarizersRun,
  options: { compile: CompileOptions; show: ShowProgress; signal: AbortSignal },
) {
  const rows = [...kept.rows];
  const keys = new Set(rows.map(rowKey));
  const unread = [...(found?.unread ?? [])];
  const scenarios: string[] = [];
  const dropped: ImportReport['dropped'][] = [];
  const families = found ? familiesWithCopies(await findFileRepeats(found.files)) : new Map();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let incomparable: string | undefined;
  const isStopped = (reason: string | undefined) => {
    incomparable ??= reason;
    if (incomparable !== undefined) stop.abort();
    return incomparable !== undefined;
  };
  const onRow = async (row: SummaryRow) => {
    if (isStopped(isDryRun ? undefined : whyModelsDiffer([...rows, row]))) return;
    rows.push(row);
    const isBroken = row.missing?.state === 'broken' || row.missing?.isUnanswered === true;
    if (!isDryRun && !isBroken && row.judgeFault === undefined) kept.append(row);
    // A trial blocks; a signal is heard only between two of them.
    await setImmediate();
  };
  let index = 0;
  for (const loaded of found ? loadSessions(found.files) : shippedSessions()) {
    if (signal.aborted) break;
    if (loaded.state === 'unread') {
      unread.push({ file: loaded.file, reason: loaded.reason });
      continue;
    }
    const { name, report } = loaded.session;
    const total = Math.max(found?.files.length ?? SHIPPED_SCENARIOS, index + 1);
    options.show({ file: name, index: index++, total });
    const prepared = prepare(loaded.session, options.compile, facts);
    if ('reason' in prepared) {
      unread.push(prepared);
      continue;
    }
    const own = { scenario: name, scenarioHash: prepared.hash };
    if (isStopped(whyScenariosDiffer([...rows, own]))) break;
    scenarios.push(name);
    dropped.push(report.dropped);
    await setImmediate();
    const scenario = { ...prepared, family: families.get(name) };
    await runArms(scenario, { ...context, signal }, { known: keys, onRow });
  }
  if (options.signal.aborted) return undefined;
  if (incomparable !== undefined) return { incomparable };
  const arms = context.arms.map(({ summarizer: { name }, prompt: { hash } }) =>
    armKey({ summarizer: name, promptHash: hash }),
  );
  const ordered = orderRows(rows, { arms, scenarios });
  const provenance = toProvenance({ context, origin }, ordered, families);
  return { rows: ordered, unread, dropped, provenance };
}

function prepare(session: Session, compile: CompileOptions, facts: SummarizersRun['facts']) {
  try {
    return prepareScenario(session, compile, facts);
  } catch (error) {
    return { file: session.name, reason: messageOf(error) };
  }
}

/** Earlier rows may be of other sessions. */
function toProvenance(
  { context, origin }: Pick<SummarizersRun, 'context' | 'origin'>,
  rows: readonly SummaryRow[],
  found: ReadonlyMap<string, string>,
): SummarizersProvenance {
  const { policy, model, pivots, compactAt = 'policy', seed, repeats, bench } = context;
  const told = rows.map(({ scenario: session, family }) => ({ session, family }));
  const ofInputs = [...found].map(([session, family]) => ({ session, family }));
  const families = joinFamilies([{ rows: told }, { rows: ofInputs }]);
  const scenarios = new Map(
    rows.map(({ scenario: name, scenarioHash: hash, facts }) => {
      return [name, { name, hash, facts, ...known({ family: families.get(name) }) }];
    }),
  );
  return {
    origin,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    policy: policy.name,
    model: model.id,
    pivots,
    compactAt,
    seed,
    ...countRepeats(rows, repeats),
    scenarios: [...scenarios.values()],
  };
}

function* shippedSessions() {
  for (const session of shippedScenarios()) yield { state: 'read', session } as const;
}
