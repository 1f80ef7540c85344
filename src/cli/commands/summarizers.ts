import type { Command } from '@commander-js/extra-typings';
import { policies as presets } from '../../engine/index.ts';
import { HarnessError } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import { summarizersFormats } from '../../simulator/report/summarizers/formats.ts';
import type { SummaryRow } from '../../simulator/report/summarizers/summary-row.ts';
import type { SummaryArm } from '../../simulator/sweep/summarizers/arm.ts';
import { summarizers as table } from '../../simulator/summarizer/summarizers.ts';
import { buildSummarizersReport } from '../../simulator/sweep/summarizers/build-report.ts';
import { whyIncomparable } from '../../simulator/sweep/summarizers/comparable.ts';
import { appendSummaryRow, readSummaryRows } from '../../simulator/sweep/summarizers/rows-file.ts';
import { hashBench } from '../../simulator/sweep/summarizers/run-arms.ts';
import { tokenizerOf } from '../../simulator/tokens/tokenizer-of.ts';
import { collect } from '../collect.ts';
import { type CliIo, EXIT } from '../io.ts';
import { addModelOptions, type ModelOptions } from '../model-options.ts';
import { describeSpent, renderEstimates } from '../model-report.ts';
import { noInput } from '../no-input.ts';
import { checkNoInput, checkOutPath, printNote, writeReport } from '../output.ts';
import { type PlanOptions, planLive } from '../run-plan.ts';
import { runSummarizers } from '../run-summarizers.ts';
import { listed, planArms } from '../summarizer-arms.ts';
import { parseCompactAt, parseRepeats } from '../summarizer-options.ts';
import { GREP, type PanelOptions, planPanel } from '../summarizer-panel.ts';
import { findSummaryInputs } from '../summarizer-sessions.ts';

/** What the command line says, as text. */
interface SummarizersOptions
  extends Omit<PlanOptions, 'policy' | 'summarizer'>,
    ModelOptions,
    PanelOptions {
  readonly summarizers: readonly string[];
  readonly prompts: readonly string[];
  readonly context?: string | undefined;
  readonly policy: string;
  readonly compactAt: string;
  readonly repeat: string;
  readonly base?: string | undefined;
  readonly rows?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

/** What needs no model, the best first. */
const DEFAULT_SUMMARIZERS = ['extractive', 'lead', 'tail', 'random', 'textrank']
  .filter((name) => Object.hasOwn(table, name))
  .join(',');
const DEFAULT_POLICY = 'opencode-1.2.16';
const DEFAULT_MODEL = 'anthropic/claude-sonnet-4-5';

const EXAMPLES = `
Examples:
  $ compaction-bench summarizers --repeat 3
  $ compaction-bench summarizers sessions/ --summarizers extractive,ai:openai/gpt-5-mini --dry-run
  $ compaction-bench summarizers --summarizers ai:openai/gpt-5-mini --prompts policy,mine.md --budget-usd 2
  $ compaction-bench summarizers --summarizers extractive,tail --rows rows.jsonl --format markdown`;

/** Adds the command that compares summarizers and prompts by what their summaries keep. */
export function addSummarizersCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  const command = program
    .command('summarizers')
    .description('Compare summarizers and prompts by what is left after one and two compactions.')
    .argument('[inputs...]', 'files, folders or patterns (default: shipped sessions with facts)')
    .option(
      '--summarizers <name,...>',
      `what to compare (default: ${DEFAULT_SUMMARIZERS})`,
      collect,
    )
    .option('--prompts <file,...>', 'instructions to compare; policy is its own', collect)
    .option('--context <file>', 'what a plugin adds to every instruction')
    .option('--policy <name>', 'preset that compacts', DEFAULT_POLICY)
    .option('--model <provider/id>', 'model whose tokenizer counts', DEFAULT_MODEL)
    .option('--compact-at <share,share>', 'where in the steps, or policy', '0.5,1')
    .option('--repeat <number>', 'how often each session', '1')
    .option('--base <arm>', 'what the others are compared to (default: the first)')
    .option('--rows <file>', 'keep rows there, and go on with those that are there')
    .option('--probes', 'ask questions about what is left, too')
    .option('--reader <name>', 'what answers them: grep, or a real model', GREP)
    .option('--judge <name>', 'a real model that decides what rules cannot')
    .option('--set <key=value>', 'change a setting; can be repeated', collect)
    .option('--config <opencode.json>', 'take settings from an OpenCode configuration')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--seed <number>', 'seed of everything random', '1')
    .option('--format <name>', 'table, json, markdown or csv (default: by --out, else table)')
    .option('--out <path>', 'write the report to a file');
  addModelOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, { summarizers, prompts = [], set = [], ...rest }) => {
      const names = summarizers ?? [DEFAULT_SUMMARIZERS];
      onExit(await compare(inputs, { ...rest, summarizers: names, prompts, set }, io));
    });
}

