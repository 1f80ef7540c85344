import { named, quoted } from '../../simulator/lib/names.ts';
import { untrusted } from '../../simulator/report/document.ts';
import {
  isUndecided,
  type SummarizersReport,
  type SummaryRow,
} from '../../simulator/report/summarizers-report.ts';
import { conclude } from '../../simulator/report/summarizers-verdict.ts';
import { summarizersFormats } from '../../simulator/report/summarizers.ts';
import { readFacts } from '../../simulator/session/facts-file.ts';
import { buildSummarizersReport } from '../../simulator/sweep/summarizers/build-report.ts';
import type { SummaryArm } from '../../simulator/sweep/summarizers/inputs.ts';
import { openRowsFile } from '../../simulator/sweep/summarizers/rows-file.ts';
import { whyRefused } from '../../simulator/sweep/summarizers/run-arms.ts';
import { defineCommand, detailsOption, option, repeated, reportOptions } from '../command.ts';
import { findSessions, noInput, noteDropped } from '../inputs.ts';
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
import {
  findDeciders,
  JUDGE_DESCRIBED,
  planSummarizers,
  runSummarizers,
} from '../summarizer-rows.ts';
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
