import type { Command } from '@commander-js/extra-typings';
import { quoted } from '../../simulator/names.ts';
import { summarizersFormats } from '../../simulator/report/summarizers/formats.ts';
import type { SummaryRow } from '../../simulator/report/summarizers/summary-row.ts';
import { summarizers as table } from '../../simulator/summarizer/summarizers.ts';
import { buildSummarizersReport } from '../../simulator/sweep/summarizers/build-report.ts';
import { openRowsFile, type RowsFile } from '../../simulator/sweep/summarizers/rows-file.ts';
import { sharedFields } from '../../simulator/sweep/summarizers/run-arms.ts';
import { chooseFormat } from '../options/choose-format.ts';
import { collect } from '../options/collect.ts';
import { formatHelp } from '../options/format-help.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { addModelOptions } from '../models/options.ts';
import { printEstimates, withSpent } from '../models/report.ts';
import { describeUnasked } from '../models/unasked.ts';
import { noteDropped } from '../inputs/note-dropped.ts';
import { noInput } from '../inputs/no-input.ts';
import {
  checkNoInput,
  checkOutPath,
  printNote,
  printNotes,
  settingFiles,
  writeReport,
} from '../process/output.ts';
import { DEFAULT_POLICY, DEFAULT_MODEL } from '../options/plan-options.ts';
import { runSummarizers, type SummarizersFindings } from '../summarizers/run-summarizers.ts';
import { parseNames } from '../options/parse-names.ts';
import { GREP, type PanelOptions, planPanel } from '../summarizers/panel.ts';
import {
  type ComparisonOptions,
  checkBase,
  planSummarizers,
  whyOthers,
} from '../summarizers/plan.ts';
import { findInputs } from '../inputs/run-inputs.ts';
import { toSummaryInputs } from '../summarizers/sessions.ts';

/** What the command line says, as text. */
interface SummarizersOptions extends ComparisonOptions, PanelOptions {
  readonly base?: string | undefined;
  readonly rows?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

type Render = (typeof summarizersFormats)[keyof typeof summarizersFormats];

/** What needs no model, the best first. */
const DEFAULT_SUMMARIZERS = ['extractive', 'lead', 'tail', 'random', 'textrank'].filter((name) =>
  Object.hasOwn(table, name),
);

const EXAMPLES = `
Examples:
  $ compaction-bench summarizers --repeat 3
  $ compaction-bench summarizers sessions/ --summarizers extractive,ai:openai/gpt-5-mini --dry-run
  $ compaction-bench summarizers --summarizers ai:openai/gpt-5-mini --prompts policy,mine.md --budget-usd 2
  $ compaction-bench summarizers --summarizers extractive,tail --rows rows.jsonl --format markdown
  $ compaction-bench summarizers --summarizers extractive,textrank --pivots 4 --probes`;

const NOTHING_KEPT: RowsFile = { rows: [], hasOtherVersion: false, append: () => undefined };

/** Adds the command that compares summarizers and prompts by what their summaries keep. */
export function addSummarizersCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  const command = program
    .command('summarizers')
    .description('Compare summarizers and prompts by what survives one, two or more compactions.')
    .argument('[inputs...]', 'files, folders or patterns (default: shipped sessions with facts)')
    .option(
      '--summarizers <name,...>',
      `summarizers to compare (default: ${DEFAULT_SUMMARIZERS.join(',')})`,
      collect,
    )
    .option('--prompts <file,...>', "instructions to compare; 'policy' is its own", collect)
    .option('--context <file>', 'file whose text is added to every instruction, as a plugin would')
    .option('--policy <name>', 'preset that compacts', DEFAULT_POLICY)
    .option('--model <provider/id>', 'model whose tokenizer counts', DEFAULT_MODEL)
    .option('--pivots <number>', 'compactions of each session (default: 2)')
    .option(
      '--compact-at <shares>',
      "where to compact, as shares of the steps such as 0.5,1, or 'policy' (default: evenly)",
    )
    .option('--repeat <number>', 'runs of each session', '1')
    .option('--base <arm>', 'what the others are compared with (default: the first)')
    .option('--rows <file>', 'keep rows there, and resume from those already there')
    .option('--probes', 'also ask questions about what survived')
    .option('--reader <name>', 'what answers the questions: grep, or a real model', GREP)
    .option(
      '--judge <name,...>',
      'real models: the first grades what rules cannot, the others check a sample',
      collect,
    )
    .option('--set <key=value>', 'change a setting; can be repeated', collect)
    .option('--config <opencode.json>', 'take settings from an OpenCode configuration')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--seed <number>', 'seed of everything random', '1')
    .option('--format <name>', formatHelp(summarizersFormats))
    .option('--out <path>', 'write the report to a file');
  addModelOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, { set = [], ...rest }) => {
      onExit(await compare(inputs, { ...rest, ...parseLists(rest), set }, io));
    });
}