async function compare(
  inputs: readonly string[],
  options: SummarizersOptions,
  io: CliIo,
): Promise<number> {
  const { out, format, rows: rowsFile } = options;
  const render = named('format of summarizers', summarizersFormats, format ?? formatOf(out));
  for (const path of [out, rowsFile]) if (path !== undefined) checkOutPath(path);
  if (out !== undefined) checkNoInput(out, [...inputs, ...(rowsFile ? [rowsFile] : [])]);
  const { bench, house } = planBench(options, io);
  const earlier = rowsFile === undefined ? { rows: [] } : readSummaryRows(rowsFile);
  const isOther = 'hasOtherVersion' in earlier && earlier.hasOtherVersion;
  if (isOther || earlier.rows.some((row) => row.bench !== bench.benchHash)) {
    return refuse(io, `the rows in ${quoted(rowsFile ?? '')} were made otherwise`);
  }
  const isDryRun = options.dryRun === true;
  if (options.base !== undefined) checkBase(options.base, bench.arms, earlier.rows);
  const found = await runSummarizers(
    {
      bench,
      panel: planPanel(options, house),
      inputs: findSummaryInputs(inputs),
      rows: earlier.rows,
      onRow: (row) => {
        // What could not be asked is asked again the next time.
        const isKept = !isDryRun && row.missing?.state !== 'broken';
        if (rowsFile !== undefined && isKept) appendSummaryRow(rowsFile, row);
      },
    },
    io,
  );
  if (found === undefined) return EXIT.interrupted;
  if (found.rows.length === 0) throw noInput(found.unread.map(({ reason }) => reason));
  const spent = describeSpent(house);
  if (spent !== undefined) printNote(io, spent);
  if (isDryRun) {
    io.stdout.write(renderEstimates(house, listed(options.summarizers).join(', ')));
    return EXIT.done;
  }
  const reason = whyIncomparable(found.rows);
  if (reason !== undefined) return refuse(io, reason);
  const report = buildSummarizersReport(found, options.base);
  if (!writeReport(io, render(report), out) || report.unread.length > 0) return EXIT.failed;
  if (report.arms.some(({ failures }) => failures.pivots === 0)) return EXIT.inconclusive;
  return found.rows.some(({ missing }) => missing?.state === 'broken') ? EXIT.failed : EXIT.done;
}

function planBench(options: SummarizersOptions, io: CliIo) {
  const { policy: name, summarizers } = options;
  const [first] = listed(summarizers);
  if (first === undefined) {
    throw new HarnessError('BAD_OPTION', "Expected '--summarizers' to name one, got none.");
  }
  const { plan, house } = planLive({ ...options, policy: [name], summarizer: first }, io.env);
  const [policy] = plan.policies;
  if (policy === undefined || plan.policies.length > 1 || policy.cut.keep === 'everything') {
    const got = quoted(name);
    throw new HarnessError(
      'BAD_OPTION',
      `Expected '--policy' to be one preset that compacts, got ${got}; ${quoted(presets.none.name)} never does.`,
    );
  }
  const { model, seed } = plan;
  const compactAt = parseCompactAt(options.compactAt);
  const arms = planArms(options, policy, house);
  const trial = { policy, model, seed, compactAt };
  const benchHash = hashBench(trial, tokenizerOf(model.id).name);
  return { bench: { ...trial, arms, benchHash, repeats: parseRepeats(options.repeat) }, house };
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

function refuse(io: CliIo, reason: string): number {
  printNote(io, `Not comparable: ${reason}.`);
  return EXIT.inconclusive;
}

function formatOf(path = ''): string {
  const extension = /\.(json|md|csv)$/i.exec(path)?.[1]?.toLowerCase();
  if (extension === 'md') return 'markdown';
  return extension ?? 'table';
}
