import type { Command } from '@commander-js/extra-typings';
import { surroundingsOf } from '../../simulator/replay/caller-forms.ts';
import { whatIfFormats } from '../../simulator/report/whatif/formats.ts';
import type { VariantResult, WhatIfReport } from '../../simulator/report/whatif/what-if-report.ts';
import { loadNamed } from '../../simulator/session/named-session.ts';
import type { Session } from '../../simulator/session/session.ts';
import { loadCounts, prepareSession } from '../../simulator/sweep/run/controls.ts';
import { runVariant } from '../../simulator/sweep/whatif/run-variant.ts';
import { chooseFormat } from '../options/choose-format.ts';
import { collect } from '../options/collect.ts';
import { withCounters } from '../options/counters.ts';
import { formatHelp } from '../options/format-help.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { addModelOptions, type ModelOptions } from '../models/options.ts';
import { printEstimates, withSpent } from '../models/report.ts';
import { describeUnasked } from '../models/unasked.ts';
import {
  checkNoInput,
  checkOutPath,
  printNotes,
  settingFiles,
  writeReport,
} from '../process/output.ts';
import { parseTokenList } from '../options/parse-tokens.ts';
import { parseNames } from '../options/parse-names.ts';
import {
  addSourceOptions,
  DEFAULT_MODEL,
  DEFAULT_POLICY,
  DEFAULT_SUMMARIZER,
} from '../options/plan-options.ts';
import { noteDropped } from '../inputs/note-dropped.ts';
import { inTurn } from '../process/progress.ts';
import { type LivePlan, onlyPolicy, type PlanOptions } from '../run/plan.ts';
import { countRecordedModels } from '../../simulator/report/recorded-models.ts';
import { originOf } from '../run/origin.ts';
import { planVariants } from '../run/what-if-plans.ts';
import { isStopped } from '../process/is-stopped.ts';

/** What the command line says, as text. */
interface WhatIfOptions extends Omit<PlanOptions, 'model'>, ModelOptions {
  readonly window: readonly string[];
  readonly model: readonly string[];
  readonly charts: boolean;
  readonly curve?: boolean | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

/** Settings that each variant may have of its own. */
const LIMITS: readonly string[] = ['contextTokens', 'inputTokens', 'outputTokens'];

const EXAMPLES = `
Examples:
  $ compaction-bench whatif session.json --window 16k,32k,64k
  $ compaction-bench whatif session.json --window 64k,128k --out windows.html
  $ compaction-bench whatif session.json --model openai/gpt-5.2,anthropic/claude-sonnet-4-5
  $ compaction-bench whatif chats.jsonl#1 --window 32k --set protect=10000 --format json`;

/** Adds the command that replays one session under other windows and models. */
export function addWhatIfCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  const command = program
    .command('whatif')
    .description('Replay one session under other windows or models, side by side.')
    .argument('<file>', 'a session; path#index where a file holds several')
    .option(
      '--window <tokens,...>',
      "windows such as 16k; caps on input and output shrink with it (default: the model's own)",
      collect,
    )
    .option(
      '--model <provider/id,...>',
      `models whose limits and prices apply (default: ${DEFAULT_MODEL})`,
      collect,
    )
    .option('--policy <name>', 'preset to replay it under', DEFAULT_POLICY)
    .option('--summarizer <name>', 'what writes summaries', DEFAULT_SUMMARIZER);
  const planned = addSourceOptions(command)
    .option('--seed <number>', 'seed of everything random', '1')
    .option('--curve', 'misses against the protect window, all windows from one pass')
    .option('--no-charts', 'leave out the charts below the table')
    .option('--format <name>', formatHelp(whatIfFormats))
    .option('--out <path>', 'write the report to a file');
  addModelOptions(planned)
    .addHelpText('after', EXAMPLES)
    .action(async (file, { policy, window = [], model = [DEFAULT_MODEL], set = [], ...rest }) => {
      onExit(await compareVariants(file, { ...rest, policy: [policy], window, model, set }, io));
    });
}

async function compareVariants(file: string, options: WhatIfOptions, io: CliIo): Promise<number> {
  const { format, out, charts, curve = false, window, model, ...rest } = options;
  const render = chooseFormat(whatIfFormats, 'what-if format', { format, out });
  checkOutPath(out);
  const windows = parseTokenList('--window', window);
  const models = parseNames('--model', model, 'names of models');
  const { plans, registry } = planVariants(rest, { windows, models }, io.env);
  for (const plan of plans) onlyPolicy(plan);
  const session = loadNamed(file);
  checkNoInput(out, [file, ...settingFiles(rest)]);
  noteDropped(io, [session.report.dropped]);
  const told = new Set(plans.flatMap(({ notes }) => notes));
  printNotes(io, [...told, ...describeUnasked(rest, [rest.summarizer])]);
  const variants = await withSpent(registry, io, () => runPlans(session, plans, io));
  if (variants === undefined) return EXIT.interrupted;
  if (rest.dryRun === true) {
    printEstimates(io, registry, rest.summarizer);
    return EXIT.done;
  }
  const report = toReport(session, plans, variants);
  const text = render(report, { charts, curve }, terminalOf(io, out));
  const isWritten = writeReport(io, text, out);
  const hasFailed = variants.some(({ record }) => record.state === 'failed');
  return isWritten && !hasFailed ? EXIT.done : EXIT.failed;
}

/** `undefined` if the user wanted to stop. */
async function runPlans(
  session: Session,
  plans: readonly LivePlan[],
  io: CliIo,
): Promise<readonly VariantResult[] | undefined> {
  const modelIds = new Set(plans.map(({ model }) => model.id));
  return await withCounters(io, async (counters) => {
    const variants: VariantResult[] = [];
    const prepared = prepareSession(session, await loadCounts(counters, modelIds));
    const shared = { session: session.name, prepared };
    for (const plan of inTurn(plans, ({ model }) => model.id, io)) {
      const policy = onlyPolicy(plan);
      const options = { policy, ...surroundingsOf(plan), signal: io.signal };
      variants.push(await runVariant(shared, options));
      if (await isStopped(io)) return undefined;
    }
    return variants;
  });
}

function toReport(
  { name, model: recordedModel }: Session,
  plans: readonly LivePlan[],
  variants: readonly VariantResult[],
): WhatIfReport {
  const [plan] = plans;
  const models = [...new Set(plans.map(({ model }) => model.id))];
  const inForce = Object.entries(plan?.settings.values ?? {});
  const common = inForce.filter(([setting]) => !LIMITS.includes(setting));
  return {
    session: name,
    policy: plan?.policies[0]?.name ?? '',
    summarizer: plan?.summarizer.name ?? '',
    seed: plan?.seed ?? 0,
    mode: plan?.mode ?? 'open-loop',
    origin: {
      ...(plan ? originOf(plan.catalog, models, Object.fromEntries(common)) : { settings: {} }),
      recorded: countRecordedModels([{ recordedModel }]),
    },
    variants,
  };
}
