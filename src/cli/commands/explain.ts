import type { Command } from '@commander-js/extra-typings';
import { badOption, type HarnessError } from '../../simulator/lib/errors.ts';
import { named } from '../../simulator/lib/names.ts';
import { explainRun, type RunStory, type StepStory } from '../../simulator/metrics/explain.ts';
import { surroundingsOf } from '../../simulator/replay/run-trace.ts';
import {
  type ExplainedRun,
  renderOverview,
  renderOverviewJson,
  renderStep,
  renderStepJson,
} from '../../simulator/report/explain.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import { compileFor } from '../../simulator/sweep/run/prepare.ts';
import { noteDropped } from '../inputs.ts';
import { originOf } from '../package.ts';
import { formatNames, parseWhole } from '../plan/options.ts';
import { addPlanOptions, DEFAULT_POLICY, onlyPolicy, planRun, type RunPlan } from '../plan/plan.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { withCounters } from '../process/out-folder.ts';
import { printNotes } from '../process/output.ts';

interface Renderer {
  readonly overview: (story: ExplainedRun, terminal: Terminal) => string;
  readonly step: (story: ExplainedRun, step: StepStory, terminal: Terminal) => string;
}

const EXAMPLES = `
Examples:
  $ compaction-bench explain session.json
  $ compaction-bench explain session.json --policy opencode-1.2.16 --step 37
  $ compaction-bench explain chats.jsonl#1 --policy document-003 --step 4 --set contextTokens=60000`;

/** How a run can be explained, by name. */
const renderers = {
  text: { overview: renderOverview, step: renderStep },
  json: { overview: renderOverviewJson, step: renderStepJson },
} satisfies Record<string, Renderer>;

/** Adds the command that tells which numbers fired which rule at a step. */
export function addExplainCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  const command = program
    .command('explain')
    .description('Explain in numbers why a policy did what it did at a step of a session.')
    .argument('<file>', 'a session; path#index where a file holds several')
    .option('--policy <name>', 'preset to replay it under', DEFAULT_POLICY)
    .option(
      '--step <number>',
      'step to explain (default: list the steps at which something happened)',
    );
  addPlanOptions(command)
    .option('--format <name>', formatNames(renderers), 'text')
    .addHelpText('after', EXAMPLES)
    .action(async (file, { policy, step, format, set = [], ...rest }) => {
      const renderer: Renderer = named('explain format', renderers, format);
      const stepNumber = step === undefined ? undefined : parseWhole('--step', step);
      const plan = planRun({ ...rest, policy: [policy], set }, io.env);
      const story = await replay(file, plan, io);
      printNotes(io, plan.notes);
      const terminal = terminalOf(io);
      io.stdout.write(
        stepNumber === undefined
          ? renderer.overview(story, terminal)
          : renderer.step(story, findStep(story, stepNumber), terminal),
      );
      onExit(EXIT.done);
    });
}

async function replay(file: string, plan: RunPlan, io: CliIo): Promise<ExplainedRun> {
  const policy = onlyPolicy(plan);
  const session = loadNamed(file);
  noteDropped(io, [session.report.dropped]);
  const story = await withCounters(io, async (counters) => {
    const trace = await compileFor(plan.model.id, session, counters);
    return explainRun(trace, { policy, ...surroundingsOf(plan) });
  });
  const origin = originOf(plan.catalog, [plan.model.id], plan.settings.values);
  return {
    ...story,
    origin: { ...origin, recorded: countRecordedModels([{ recordedModel: session.model }]) },
  };
}

function findStep({ steps, end }: RunStory, wanted: number): StepStory {
  const found = steps.find(({ step }) => step === wanted);
  if (found !== undefined) return found;
  const last = steps.at(-1)?.step ?? 0;
  const state = end === undefined || end.state === 'completed' ? '' : `, where the run ended`;
  throw badStep(
    last === 0 ? 'left out, for there is no step' : `1 to ${last}${state}`,
    `${wanted}`,
  );
}

function badStep(expected: string, got: string): HarnessError {
  return badOption(`Expected '--step' to be ${expected}, got ${got}.`);
}