/** Options that name several. */
function parseLists({
  summarizers = DEFAULT_SUMMARIZERS,
  prompts = [],
  judge,
}: Partial<Pick<SummarizersOptions, 'summarizers' | 'prompts' | 'judge'>>) {
  return {
    summarizers: parseNames('--summarizers', summarizers, 'names of summarizers'),
    prompts: parseNames('--prompts', prompts, 'files'),
    judge: judge && parseNames('--judge', judge, 'names of models'),
  };
}

async function compare(
  inputs: readonly string[],
  options: SummarizersOptions,
  io: CliIo,
): Promise<number> {
  const { out, format, rows: rowsFile } = options;
  const render = chooseFormat(summarizersFormats, 'format of summarizers', { format, out });
  const given = inputs.length === 0 ? undefined : findInputs(inputs);
  checkPaths(given?.files ?? [], options);
  const isDryRun = options.dryRun === true;
  const { context, origin, registry, notes } = planSummarizers(options, io.env);
  const panel = planPanel(options, registry);
  const kept = rowsFile === undefined ? NOTHING_KEPT : openRowsFile(rowsFile);
  const shared = sharedFields({ ...context, panel });
  const why = whyOthers(kept, shared, context.arms);
  if (why !== undefined) return refuse(io, why, rowsFile);
  if (options.base !== undefined) checkBase(options.base, context.arms, kept.rows);
  const { summarizers, reader, judge = [] } = options;
  printNotes(io, [...notes, ...describeUnasked(options, [...summarizers, reader, ...judge])]);
  const onRow = (row: SummaryRow) => {
    if (!isDryRun && isLasting(row)) kept.append(row);
  };
  const asked = { context, origin, panel, inputs: toSummaryInputs(given) };
  const money = { ...registry, spentOn: panel && 'summaries, answers and verdicts' };
  const found = await withSpent(money, io, () =>
    runSummarizers({ ...asked, rows: kept.rows, isDryRun, onRow }, io),
  );
  if (found === undefined) return EXIT.interrupted;
  if ('incomparable' in found) return refuse(io, found.incomparable, rowsFile);
  noteDropped(io, found.dropped);
  if (found.rows.length === 0) throw noInput(found.unread);
  if (isDryRun) {
    printEstimates(io, registry, options.summarizers.join(', '));
    return EXIT.done;
  }
  return finish(io, found, { ...options, render });
}

/** Writes the report, and says how far it can be trusted. */
function finish(
  io: CliIo,
  found: SummarizersFindings,
  { render, base, out }: SummarizersOptions & { readonly render: Render },
): number {
  const report = buildSummarizersReport(found, base);
  if (!writeReport(io, render(report, terminalOf(io, out)), out) || report.unread.length > 0)
    return EXIT.failed;
  if (report.arms.some(({ failures }) => failures.pivots === 0)) return EXIT.inconclusive;
  return found.rows.some(({ missing }) => missing?.state === 'broken') ? EXIT.failed : EXIT.done;
}

/** What could not be asked, and what nobody answered, is asked again the next time. */
function isLasting({ missing }: SummaryRow): boolean {
  return missing?.state !== 'broken' && missing?.isUnanswered !== true;
}

function checkPaths(sessions: readonly string[], options: SummarizersOptions): void {
  const { out, rows, prompts, context } = options;
  checkOutPath(out);
  checkOutPath(rows, '--rows');
  const texts = [...prompts, ...(context === undefined ? [] : [context])];
  const read = [...sessions, ...texts, ...settingFiles(options)];
  checkNoInput(rows, read, { what: "'--rows'" });
  checkNoInput(out, [...read, ...(rows === undefined ? [] : [rows])]);
}

function refuse(io: CliIo, reason: string, rowsFile: string | undefined): number {
  const wayOut =
    rowsFile === undefined
      ? ''
      : ` Rows made otherwise need another file than ${quoted(rowsFile)} for '--rows'.`;
  printNote(io, `Not comparable: ${reason}.${wayOut}`);
  return EXIT.inconclusive;
}
